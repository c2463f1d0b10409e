//! Recorded calls of foreign servers. A server answers as they did, and our requests must equal the
//! recorded ones.

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_deploy::{CheckRequest, DiffRequest, Effect, Existing, Provider};
use coconut_format::Value;
use coconut_providers::pulumi::messages as m;
use coconut_providers::pulumi::{Launch, PulumiProvider, Source, launch};
use http::{Request, Response};
use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost_types::value::Kind;
use prost_types::{Any, ListValue, Struct, Value as WireValue};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs;
use std::future::{Ready, ready};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::runtime::Runtime;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Status};

#[test]
fn requests_to_recorded_servers_and_their_answers() {
    let Some(golden) = coconut_testing::golden() else { return };
    let mut files: Vec<_> =
        fs::read_dir(golden.join("providers")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap().to_string_lossy();
        name.ends_with(".jsonl") && !name.starts_with("terraform")
    });
    files.sort();
    assert_eq!(files.len(), 10);
    let compared: usize = files.iter().map(|file| replay(file)).sum();
    assert_eq!(compared, 56, "calls of resources");
}

/// Makes the calls of a recording. Returns how many of them were compared.
fn replay(file: &Path) -> usize {
    let text = fs::read_to_string(file).unwrap();
    let records: Vec<Value> =
        text.lines().map(parse).filter(|record| record.get("method").is_some()).collect();
    let first = |method: &str| records.iter().find(|record| text_of(record, "method") == method);
    let server = Server::start();
    for method in ["Handshake", "Attach", "GetPluginInfo"] {
        server.expect(first(method).map_or_else(|| Err(Status::unimplemented("")), reply_of));
    }
    let urn = text_of(&records[records.len() - 2].get("request").unwrap().clone(), "urn").to_owned();
    let package =
        urn.split("::").nth(2).and_then(|token| token.split(':').next()).unwrap_or("fault").to_owned();
    let provider = launch(Launch::new(&package, Source::Port(server.port))).unwrap();
    server.received.lock().unwrap().clear();

    let configure = first("Configure").unwrap();
    server.expect(first("CheckConfig").map_or_else(|| Err(Status::unimplemented("")), reply_of));
    server.expect(reply_of(configure));
    let configuration = first("CheckConfig").filter(|record| record.get("reply").is_some());
    let args = configure.get("request").and_then(|request| request.get("args"));
    let configuration = configuration.and_then(|record| record.get("request")?.get("news")).or(args).unwrap();
    provider.configure(configuration.as_object().unwrap()).unwrap();
    let sent = m::ConfigureRequest::decode(&*server.received.lock().unwrap()[1]).unwrap();
    assert!(sent.accept_secrets && sent.accept_resources && sent.sends_old_inputs);
    if first("CheckConfig").is_none_or(|record| record.get("reply").is_none()) {
        assert_eq!(sent.args, Some(structure(args.unwrap())));
    }

    let mut compared = 0;
    for record in &records {
        let request = record.get("request").unwrap();
        let is_preview = request.get("preview").is_some();
        let note = record.get("note").and_then(Value::as_str).unwrap_or_default();
        // Calls that an engine must not make.
        if is_preview || note.starts_with("no `olds` at all") {
            continue;
        }
        server.received.lock().unwrap().clear();
        compared += usize::from(call(&provider, &server, record, request, note));
    }
    compared
}

