//! §25.6 The calls of a deployment.

use super::connection::{Connection, Features};
use super::methods::{CANCEL, CHECK, CHECK_CONFIG, CONFIGURE, CREATE, DELETE, DIFF, READ, UPDATE};
use super::value::{self, Contents, Decoder, Encoder, Unknowns};
use super::{CallFailure, Launch, PulumiProvider, messages as m};
use crate::error::LaunchError;
use crate::grpc::{Failure, Reach};
use coconut_deploy::{
    CallError, CheckRequest, Checked, Created, Diff, DiffRequest, Existing, Live, Properties, Provider,
    Updated,
};
use coconut_format::Value;
use prost::Message;
use prost_types::Struct;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// A provider that ends more often is not started again.
const MOST_RESTARTS: u32 = 10;

const INIT_FAILED: &str = "pulumirpc.ErrorResourceInitFailed";
const MISSING_KEYS: &str = "pulumirpc.ConfigureErrorMissingKeys";

impl PulumiProvider {
    /// The connection to a living provider. One that has ended is started again.
    fn connection(&self) -> Result<Arc<Connection>, CallFailure> {
        let mut current = self.current();
        if !current.connection.is_alive() {
            if current.restarts == MOST_RESTARTS {
                let status = current.connection.end().unwrap_or_default();
                let message = format!("it has ended {} times; {status}", MOST_RESTARTS + 1);
                return Err(CallFailure::Launch(LaunchError::Call { method: "start", message }));
            }
            current.restarts += 1;
            let connection = Connection::open(&self.launch, &self.outlet).map_err(CallFailure::Launch)?;
            if let Some(configuration) = &current.configuration {
                let configured = self.configure_connection(&connection, configuration);
                configured.map_err(|failure| {
                    let message = self.error(failure).message;
                    CallFailure::Launch(LaunchError::Call { method: "Configure", message })
                })?;
            }
            current.connection = Arc::new(connection);
        }
        Ok(Arc::clone(&current.connection))
    }

    /// Makes a call without an effect. It is repeated once if the connection is lost.
    pub(super) fn call<M, R>(
        &self,
        path: &'static str,
        request: impl Fn(&Features) -> Result<M, CallFailure>,
    ) -> Result<(R, Features), CallFailure>
    where
        M: Message + 'static,
        R: Message + Default + 'static,
    {
        match self.call_once(path, &request) {
            Err(CallFailure::Lost(failure, end)) if end.is_some() || failure.reach == Reach::NotSent => {
                self.call_once(path, &request)
            }
            result => result,
        }
    }

    /// Makes a call that may have an effect. It is sent once.
    fn act<M, R>(
        &self,
        path: &'static str,
        request: impl Fn(&Features) -> Result<M, CallFailure>,
    ) -> Result<(R, Features), CallFailure>
    where
        M: Message + 'static,
        R: Message + Default + 'static,
    {
        match self.call_once(path, &request) {
            Err(CallFailure::Lost(failure, _)) if failure.reach == Reach::NotSent => {
                self.call_once(path, &request)
            }
            result => result,
        }
    }

    fn call_once<M, R>(
        &self,
        path: &'static str,
        request: &impl Fn(&Features) -> Result<M, CallFailure>,
    ) -> Result<(R, Features), CallFailure>
    where
        M: Message + 'static,
        R: Message + Default + 'static,
    {
        let connection = self.connection()?;
        let features = connection.features();
        let reply = connection.call(path, request(&features)?, self.launch.call_time);
        let reply = reply.map_err(|failure| lost_or_answered(&connection, failure))?;
        Ok((reply, features))
    }

