//! Providers: the calls that a deployment makes.

use coconut_format::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Properties of a resource, in their order.
pub type Properties = Vec<(String, Value)>;

/// A resource provider. Calls block, and may come from several threads at once.
///
/// Values are those of §15.7. An unknown value is only in the new inputs of
/// [`check`](Provider::check) and [`diff`](Provider::diff), and in those of `check` only for
/// previews. A secret has its JSON text under `plaintext`.
pub trait Provider: Send + Sync {
    /// Prepares the provider. Called once, before all other calls.
    fn configure(&self, configuration: &[(String, Value)]) -> Result<(), CallError>;

    /// Checks the inputs of a resource and adds defaults. Has no effect.
    fn check(&self, request: &CheckRequest<'_>) -> Result<Checked, CallError>;

    /// Compares the inputs of a resource with those that it has. Has no effect.
    fn diff(&self, request: &DiffRequest<'_>) -> Result<Diff, CallError>;

    /// Creates a resource.
    fn create(&self, urn: &str, type_token: &str, inputs: &[(String, Value)]) -> Result<Created, CallError>;

    /// Reads a resource. `None` if it does not exist.
    fn read(&self, resource: &Existing<'_>) -> Result<Option<Live>, CallError>;

    /// Changes a resource in place.
    fn update(&self, resource: &Existing<'_>, inputs: &[(String, Value)]) -> Result<Updated, CallError>;

    /// Deletes a resource.
    fn delete(&self, resource: &Existing<'_>) -> Result<(), CallError>;

    /// Requests that running calls end soon.
    fn cancel(&self);
}

/// A request to check inputs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckRequest<'r> {
    /// The URN of the resource.
    pub urn: &'r str,
    /// Its type.
    pub type_token: &'r str,
    /// The inputs that it has. Absent for a new resource and for a replacement.
    pub old_inputs: Option<&'r [(String, Value)]>,
    /// The inputs of the program.
    pub new_inputs: &'r [(String, Value)],
    /// A seed for random names. It is the same in each attempt to create one resource, and another
    /// one for its replacement.
    pub seed: [u8; 32],
}

impl<'r> CheckRequest<'r> {
    /// A request for a new resource, with a seed of zeros.
    pub fn new(urn: &'r str, type_token: &'r str, new_inputs: &'r [(String, Value)]) -> CheckRequest<'r> {
        CheckRequest { urn, type_token, old_inputs: None, new_inputs, seed: [0; 32] }
    }
}

/// A request to compare inputs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DiffRequest<'r> {
    /// The resource.
    pub resource: Existing<'r>,
    /// The new inputs.
    pub new_inputs: &'r [(String, Value)],
}

impl<'r> DiffRequest<'r> {
    /// A request.
    pub fn new(resource: Existing<'r>, new_inputs: &'r [(String, Value)]) -> DiffRequest<'r> {
        DiffRequest { resource, new_inputs }
    }
}

/// A resource that exists.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Existing<'r> {
    /// Its URN.
    pub urn: &'r str,
    /// Its type.
    pub type_token: &'r str,
    /// Its id.
    pub id: &'r str,
    /// The inputs with which it was created or changed last.
    pub inputs: &'r [(String, Value)],
    /// The properties that the provider has returned; empty if they are not known.
    pub outputs: &'r [(String, Value)],
}

impl<'r> Existing<'r> {
    /// A resource. Properties that are not known are empty.
    pub fn new(
        urn: &'r str,
        type_token: &'r str,
        id: &'r str,
        inputs: &'r [(String, Value)],
        outputs: &'r [(String, Value)],
    ) -> Existing<'r> {
        Existing { urn, type_token, id, inputs, outputs }
    }
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The inputs with defaults.
    pub inputs: Properties,
    /// The faults of the inputs: the property, or an empty text, and the reason.
    pub failures: Vec<(String, String)>,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Whether anything differs. Absent if the provider cannot tell: then the inputs are compared.
    pub has_changes: Option<bool>,
    /// The properties that force a replacement.
    pub replaces: Vec<String>,
    /// Whether a replacement needs the old resource to be deleted first.
    pub deletes_first: bool,
}

/// A created resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Created {
    /// Its id; not empty.
    pub id: String,
    /// Its properties.
    pub outputs: Properties,
    /// The reasons why the resource exists, but is not ready.
    pub init_errors: Vec<String>,
}

/// A changed resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Updated {
    /// Its properties.
    pub outputs: Properties,
    /// The reasons why the change was made, but the resource is not ready. The state then keeps the
    /// old inputs.
    pub init_errors: Vec<String>,
}

/// A resource that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// Its id.
    pub id: String,
    /// Its inputs, if the provider knows them.
    pub inputs: Option<Properties>,
    /// Its properties.
    pub outputs: Properties,
}

/// The failure of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// Whether the call may have had an effect.
    pub effect: Effect,
    /// The message of the provider, or of the connection to it.
    pub message: String,
}

/// The effect of a call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The provider has answered that nothing happened.
    None,
    /// Nothing is known: there was no answer, or the answer does not tell.
    Unknown,
}

impl CallError {
    /// A failure without an effect.
    pub fn rejected(message: impl Into<String>) -> CallError {
        CallError { effect: Effect::None, message: message.into() }
    }

    /// A failure that may have had an effect.
    pub fn unclear(message: impl Into<String>) -> CallError {
        CallError { effect: Effect::Unknown, message: message.into() }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}

/// The providers of a deployment, by the package of the types that they serve.
#[derive(Clone, Default)]
pub struct Providers {
    all: BTreeMap<String, (Arc<dyn Provider>, Properties)>,
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.all.keys()).finish()
    }
}

impl Providers {
    /// No providers.
    pub fn new() -> Providers {
        Providers::default()
    }

    /// Adds the provider of a package, with its configuration.
    #[must_use]
    pub fn with(
        mut self,
        package: &str,
        provider: Arc<dyn Provider>,
        configuration: Properties,
    ) -> Providers {
        self.all.insert(package.to_owned(), (provider, configuration));
        self
    }

    /// Sets the configuration of a provider. Without such a provider, nothing changes.
    pub fn set_configuration(&mut self, package: &str, configuration: Properties) {
        if let Some((_, old)) = self.all.get_mut(package) {
            *old = configuration;
        }
    }

    /// The provider of a type. The package is the part of the token before the first colon.
    pub(crate) fn of(&self, type_token: &str) -> Option<&Arc<dyn Provider>> {
        self.all.get(package_of(type_token)).map(|(provider, _)| provider)
    }

    /// Prepares all providers.
    ///
    /// # Errors
    /// The package whose provider refuses its configuration.
    pub(crate) fn configure(&self) -> Result<(), (String, CallError)> {
        for (package, (provider, configuration)) in &self.all {
            provider.configure(configuration).map_err(|error| (package.clone(), error))?;
        }
        Ok(())
    }
}

/// The package of a type.
pub(crate) fn package_of(type_token: &str) -> &str {
    type_token.split(':').next().unwrap_or_default()
}