/// Makes a recorded call, and compares. Whether it is one of a resource.
fn call(provider: &PulumiProvider, server: &Server, record: &Value, request: &Value, note: &str) -> bool {
    let method = text_of(record, "method");
    if !["Check", "Diff", "Create", "Read", "Update", "Delete"].contains(&method) {
        return false;
    }
    server.expect(reply_of(record));
    let properties = |key: &str| request.get(key).and_then(Value::as_object).unwrap_or_default().to_vec();
    let (urn, type_token) = (text_of(request, "urn"), text_of(request, "type"));
    let mut outputs = properties("olds");
    outputs.extend(properties("properties"));
    let mut inputs = properties("old_inputs");
    inputs.extend(properties("inputs"));
    let existing = Existing::new(urn, type_token, text_of(request, "id"), &inputs, &outputs);
    let reply = record.get("reply");
    let error = record.get("error");
    let id = reply.map(|reply| text_of(reply, "id"));
    let reasons = error.and_then(|error| error.get("details")?.as_list()?.first()?.get("reasons")?.as_list());
    let received = |key: &str| {
        let detail = error.and_then(|error| error.get("details")?.as_list()?.first());
        let found = reply.or(detail).and_then(|reply| reply.get(key)).and_then(Value::as_object);
        normal(&Value::Object(found.unwrap_or_default().to_vec()))
    };
    let failed = |error: &coconut_deploy::CallError| {
        let recorded = record.get("error").unwrap_or_else(|| panic!("{note}: {error}"));
        let is_vague = text_of(recorded, "code") != "FAILED_PRECONDITION";
        assert_eq!(error.effect == Effect::Unknown, is_vague, "{note}: {error}");
        assert!(!error.message.contains("Traceback"), "{error}");
    };
    match method {
        "Check" => {
            let new = properties("news");
            let mut check = CheckRequest::new(urn, type_token, &new);
            check.old_inputs = request.get("olds").and_then(Value::as_object);
            let checked = provider.check(&check).unwrap();
            let count = reply.and_then(|reply| reply.get("failures")?.as_list()).unwrap_or_default().len();
            assert_eq!(checked.failures.len(), count, "{note}");
            // One server loses the id of a reference; it is restored.
            if !note.contains("reference") && !note.contains("output value") {
                assert_eq!(normal(&Value::Object(checked.inputs)), received("inputs"), "{note}");
            }
        }
        "Diff" => {
            let new = properties("news");
            let diff = provider.diff(&DiffRequest::new(existing, &new)).unwrap();
            assert_eq!(diff.has_changes, Some(text_of(reply.unwrap(), "changes") == "DIFF_SOME"), "{note}");
            let replaces = reply.and_then(|reply| reply.get("replaces")?.as_list()).unwrap_or_default();
            let replaces: Vec<&str> = replaces.iter().filter_map(Value::as_str).collect();
            assert_eq!(diff.replaces, replaces, "{note}");
            assert!(!diff.deletes_first || diff.has_changes == Some(true), "{note}");
        }
        "Create" => match provider.create(urn, type_token, &properties("properties")) {
            Ok(created) => {
                assert_eq!(normal(&Value::Object(created.outputs)), received("properties"), "{note}");
                assert_eq!(created.init_errors.len(), reasons.map_or(0, <[_]>::len), "{note}");
                assert!(id.is_none_or(|id| created.id == id));
            }
            Err(error) => failed(&error),
        },
        "Read" => {
            let live = provider.read(&existing).unwrap();
            assert_eq!(live.is_some(), id != Some(""), "{note}");
            if let Some(live) = live {
                assert_eq!(normal(&Value::Object(live.outputs)), received("properties"), "{note}");
                assert_eq!(live.inputs.is_some(), reply.unwrap().get("inputs").is_some());
            }
        }
        "Update" => match provider.update(&existing, &properties("news")) {
            Ok(updated) => {
                assert_eq!(normal(&Value::Object(updated.outputs)), received("properties"), "{note}");
                assert_eq!(updated.init_errors.len(), reasons.map_or(0, <[_]>::len), "{note}");
            }
            Err(error) => failed(&error),
        },
        _ => {
            if let Err(error) = provider.delete(&existing) {
                failed(&error);
            }
        }
    }
    let sent = server.received.lock().unwrap().pop().unwrap();
    if !note.contains("output value") {
        compare(method, &sent, request, note);
    }
    true
}