    fn configure_connection(
        &self,
        connection: &Connection,
        configuration: &[(String, Value)],
    ) -> Result<(), CallFailure> {
        let mut features = connection.features();
        if configuration.iter().any(|(_, value)| value::has_unknown(value)) {
            features.is_unconfigured = true;
            connection.set_features(features);
            return Ok(());
        }
        let Launch { name, call_time, .. } = &self.launch;
        let urn = self.launch.provider_urn();
        let type_token = format!("pulumi:providers:{name}");
        // The abilities are not known yet, so secrets go bare.
        let bare = Features::default().encoder(Contents::Sent, Unknowns::Refused);
        let check = m::CheckRequest {
            urn: urn.clone(),
            olds: Some(Struct::default()),
            news: Some(bare.properties(configuration)?),
            name: "default".to_owned(),
            type_token: type_token.clone(),
            ..m::CheckRequest::default()
        };
        let configuration = match connection.call::<_, m::CheckResponse>(CHECK_CONFIG, check, *call_time) {
            Ok(reply) => {
                if let Some(failure) = reply.failures.first() {
                    let message = format!("configuration `{}`: {}", failure.property, failure.reason);
                    return Err(CallFailure::Answered(refused(message)));
                }
                let decoder = Decoder::new(Unknowns::Refused, &[configuration]);
                let mut checked = decoder.properties(reply.inputs)?;
                value::mark_secrets(&mut checked, configuration);
                checked
            }
            Err(failure) if self.is_missing(&failure) => configuration.to_vec(),
            Err(failure) => return Err(lost_or_answered(connection, failure)),
        };
        let configuration: Properties =
            configuration.into_iter().filter(|(key, _)| key != "version").collect();
        // Whatever was agreed on, secrets of the configuration are marked.
        let marked = Encoder {
            accepts: value::Accepts { secrets: true, ..features.accepts },
            contents: Contents::Sent,
            unknowns: Unknowns::Refused,
        };
        let variables = configuration.iter().filter(|(_, value)| *value != Value::Null);
        let variables =
            variables.map(|(key, value)| (format!("{name}:config:{key}"), value::bare_text(value)));
        let request = m::ConfigureRequest {
            variables: variables.collect(),
            args: Some(marked.properties(&configuration)?),
            accept_secrets: true,
            accept_resources: true,
            sends_old_inputs: true,
            sends_old_inputs_to_delete: true,
            id: features.is_settled.then(|| "default".to_owned()),
            urn: features.is_settled.then_some(urn),
            name: features.is_settled.then(|| "default".to_owned()),
            type_token: features.is_settled.then_some(type_token),
        };
        let reply = connection.call::<_, m::ConfigureResponse>(CONFIGURE, request, *call_time);
        let reply = reply.map_err(|mut failure| {
            if let Some(missing) = detail::<m::MissingKeys>(&failure, MISSING_KEYS) {
                let keys = missing.keys.iter().map(|key| match key.description.is_empty() {
                    true => format!("`{}`", key.name),
                    false => format!("`{}` ({})", key.name, key.description),
                });
                failure.message = format!("the configuration lacks {}", keys.collect::<Vec<_>>().join(", "));
            }
            lost_or_answered(connection, failure)
        })?;
        if !features.is_settled {
            features.accepts.secrets = reply.accept_secrets;
            features.accepts.resources = reply.accept_resources;
        }
        features.is_unconfigured = false;
        connection.set_features(features);
        Ok(())
    }

    /// The properties of an answer, with the marks of secrets.
    fn received(
        &self,
        message: Option<Struct>,
        unknowns: Unknowns,
        features: &Features,
        inputs: &[(String, Value)],
        others: &[(String, Value)],
    ) -> Result<Properties, value::ValueError> {
        let mut properties = Decoder::new(unknowns, &[others, inputs]).properties(message)?;
        if !features.accepts.secrets {
            value::mark_secrets(&mut properties, inputs);
        }
        self.learn(&[&properties]);
        Ok(properties)
    }

    /// The outputs of a resource that was made or changed. It exists even if they cannot be read:
    /// this is then a reason why it is not ready.
    fn outputs(
        &self,
        message: Option<Struct>,
        features: &Features,
        inputs: &[(String, Value)],
        others: &[(String, Value)],
        mut init_errors: Vec<String>,
    ) -> (Properties, Vec<String>) {
        match self.received(message, Unknowns::Refused, features, inputs, others) {
            Ok(outputs) => (outputs, init_errors),
            Err(error) => {
                let error = self.outlet.redaction.shown(&error.to_string());
                init_errors.push(format!("the provider has answered without usable properties: {error}"));
                (Properties::new(), init_errors)
            }
        }
    }

