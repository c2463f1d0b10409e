//! A provider for tests, with faults: a store of files, in the folder that `STORE` names.
//!
//! It speaks Pulumi's protocol: it prints the port of its server. The inputs of a resource select a
//! fault: `fault: "create:exit"` ends the process after the thing was made, `"before-create:exit"`
//! before. With `NO_HANDSHAKE` it has no handshake, and with `OLD_VALUES` it accepts no secrets.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "it is a program for tests"
)]

use coconut_providers::pulumi::messages as m;
use http::{Request, Response};
use prost::Message;
use prost_types::value::Kind;
use prost_types::{Any, Struct, Value};
use std::convert::Infallible;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{env, fs, process};
use tonic::body::Body;
use tonic::server::{Grpc, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        eprintln!("starting with \u{1b}[31m{:?}", env::args().nth(1).unwrap());
        println!("{}", listener.local_addr().unwrap().port());
        Server::builder().serve_with_incoming(Fake, TcpIncoming::from(listener)).await.unwrap();
    });
}

#[derive(Clone, Copy)]
struct Fake;

impl tower_service::Service<Request<Body>> for Fake {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(async move {
            let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            Ok(match &*method {
                "Handshake" => answer(request, handshake).await,
                "GetPluginInfo" => answer(request, plugin_info).await,
                "CheckConfig" => answer(request, check_config).await,
                "Configure" => answer(request, configure).await,
                "Check" => answer(request, check).await,
                "Diff" => answer(request, diff).await,
                "Create" => answer(request, create).await,
                "Read" => answer(request, read).await,
                "Update" => answer(request, update).await,
                "Delete" => answer(request, delete).await,
                "Cancel" => answer(request, cancel).await,
                method => Status::unimplemented(method).into_http(),
            })
        })
    }
}

async fn handshake(_: m::HandshakeRequest) -> Result<m::HandshakeResponse, Status> {
    if env::var_os("NO_HANDSHAKE").is_some() {
        return Err(Status::unimplemented("no handshake"));
    }
    let accepts = env::var_os("OLD_VALUES").is_none();
    let reply =
        m::HandshakeResponse { accept_secrets: accepts, accept_resources: accepts, ..Default::default() };
    Ok(reply)
}

async fn plugin_info(_: m::Empty) -> Result<m::PluginInfo, Status> {
    Ok(m::PluginInfo { version: "1.0.0".into() })
}

async fn cancel(_: m::Empty) -> Result<m::Empty, Status> {
    Ok(m::Empty {})
}

async fn check_config(request: m::CheckRequest) -> Result<m::CheckResponse, Status> {
    Ok(m::CheckResponse { inputs: request.news, failures: Vec::new() })
}

async fn configure(request: m::ConfigureRequest) -> Result<m::ConfigureResponse, Status> {
    assert!(request.accept_secrets && request.sends_old_inputs_to_delete);
    if request.variables.get("fake:config:refuse").is_some_and(|text| text == "yes") {
        let secret = request.variables.get("fake:config:token").cloned().unwrap_or_default();
        return Err(Status::invalid_argument(format!("the token {secret} is refused")));
    }
    let accepts = env::var_os("OLD_VALUES").is_none();
    Ok(m::ConfigureResponse { accept_secrets: accepts, accept_resources: accepts, ..Default::default() })
}

async fn check(request: m::CheckRequest) -> Result<m::CheckResponse, Status> {
    if request.olds.is_none() {
        return Err(Status::unknown("Cannot read properties of undefined"));
    }
    let mut inputs = request.news.unwrap();
    let mut failures = Vec::new();
    match inputs.fields.get("name") {
        Some(_) => {}
        None => failures.push(m::CheckFailure { property: "name".into(), reason: "missing".into() }),
    }
    inputs.fields.entry("mode".into()).or_insert_with(|| string("0644"));
    Ok(m::CheckResponse { inputs: Some(inputs), failures })
}

async fn diff(request: m::DiffRequest) -> Result<m::DiffResponse, Status> {
    let [old, new] = [request.old_inputs.unwrap(), request.news.unwrap()];
    let keys = old.fields.keys().chain(new.fields.keys());
    let changed: Vec<String> =
        keys.filter(|key| old.fields.get(*key) != new.fields.get(*key)).cloned().collect();
    let kind = |key: &String| m::PropertyDiff { kind: if key == "name" { 5 } else { 4 }, input_diff: true };
    Ok(m::DiffResponse {
        changes: if changed.is_empty() { 1 } else { 2 },
        detailed_diff: changed.iter().map(|key| (key.clone(), kind(key))).collect(),
        has_detailed_diff: true,
        // Even if nothing changes, as one server does.
        delete_before_replace: true,
        ..Default::default()
    })
}