/// The request as it was sent, and as it was recorded.
fn compare(method: &str, sent: &[u8], request: &Value, note: &str) {
    let text = |key: &str| text_of(request, key).to_owned();
    let message = |key: &str| Some(request.get(key).map(structure).unwrap_or_default());
    let (urn, id, name, type_token) = (text("urn"), text("id"), text("name"), text("type"));
    match method {
        "Check" => {
            let mut sent = m::CheckRequest::decode(sent).unwrap();
            assert_eq!(std::mem::take(&mut sent.random_seed), [0; 32]);
            let (olds, news) = (message("olds"), message("news"));
            let recorded = m::CheckRequest { urn, olds, news, name, type_token, ..Default::default() };
            assert_eq!(sent, recorded, "{note}");
        }
        "Diff" => {
            let (olds, news, old_inputs) = (message("olds"), message("news"), message("old_inputs"));
            let ignore_changes = Vec::new();
            let recorded =
                m::DiffRequest { id, urn, olds, news, ignore_changes, old_inputs, name, type_token };
            assert_eq!(m::DiffRequest::decode(sent).unwrap(), recorded, "{note}");
        }
        "Create" => {
            let properties = message("properties");
            let recorded = m::CreateRequest { urn, properties, name, type_token, ..Default::default() };
            assert_eq!(m::CreateRequest::decode(sent).unwrap(), recorded, "{note}");
        }
        "Read" => {
            let (properties, inputs) = (message("properties"), message("inputs"));
            let recorded = m::ReadRequest { id, urn, properties, inputs, name, type_token };
            assert_eq!(m::ReadRequest::decode(sent).unwrap(), recorded, "{note}");
        }
        "Update" => {
            let (olds, news, old_inputs) = (message("olds"), message("news"), message("old_inputs"));
            let recorded =
                m::UpdateRequest { id, urn, olds, news, old_inputs, name, type_token, ..Default::default() };
            assert_eq!(m::UpdateRequest::decode(sent).unwrap(), recorded, "{note}");
        }
        _ => {
            let (properties, old_inputs) = (message("properties"), message("old_inputs"));
            let recorded =
                m::DeleteRequest { id, urn, properties, old_inputs, name, type_token, ..Default::default() };
            assert_eq!(m::DeleteRequest::decode(sent).unwrap(), recorded, "{note}");
        }
    }
}

fn parse(text: &str) -> Value {
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).unwrap();
    sink.finish().unwrap()
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";

/// The value with sorted keys, and with secrets as the engine has them.
fn normal(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let is_secret = entries.iter().any(|(_, value)| value.as_str() == Some(SECRET));
            if let Some(inner) = value.get("value").filter(|_| is_secret) {
                return format!("secret {inner}");
            }
            if let Some(text) = value.get("plaintext").and_then(Value::as_str) {
                return format!("secret {text}");
            }
            let mut parts: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key}:{}", normal(value))).collect();
            parts.sort();
            format!("{{{}}}", parts.join(","))
        }
        Value::List(items) => format!("[{}]", items.iter().map(normal).collect::<Vec<_>>().join(",")),
        Value::Integer(number) => number.as_f64().to_string(),
        Value::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

fn structure(value: &Value) -> Struct {
    let entries = value.as_object().unwrap_or_default().iter();
    Struct { fields: entries.map(|(key, value)| (key.clone(), wire(value))).collect() }
}

fn wire(value: &Value) -> WireValue {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(value) => Kind::BoolValue(*value),
        Value::Integer(number) => Kind::NumberValue(number.as_f64()),
        Value::Float(number) => Kind::NumberValue(*number),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::List(items) => Kind::ListValue(ListValue { values: items.iter().map(wire).collect() }),
        Value::Object(_) => Kind::StructValue(structure(value)),
    };
    WireValue { kind: Some(kind) }
}

/// The recorded answer.
fn reply_of(record: &Value) -> Result<Vec<u8>, Status> {
    if let Some(error) = record.get("error") {
        return Err(status_of(error));
    }
    let reply = record.get("reply").unwrap();
    let text = |key: &str| text_of(reply, key).to_owned();
    let flag = |key: &str| matches!(reply.get(key), Some(Value::Bool(true)));
    let message = |key: &str| reply.get(key).map(structure);
    let list = |key: &str| reply.get(key).and_then(Value::as_list).unwrap_or_default();
    let (id, properties, inputs) = (text("id"), message("properties"), message("inputs"));
    Ok(match text_of(record, "method") {
        "Handshake" => {
            let (accept_secrets, accept_resources) = (flag("accept_secrets"), flag("accept_resources"));
            m::HandshakeResponse { accept_secrets, accept_resources, ..Default::default() }.encode_to_vec()
        }
        "GetPluginInfo" => m::PluginInfo { version: text("version") }.encode_to_vec(),
        "Configure" => {
            let (accept_secrets, accept_resources) = (flag("acceptSecrets"), flag("acceptResources"));
            m::ConfigureResponse { accept_secrets, accept_resources, ..Default::default() }.encode_to_vec()
        }
        "CheckConfig" | "Check" => {
            let failure = |one: &Value| m::CheckFailure {
                property: text_of(one, "property").to_owned(),
                reason: text_of(one, "reason").to_owned(),
            };
            let failures = list("failures").iter().map(failure).collect();
            m::CheckResponse { inputs, failures }.encode_to_vec()
        }
        "Diff" => {
            let texts = list("replaces").iter().filter_map(Value::as_str).map(str::to_owned);
            let changes = match text_of(reply, "changes") {
                "DIFF_NONE" => 1,
                "DIFF_SOME" => 2,
                _ => 0,
            };
            let delete_before_replace = flag("deleteBeforeReplace");
            let replaces = texts.collect();
            m::DiffResponse { replaces, changes, delete_before_replace, ..Default::default() }.encode_to_vec()
        }
        "Create" => m::CreateResponse { id, properties }.encode_to_vec(),
        "Read" => m::ReadResponse { id, properties, inputs }.encode_to_vec(),
        "Update" => m::UpdateResponse { properties }.encode_to_vec(),
        _ => Vec::new(),
    })
}