    /// The reasons in the details of a failure: the resource exists, but is not ready.
    fn init_failed(&self, failure: &CallFailure) -> Option<(m::InitFailed, Vec<String>)> {
        let CallFailure::Answered(failure) = failure else { return None };
        let detail = detail::<m::InitFailed>(failure, INIT_FAILED)?;
        let shown = |text: &String| self.outlet.redaction.shown(text);
        let mut reasons: Vec<String> = detail.reasons.iter().map(shown).collect();
        if reasons.is_empty() {
            reasons.push(shown(&failure.message));
        }
        Some((detail, reasons))
    }

    fn unconfigured(&self) -> Option<CallError> {
        let is_unconfigured = self.current().connection.features().is_unconfigured;
        is_unconfigured.then(|| CallError::rejected("the configuration of the provider is not known yet"))
    }
}

impl Provider for PulumiProvider {
    fn configure(&self, configuration: &[(String, Value)]) -> Result<(), CallError> {
        self.learn(&[configuration]);
        let connection = self.connection().map_err(|failure| self.error(failure))?;
        let configured = self.configure_connection(&connection, configuration);
        configured.map_err(|failure| self.error(failure))?;
        self.current().configuration = Some(configuration.to_vec());
        Ok(())
    }

    fn check(&self, request: &CheckRequest<'_>) -> Result<Checked, CallError> {
        let old = request.old_inputs.unwrap_or_default();
        let new = request.new_inputs;
        if self.unconfigured().is_some() {
            return Ok(Checked { inputs: new.to_vec(), failures: Vec::new() });
        }
        self.learn(&[old, new]);
        let message = |features: &Features| {
            Ok(m::CheckRequest {
                urn: request.urn.to_owned(),
                // Servers fail without this field, even if it is empty.
                olds: Some(features.encoder(Contents::Sent, Unknowns::Allowed).properties(old)?),
                news: Some(features.encoder(Contents::Sent, Unknowns::Allowed).properties(new)?),
                random_seed: request.seed.to_vec(),
                name: name_of(request.urn).to_owned(),
                type_token: request.type_token.to_owned(),
            })
        };
        let reply = self.call::<_, m::CheckResponse>(CHECK, message);
        let (reply, features) = reply.map_err(|failure| self.error(failure))?;
        let shown = |text: &str| self.outlet.redaction.shown(text);
        let failures = reply.failures.iter().map(|one| (shown(&one.property), shown(&one.reason)));
        let failures: Vec<_> = failures.collect();
        let inputs = self.received(reply.inputs, Unknowns::Allowed, &features, new, old);
        Ok(Checked { inputs: inputs.map_err(|error| self.error(error.into()))?, failures })
    }

    fn diff(&self, request: &DiffRequest<'_>) -> Result<Diff, CallError> {
        let DiffRequest { resource, new_inputs, .. } = *request;
        if self.unconfigured().is_some() {
            return Ok(Diff::default());
        }
        self.learn(&[resource.inputs, resource.outputs, new_inputs]);
        let message = |features: &Features| {
            let encoder = features.encoder(Contents::Omitted, Unknowns::Allowed);
            Ok(m::DiffRequest {
                id: resource.id.to_owned(),
                urn: resource.urn.to_owned(),
                olds: Some(encoder.properties(resource.outputs)?),
                news: Some(encoder.properties(new_inputs)?),
                ignore_changes: Vec::new(),
                old_inputs: Some(encoder.properties(resource.inputs)?),
                name: name_of(resource.urn).to_owned(),
                type_token: resource.type_token.to_owned(),
            })
        };
        let reply = self.call::<_, m::DiffResponse>(DIFF, message);
        reply.map(|(reply, _)| diff_of(&reply)).map_err(|failure| self.error(failure))
    }