async fn create(request: m::CreateRequest) -> Result<m::CreateResponse, Status> {
    assert!(!request.preview, "a preview must not be sent");
    let properties = request.properties.unwrap();
    fault("before-create", &properties, "").await?;
    let id = format!("{}-1", text(&properties, "name"));
    fs::write(path(&id), properties.encode_to_vec()).unwrap();
    fault("create", &properties, &id).await?;
    Ok(m::CreateResponse { id, properties: Some(outputs(properties)) })
}

async fn read(request: m::ReadRequest) -> Result<m::ReadResponse, Status> {
    let Ok(bytes) = fs::read(path(&request.id)) else { return Ok(m::ReadResponse::default()) };
    let inputs = Struct::decode(&*bytes).unwrap();
    Ok(m::ReadResponse { id: request.id, properties: Some(outputs(inputs.clone())), inputs: Some(inputs) })
}

async fn update(request: m::UpdateRequest) -> Result<m::UpdateResponse, Status> {
    let properties = request.news.unwrap();
    fs::write(path(&request.id), properties.encode_to_vec()).unwrap();
    fault("update", &properties, &request.id).await?;
    Ok(m::UpdateResponse { properties: Some(outputs(properties)) })
}

async fn delete(request: m::DeleteRequest) -> Result<m::Empty, Status> {
    fault("delete", &request.properties.unwrap(), &request.id).await?;
    let error = fs::remove_file(path(&request.id)).err();
    error.map_or(Ok(m::Empty {}), |_| Err(Status::not_found("ENOENT")))
}

async fn fault(when: &str, properties: &Struct, id: &str) -> Result<(), Status> {
    let fault = text(properties, "fault");
    let Some(kind) = fault.strip_prefix(when).and_then(|rest| rest.strip_prefix(':')) else { return Ok(()) };
    match kind {
        "exit" => process::exit(9),
        "hang" => tokio::time::sleep(Duration::from_secs(3600)).await,
        "clean" => return Err(Status::failed_precondition("refused\u{1b}[31m")),
        "unknown" => return Err(Status::unknown("no idea")),
        "unavailable" => return Err(Status::unavailable("try again")),
        "init" => {
            let detail = m::InitFailed {
                id: id.to_owned(),
                properties: Some(outputs(properties.clone())),
                reasons: vec!["made".into(), "not ready".into()],
                inputs: None,
            };
            let type_url = "type.googleapis.com/pulumirpc.ErrorResourceInitFailed".to_owned();
            let details = vec![Any { type_url, value: detail.encode_to_vec() }];
            let status = m::RpcStatus { code: 2, message: "init failed".into(), details };
            return Err(Status::with_details(Code::Unknown, "init failed", status.encode_to_vec().into()));
        }
        kind => panic!("no fault {kind}"),
    }
    Ok(())
}

fn outputs(mut properties: Struct) -> Struct {
    properties.fields.insert("size".into(), Value { kind: Some(Kind::NumberValue(1.0)) });
    properties
}

fn path(id: &str) -> PathBuf {
    PathBuf::from(env::var_os("STORE").unwrap()).join(id)
}

fn string(text: &str) -> Value {
    Value { kind: Some(Kind::StringValue(text.into())) }
}

fn text(properties: &Struct, key: &str) -> String {
    match properties.fields.get(key).and_then(|value| value.kind.as_ref()) {
        Some(Kind::StringValue(text)) => text.clone(),
        _ => String::new(),
    }
}

/// Decodes a request, and encodes its answer.
async fn answer<M, R, F, A>(request: Request<Body>, handle: F) -> Response<Body>
where
    M: Message + Default + 'static,
    R: Message + 'static,
    F: Fn(M) -> A,
    A: Future<Output = Result<R, Status>> + Send + 'static,
{
    Grpc::new(ProstCodec::<R, M>::default()).unary(Handler(handle), request).await
}

struct Handler<F>(F);

impl<M, R, F, A> UnaryService<M> for Handler<F>
where
    F: Fn(M) -> A,
    A: Future<Output = Result<R, Status>> + Send + 'static,
{
    type Response = R;
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<R>, Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<M>) -> Self::Future {
        let reply = (self.0)(request.into_inner());
        Box::pin(async { reply.await.map(tonic::Response::new) })
    }
}