fn status_of(error: &Value) -> Status {
    let code = match text_of(error, "code") {
        "UNIMPLEMENTED" => Code::Unimplemented,
        "FAILED_PRECONDITION" => Code::FailedPrecondition,
        "UNAVAILABLE" => Code::Unavailable,
        "DEADLINE_EXCEEDED" => Code::DeadlineExceeded,
        "UNKNOWN" => Code::Unknown,
        other => panic!("{other}"),
    };
    let message = text_of(error, "message");
    let Some(detail) = error.get("details").and_then(Value::as_list).and_then(<[_]>::first) else {
        return Status::new(code, message);
    };
    let reasons = detail.get("reasons").and_then(Value::as_list).unwrap_or_default();
    let value = m::InitFailed {
        id: text_of(detail, "id").to_owned(),
        properties: detail.get("properties").map(structure),
        reasons: reasons.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        inputs: detail.get("inputs").map(structure),
    };
    let details = vec![Any { type_url: text_of(detail, "@type").to_owned(), value: value.encode_to_vec() }];
    let status = m::RpcStatus { code: 2, message: message.to_owned(), details };
    Status::with_details(code, message, status.encode_to_vec().into())
}

/// The bytes of a reply, or an error.
type Answer = Result<Vec<u8>, Status>;

/// A server that answers what it was told, and keeps what it receives.
struct Server {
    port: u16,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
    _runtime: Runtime,
}

impl Server {
    fn start() -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .enable_time()
            .build()
            .unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (answers, received) = (Arc::default(), Arc::default());
        let replay = Replay { answers: Arc::clone(&answers), received: Arc::clone(&received) };
        let incoming = TcpIncoming::from(listener);
        runtime.spawn(tonic::transport::Server::builder().serve_with_incoming(replay, incoming));
        Server { port, answers, received, _runtime: runtime }
    }

    fn expect(&self, answer: Answer) {
        self.answers.lock().unwrap().push_back(answer);
    }
}

#[derive(Clone)]
struct Replay {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl tower_service::Service<Request<Body>> for Replay {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let replay = self.clone();
        Box::pin(async move { Ok(Grpc::new(Bytes).unary(replay, request).await) })
    }
}

impl UnaryService<Vec<u8>> for Replay {
    type Response = Vec<u8>;
    type Future = Ready<Result<tonic::Response<Vec<u8>>, Status>>;

    fn call(&mut self, request: tonic::Request<Vec<u8>>) -> Self::Future {
        self.received.lock().unwrap().push(request.into_inner());
        let answer = self.answers.lock().unwrap().pop_front();
        ready(answer.unwrap_or_else(|| Err(Status::aborted("an unexpected call"))).map(tonic::Response::new))
    }
}

/// Messages as their bytes.
#[derive(Clone, Copy, Default)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Bytes;
    type Decoder = Bytes;

    fn encoder(&mut self) -> Bytes {
        Bytes
    }

    fn decoder(&mut self) -> Bytes {
        Bytes
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut bytes = vec![0; buffer.remaining()];
        buffer.copy_to_slice(&mut bytes);
        Ok(Some(bytes))
    }
}