    fn create(&self, urn: &str, type_token: &str, inputs: &[(String, Value)]) -> Result<Created, CallError> {
        self.unconfigured().map_or(Ok(()), Err)?;
        self.learn(&[inputs]);
        let message = |features: &Features| {
            let encoder = features.encoder(Contents::Sent, Unknowns::Refused);
            Ok(m::CreateRequest {
                urn: urn.to_owned(),
                properties: Some(encoder.properties(inputs)?),
                timeout: 0.0,
                preview: false,
                name: name_of(urn).to_owned(),
                type_token: type_token.to_owned(),
            })
        };
        let (id, properties, features, errors) = match self.act::<_, m::CreateResponse>(CREATE, message) {
            Ok((reply, features)) => (reply.id, reply.properties, features, Vec::new()),
            Err(failure) => match self.init_failed(&failure) {
                Some((detail, reasons)) => {
                    (detail.id, detail.properties, self.current().connection.features(), reasons)
                }
                None => return Err(self.error(failure)),
            },
        };
        if id.is_empty() {
            return Err(CallError::unclear("the provider has created a resource without an id"));
        }
        let (outputs, init_errors) = self.outputs(properties, &features, inputs, &[], errors);
        Ok(Created { id, outputs, init_errors })
    }

    fn read(&self, resource: &Existing<'_>) -> Result<Option<Live>, CallError> {
        self.unconfigured().map_or(Ok(()), Err)?;
        let Existing { urn, type_token, id, inputs, outputs, .. } = *resource;
        self.learn(&[inputs, outputs]);
        // Dynamic providers have their program in the properties. Those of a resource without an
        // answer to its creation are not known, but its inputs have it, too.
        let properties = if outputs.is_empty() { inputs } else { outputs };
        let message = |features: &Features| {
            let encoder = features.encoder(Contents::Omitted, Unknowns::Refused);
            Ok(m::ReadRequest {
                id: id.to_owned(),
                urn: urn.to_owned(),
                properties: Some(encoder.properties(properties)?),
                inputs: Some(encoder.properties(inputs)?),
                name: name_of(urn).to_owned(),
                type_token: type_token.to_owned(),
            })
        };
        let (reply, features) = match self.call::<_, m::ReadResponse>(READ, message) {
            Ok(reply) => reply,
            // The resource exists, and a refresh has no use for the reason.
            Err(failure) => match self.init_failed(&failure) {
                Some((detail, _)) => {
                    let m::InitFailed { id, properties, inputs, .. } = detail;
                    (m::ReadResponse { id, properties, inputs }, self.current().connection.features())
                }
                None => return Err(self.error(failure)),
            },
        };
        if reply.id.is_empty() {
            return Ok(None);
        }
        let received = |message: Struct| {
            let received = self.received(Some(message), Unknowns::Refused, &features, inputs, outputs);
            received.map_err(|error| self.error(error.into()))
        };
        let live_inputs = reply.inputs.map(received).transpose()?;
        let outputs = received(reply.properties.unwrap_or_default())?;
        Ok(Some(Live { id: reply.id, inputs: live_inputs, outputs }))
    }

    fn update(&self, resource: &Existing<'_>, inputs: &[(String, Value)]) -> Result<Updated, CallError> {
        self.unconfigured().map_or(Ok(()), Err)?;
        self.learn(&[resource.inputs, resource.outputs, inputs]);
        let message = |features: &Features| {
            let old = features.encoder(Contents::Omitted, Unknowns::Refused);
            let new = features.encoder(Contents::Sent, Unknowns::Refused);
            Ok(m::UpdateRequest {
                id: resource.id.to_owned(),
                urn: resource.urn.to_owned(),
                olds: Some(old.properties(resource.outputs)?),
                news: Some(new.properties(inputs)?),
                timeout: 0.0,
                ignore_changes: Vec::new(),
                preview: false,
                old_inputs: Some(old.properties(resource.inputs)?),
                name: name_of(resource.urn).to_owned(),
                type_token: resource.type_token.to_owned(),
            })
        };
        let (properties, features, errors) = match self.act::<_, m::UpdateResponse>(UPDATE, message) {
            Ok((reply, features)) => (reply.properties, features, Vec::new()),
            Err(failure) => match self.init_failed(&failure) {
                Some((detail, reasons)) => (detail.properties, self.current().connection.features(), reasons),
                None => return Err(self.error(failure)),
            },
        };
        let (outputs, init_errors) = self.outputs(properties, &features, inputs, resource.outputs, errors);
        Ok(Updated { outputs, init_errors })
    }

