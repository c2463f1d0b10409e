//! The messages of `pulumirpc` that an engine uses, and `google.rpc.Status`. The numbers are those
//! of the protocol. Fields without a use here are left out.

use prost::Message;
use prost_types::{Any, Struct};
use std::collections::HashMap;

/// `ProviderHandshakeRequest`.
#[derive(Clone, PartialEq, Message)]
pub struct HandshakeRequest {
    #[prost(string, tag = "1")]
    pub engine_address: String,
    #[prost(string, optional, tag = "2")]
    pub root_directory: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub program_directory: Option<String>,
    #[prost(bool, tag = "4")]
    pub configure_with_urn: bool,
    #[prost(bool, tag = "5")]
    pub supports_views: bool,
    #[prost(bool, tag = "6")]
    pub supports_refresh_before_update: bool,
    #[prost(bool, tag = "7")]
    pub invoke_with_preview: bool,
    #[prost(bool, tag = "11")]
    pub accepts_byte_string: bool,
}

/// `ProviderHandshakeResponse`.
#[derive(Clone, PartialEq, Message)]
pub struct HandshakeResponse {
    #[prost(bool, tag = "1")]
    pub accept_secrets: bool,
    #[prost(bool, tag = "2")]
    pub accept_resources: bool,
    #[prost(bool, tag = "3")]
    pub accept_outputs: bool,
    #[prost(bool, tag = "6")]
    pub accepts_byte_string: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct ConfigureRequest {
    #[prost(map = "string, string", tag = "1")]
    pub variables: HashMap<String, String>,
    #[prost(message, optional, tag = "2")]
    pub args: Option<Struct>,
    #[prost(bool, tag = "3")]
    pub accept_secrets: bool,
    #[prost(bool, tag = "4")]
    pub accept_resources: bool,
    #[prost(bool, tag = "5")]
    pub sends_old_inputs: bool,
    #[prost(bool, tag = "6")]
    pub sends_old_inputs_to_delete: bool,
    #[prost(string, optional, tag = "7")]
    pub id: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub urn: Option<String>,
    #[prost(string, optional, tag = "9")]
    pub name: Option<String>,
    #[prost(string, optional, tag = "10")]
    pub type_token: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ConfigureResponse {
    #[prost(bool, tag = "1")]
    pub accept_secrets: bool,
    #[prost(bool, tag = "2")]
    pub supports_preview: bool,
    #[prost(bool, tag = "3")]
    pub accept_resources: bool,
    #[prost(bool, tag = "4")]
    pub accept_outputs: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct CheckRequest {
    #[prost(string, tag = "1")]
    pub urn: String,
    #[prost(message, optional, tag = "2")]
    pub olds: Option<Struct>,
    #[prost(message, optional, tag = "3")]
    pub news: Option<Struct>,
    #[prost(bytes = "vec", tag = "5")]
    pub random_seed: Vec<u8>,
    #[prost(string, tag = "6")]
    pub name: String,
    #[prost(string, tag = "7")]
    pub type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct CheckResponse {
    #[prost(message, optional, tag = "1")]
    pub inputs: Option<Struct>,
    #[prost(message, repeated, tag = "2")]
    pub failures: Vec<CheckFailure>,
}

#[derive(Clone, PartialEq, Message)]
pub struct CheckFailure {
    #[prost(string, tag = "1")]
    pub property: String,
    #[prost(string, tag = "2")]
    pub reason: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct DiffRequest {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(string, tag = "2")]
    pub urn: String,
    #[prost(message, optional, tag = "3")]
    pub olds: Option<Struct>,
    #[prost(message, optional, tag = "4")]
    pub news: Option<Struct>,
    #[prost(string, repeated, tag = "5")]
    pub ignore_changes: Vec<String>,
    #[prost(message, optional, tag = "6")]
    pub old_inputs: Option<Struct>,
    #[prost(string, tag = "7")]
    pub name: String,
    #[prost(string, tag = "8")]
    pub type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct DiffResponse {
    #[prost(string, repeated, tag = "1")]
    pub replaces: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub stables: Vec<String>,
    #[prost(bool, tag = "3")]
    pub delete_before_replace: bool,
    #[prost(int32, tag = "4")]
    pub changes: i32,
    #[prost(string, repeated, tag = "5")]
    pub diffs: Vec<String>,
    #[prost(map = "string, message", tag = "6")]
    pub detailed_diff: HashMap<String, PropertyDiff>,
    #[prost(bool, tag = "7")]
    pub has_detailed_diff: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct PropertyDiff {
    #[prost(int32, tag = "1")]
    pub kind: i32,
    #[prost(bool, tag = "2")]
    pub input_diff: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct CreateRequest {
    #[prost(string, tag = "1")]
    pub urn: String,
    #[prost(message, optional, tag = "2")]
    pub properties: Option<Struct>,
    #[prost(double, tag = "3")]
    pub timeout: f64,
    #[prost(bool, tag = "4")]
    pub preview: bool,
    #[prost(string, tag = "5")]
    pub name: String,
    #[prost(string, tag = "6")]
    pub type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct CreateResponse {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(message, optional, tag = "2")]
    pub properties: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ReadRequest {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(string, tag = "2")]
    pub urn: String,
    #[prost(message, optional, tag = "3")]
    pub properties: Option<Struct>,
    #[prost(message, optional, tag = "4")]
    pub inputs: Option<Struct>,
    #[prost(string, tag = "5")]
    pub name: String,
    #[prost(string, tag = "6")]
    pub type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ReadResponse {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(message, optional, tag = "2")]
    pub properties: Option<Struct>,
    #[prost(message, optional, tag = "3")]
    pub inputs: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub struct UpdateRequest {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(string, tag = "2")]
    pub urn: String,
    #[prost(message, optional, tag = "3")]
    pub olds: Option<Struct>,
    #[prost(message, optional, tag = "4")]
    pub news: Option<Struct>,
    #[prost(double, tag = "5")]
    pub timeout: f64,
    #[prost(string, repeated, tag = "6")]
    pub ignore_changes: Vec<String>,
    #[prost(bool, tag = "7")]
    pub preview: bool,
    #[prost(message, optional, tag = "8")]
    pub old_inputs: Option<Struct>,
    #[prost(string, tag = "9")]
    pub name: String,
    #[prost(string, tag = "10")]
    pub type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct UpdateResponse {
    #[prost(message, optional, tag = "1")]
    pub properties: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub struct DeleteRequest {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(string, tag = "2")]
    pub urn: String,
    #[prost(message, optional, tag = "3")]
    pub properties: Option<Struct>,
    #[prost(double, tag = "4")]
    pub timeout: f64,
    #[prost(message, optional, tag = "5")]
    pub old_inputs: Option<Struct>,
    #[prost(string, tag = "6")]
    pub name: String,
    #[prost(string, tag = "7")]
    pub type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct GetSchemaRequest {
    #[prost(int32, tag = "1")]
    pub version: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct GetSchemaResponse {
    #[prost(string, tag = "1")]
    pub schema: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct PluginInfo {
    #[prost(string, tag = "1")]
    pub version: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct PluginAttach {
    #[prost(string, tag = "1")]
    pub address: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Empty {}

/// `ErrorResourceInitFailed`.
#[derive(Clone, PartialEq, Message)]
pub struct InitFailed {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(message, optional, tag = "2")]
    pub properties: Option<Struct>,
    #[prost(string, repeated, tag = "3")]
    pub reasons: Vec<String>,
    #[prost(message, optional, tag = "4")]
    pub inputs: Option<Struct>,
}

/// `ConfigureErrorMissingKeys`.
#[derive(Clone, PartialEq, Message)]
pub struct MissingKeys {
    #[prost(message, repeated, tag = "1")]
    pub keys: Vec<MissingKey>,
}

#[derive(Clone, PartialEq, Message)]
pub struct MissingKey {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub description: String,
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
pub struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
pub struct LogRequest {
    #[prost(int32, tag = "1")]
    pub severity: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(string, tag = "3")]
    pub urn: String,
}

/// `GetRootResourceResponse` and `SetRootResourceRequest`.
#[derive(Clone, PartialEq, Message)]
pub struct RootResource {
    #[prost(string, tag = "1")]
    pub urn: String,
}
