//! The messages of `pulumirpc` that an engine uses, and `google.rpc.Status`. The numbers are those
//! of the protocol. Fields without a use here are left out.

use prost::Message;
use prost_types::{Any, Struct};
use std::collections::HashMap;

/// `ProviderHandshakeRequest`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HandshakeRequest {
    #[prost(string, tag = "1")]
    pub(crate) engine_address: String,
    #[prost(string, optional, tag = "2")]
    pub(crate) root_directory: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub(crate) program_directory: Option<String>,
    #[prost(bool, tag = "4")]
    pub(crate) configure_with_urn: bool,
    #[prost(bool, tag = "5")]
    pub(crate) supports_views: bool,
    #[prost(bool, tag = "6")]
    pub(crate) supports_refresh_before_update: bool,
    #[prost(bool, tag = "7")]
    pub(crate) invoke_with_preview: bool,
    #[prost(bool, tag = "11")]
    pub(crate) accepts_byte_string: bool,
}

/// `ProviderHandshakeResponse`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HandshakeResponse {
    #[prost(bool, tag = "1")]
    pub(crate) accept_secrets: bool,
    #[prost(bool, tag = "2")]
    pub(crate) accept_resources: bool,
    #[prost(bool, tag = "3")]
    pub(crate) accept_outputs: bool,
    #[prost(bool, tag = "6")]
    pub(crate) accepts_byte_string: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConfigureRequest {
    #[prost(map = "string, string", tag = "1")]
    pub(crate) variables: HashMap<String, String>,
    #[prost(message, optional, tag = "2")]
    pub(crate) args: Option<Struct>,
    #[prost(bool, tag = "3")]
    pub(crate) accept_secrets: bool,
    #[prost(bool, tag = "4")]
    pub(crate) accept_resources: bool,
    #[prost(bool, tag = "5")]
    pub(crate) sends_old_inputs: bool,
    #[prost(bool, tag = "6")]
    pub(crate) sends_old_inputs_to_delete: bool,
    #[prost(string, optional, tag = "7")]
    pub(crate) id: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub(crate) urn: Option<String>,
    #[prost(string, optional, tag = "9")]
    pub(crate) name: Option<String>,
    #[prost(string, optional, tag = "10")]
    pub(crate) type_token: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConfigureResponse {
    #[prost(bool, tag = "1")]
    pub(crate) accept_secrets: bool,
    #[prost(bool, tag = "2")]
    pub(crate) supports_preview: bool,
    #[prost(bool, tag = "3")]
    pub(crate) accept_resources: bool,
    #[prost(bool, tag = "4")]
    pub(crate) accept_outputs: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CheckRequest {
    #[prost(string, tag = "1")]
    pub(crate) urn: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) olds: Option<Struct>,
    #[prost(message, optional, tag = "3")]
    pub(crate) news: Option<Struct>,
    #[prost(bytes = "vec", tag = "5")]
    pub(crate) random_seed: Vec<u8>,
    #[prost(string, tag = "6")]
    pub(crate) name: String,
    #[prost(string, tag = "7")]
    pub(crate) type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CheckResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) inputs: Option<Struct>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) failures: Vec<CheckFailure>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CheckFailure {
    #[prost(string, tag = "1")]
    pub(crate) property: String,
    #[prost(string, tag = "2")]
    pub(crate) reason: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DiffRequest {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    pub(crate) urn: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) olds: Option<Struct>,
    #[prost(message, optional, tag = "4")]
    pub(crate) news: Option<Struct>,
    #[prost(string, repeated, tag = "5")]
    pub(crate) ignore_changes: Vec<String>,
    #[prost(message, optional, tag = "6")]
    pub(crate) old_inputs: Option<Struct>,
    #[prost(string, tag = "7")]
    pub(crate) name: String,
    #[prost(string, tag = "8")]
    pub(crate) type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DiffResponse {
    #[prost(string, repeated, tag = "1")]
    pub(crate) replaces: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) stables: Vec<String>,
    #[prost(bool, tag = "3")]
    pub(crate) delete_before_replace: bool,
    #[prost(int32, tag = "4")]
    pub(crate) changes: i32,
    #[prost(string, repeated, tag = "5")]
    pub(crate) diffs: Vec<String>,
    #[prost(map = "string, message", tag = "6")]
    pub(crate) detailed_diff: HashMap<String, PropertyDiff>,
    #[prost(bool, tag = "7")]
    pub(crate) has_detailed_diff: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PropertyDiff {
    #[prost(int32, tag = "1")]
    pub(crate) kind: i32,
    #[prost(bool, tag = "2")]
    pub(crate) input_diff: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CreateRequest {
    #[prost(string, tag = "1")]
    pub(crate) urn: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) properties: Option<Struct>,
    #[prost(double, tag = "3")]
    pub(crate) timeout: f64,
    #[prost(bool, tag = "4")]
    pub(crate) preview: bool,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(string, tag = "6")]
    pub(crate) type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CreateResponse {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) properties: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadRequest {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    pub(crate) urn: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) properties: Option<Struct>,
    #[prost(message, optional, tag = "4")]
    pub(crate) inputs: Option<Struct>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(string, tag = "6")]
    pub(crate) type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResponse {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) properties: Option<Struct>,
    #[prost(message, optional, tag = "3")]
    pub(crate) inputs: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpdateRequest {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    pub(crate) urn: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) olds: Option<Struct>,
    #[prost(message, optional, tag = "4")]
    pub(crate) news: Option<Struct>,
    #[prost(double, tag = "5")]
    pub(crate) timeout: f64,
    #[prost(string, repeated, tag = "6")]
    pub(crate) ignore_changes: Vec<String>,
    #[prost(bool, tag = "7")]
    pub(crate) preview: bool,
    #[prost(message, optional, tag = "8")]
    pub(crate) old_inputs: Option<Struct>,
    #[prost(string, tag = "9")]
    pub(crate) name: String,
    #[prost(string, tag = "10")]
    pub(crate) type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpdateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) properties: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeleteRequest {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    pub(crate) urn: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) properties: Option<Struct>,
    #[prost(double, tag = "4")]
    pub(crate) timeout: f64,
    #[prost(message, optional, tag = "5")]
    pub(crate) old_inputs: Option<Struct>,
    #[prost(string, tag = "6")]
    pub(crate) name: String,
    #[prost(string, tag = "7")]
    pub(crate) type_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetSchemaRequest {
    #[prost(int32, tag = "1")]
    pub(crate) version: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetSchemaResponse {
    #[prost(string, tag = "1")]
    pub(crate) schema: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PluginInfo {
    #[prost(string, tag = "1")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PluginAttach {
    #[prost(string, tag = "1")]
    pub(crate) address: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Empty {}

/// `ErrorResourceInitFailed`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct InitFailed {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) properties: Option<Struct>,
    #[prost(string, repeated, tag = "3")]
    pub(crate) reasons: Vec<String>,
    #[prost(message, optional, tag = "4")]
    pub(crate) inputs: Option<Struct>,
}

/// `ConfigureErrorMissingKeys`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct MissingKeys {
    #[prost(message, repeated, tag = "1")]
    pub(crate) keys: Vec<MissingKey>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MissingKey {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) description: String,
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub(crate) code: i32,
    #[prost(string, tag = "2")]
    pub(crate) message: String,
    #[prost(message, repeated, tag = "3")]
    pub(crate) details: Vec<Any>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct LogRequest {
    #[prost(int32, tag = "1")]
    pub(crate) severity: i32,
    #[prost(string, tag = "2")]
    pub(crate) message: String,
    #[prost(string, tag = "3")]
    pub(crate) urn: String,
}

/// `GetRootResourceResponse` and `SetRootResourceRequest`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RootResource {
    #[prost(string, tag = "1")]
    pub(crate) urn: String,
}
