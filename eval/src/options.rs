//! Options of an evaluation.

use crate::limits::Limits;
use crate::rules::ProviderRules;
use coconut_format::Value as Json;

/// The inputs of an evaluation other than packages.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The environment, a part of each URN.
    pub environment: String,
    /// The prefix of each URN: `coconut`, `lumi` or `pulumi`; without a prefix if empty.
    pub scheme: String,
    /// Values for variables of modules and classes, by token.
    pub configuration: Vec<(String, Json)>,
    /// Arguments for `.main`, by name.
    pub arguments: Vec<(String, Json)>,
    /// The rules that stand in for providers.
    pub rules: ProviderRules,
    /// Bounds.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            environment: "dev".to_owned(),
            scheme: "coconut".to_owned(),
            configuration: Vec::new(),
            arguments: Vec::new(),
            rules: ProviderRules::default(),
            limits: Limits::default(),
        }
    }
}
