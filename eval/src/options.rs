//! Options of an evaluation.

use crate::limits::Limits;
use crate::rules::ProviderRules;
use coconut_format::Value as Json;

/// What an evaluation is given besides packages.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The environment, a part of each URN.
    pub environment: String,
    /// The first part of each URN: `coconut`, `lumi` or `pulumi`; none if it is empty.
    pub scheme: String,
    /// Values of variables of modules and classes, by token.
    pub configuration: Vec<(String, Json)>,
    /// Arguments of `.main`, by name.
    pub arguments: Vec<(String, Json)>,
    /// What providers would do.
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
