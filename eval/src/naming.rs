//! §15.3 URNs of the resources of a program.

use crate::machine::{Host, Known, RegisteredResource};
use crate::options::Options;
use crate::property::Property;
use crate::rules::{ProviderRules, fallback_name};
use coconut_format::urn::Urn;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Builds the URNs of resources.
#[derive(Clone, Debug)]
pub(crate) struct Naming {
    pub(crate) scheme: String,
    pub(crate) environment: String,
    pub(crate) rules: ProviderRules,
    /// The number of resources named after their class, by class.
    unnamed: HashMap<String, u32>,
}

impl Naming {
    pub(crate) fn new(options: &Options) -> Naming {
        Naming {
            scheme: options.scheme.clone(),
            environment: options.environment.clone(),
            rules: options.rules.clone(),
            unnamed: HashMap::new(),
        }
    }
}

impl Host for Naming {
    fn urn(
        &mut self,
        alloc: &str,
        parent: Option<&str>,
        ty: &str,
        name: Option<&str>,
        properties: &mut [(Arc<str>, Property)],
    ) -> String {
        let name = name.map(str::to_owned).or_else(|| self.rules.name(ty, properties));
        let name = name.unwrap_or_else(|| fallback_name(ty, &mut self.unnamed));
        urn_of(&self.scheme, &self.environment, alloc, &qualified_type(parent, ty), &name)
    }

    fn registered(&mut self, _: &[RegisteredResource]) -> Known {
        Known::default()
    }
}

/// The part of a URN that names the program. In Pulumi's URNs it is the package alone.
pub(crate) fn alloc_of(scheme: &str, package: &str, module: &str) -> String {
    if scheme == "pulumi" { package.to_owned() } else { format!("{package}:{module}") }
}

/// The type in a URN: that of the resource after those of its parents. The parent of everything in
/// a stack is not among them.
pub(crate) fn qualified_type<'t>(parent: Option<&str>, ty: &'t str) -> Cow<'t, str> {
    const STACK: &str = "pulumi:pulumi:Stack";
    match parent.and_then(|parent| Urn::parse(parent).ok()).map(Urn::qualified_type) {
        None | Some(STACK) => ty.into(),
        Some(parent) => format!("{parent}${ty}").into(),
    }
}

/// §15.3 A URN. Without a scheme, it has the form of February 2017.
pub(crate) fn urn_of(scheme: &str, environment: &str, alloc: &str, ty: &str, name: &str) -> String {
    let prefix = if scheme.is_empty() { String::new() } else { format!("urn:{scheme}:") };
    format!("{prefix}{environment}::{alloc}::{ty}::{name}")
}