    fn delete(&self, resource: &Existing<'_>) -> Result<(), CallError> {
        self.unconfigured().map_or(Ok(()), Err)?;
        self.learn(&[resource.inputs, resource.outputs]);
        let message = |features: &Features| {
            let encoder = features.encoder(Contents::Omitted, Unknowns::Refused);
            Ok(m::DeleteRequest {
                id: resource.id.to_owned(),
                urn: resource.urn.to_owned(),
                properties: Some(encoder.properties(resource.outputs)?),
                timeout: 0.0,
                old_inputs: Some(encoder.properties(resource.inputs)?),
                name: name_of(resource.urn).to_owned(),
                type_token: resource.type_token.to_owned(),
            })
        };
        let reply = self.act::<_, m::Empty>(DELETE, message);
        reply.map(|_| ()).map_err(|failure| self.error(failure))
    }

    /// Returns at once.
    fn cancel(&self) {
        // It is locked while a provider starts again, and then no call runs.
        let Some(current) = self.try_current() else { return };
        let connection = Arc::clone(&current.connection);
        drop(current);
        connection.send(CANCEL, m::Empty {}, self.launch.grace);
        let grace = self.launch.grace;
        let end = move || {
            thread::sleep(grace);
            if connection.running.load(Ordering::SeqCst) > 0 {
                connection.kill();
            }
        };
        // Without a thread, the calls end with their own time.
        let _ = thread::Builder::new().name("provider cancellation".to_owned()).spawn(end);
    }
}

/// The name of a resource: the last part of its URN.
fn name_of(urn: &str) -> &str {
    urn.rsplit("::").next().unwrap_or(urn)
}

fn lost_or_answered(connection: &Connection, failure: Failure) -> CallFailure {
    match failure.reach {
        Reach::Answered => CallFailure::Answered(failure),
        Reach::NotSent => {
            let end = connection.end();
            CallFailure::Lost(failure, end)
        }
        // The time of the call may be over, while the process works.
        Reach::NoAnswer if failure.code == tonic::Code::DeadlineExceeded => CallFailure::Lost(failure, None),
        Reach::NoAnswer => {
            let end = connection.end();
            CallFailure::Lost(failure, end)
        }
    }
}

/// An answer that the provider gives in a field.
fn refused(message: String) -> Failure {
    let code = tonic::Code::InvalidArgument;
    Failure { reach: Reach::Answered, code, message, details: Vec::new() }
}

/// A detail of a failure, by the name of its message.
fn detail<M: Message + Default>(failure: &Failure, name: &str) -> Option<M> {
    let status = m::RpcStatus::decode(&*failure.details).ok()?;
    let found = status.details.iter().find(|one| one.type_url.rsplit('/').next() == Some(name))?;
    M::decode(&*found.value).ok()
}

/// The comparison of a provider. Nothing counts if it finds no change: one server always wants
/// deletions first.
pub(super) fn diff_of(reply: &m::DiffResponse) -> Diff {
    const NONE: i32 = 1;
    const SOME: i32 = 2;
    /// `ADD_REPLACE`, `DELETE_REPLACE`, `UPDATE_REPLACE`.
    const REPLACING: [i32; 3] = [1, 3, 5];
    if reply.changes == NONE {
        return Diff { has_changes: Some(false), ..Diff::default() };
    }
    let mut replaces = reply.replaces.clone();
    let detailed = reply.detailed_diff.iter().filter(|(_, diff)| REPLACING.contains(&diff.kind));
    let mut detailed: Vec<&String> =
        detailed.map(|(path, _)| path).filter(|path| !reply.replaces.contains(path)).collect();
    detailed.sort();
    replaces.extend(detailed.into_iter().cloned());
    let has_changes = (reply.changes == SOME).then_some(true);
    Diff { has_changes, replaces, deletes_first: reply.delete_before_replace }
}
