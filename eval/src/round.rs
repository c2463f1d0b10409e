//! §25.7 Rounds: the program of a deployment, run with the values that are known so far.

use crate::machine::{Host, Known, RegisteredResource};
use crate::naming::Naming;
use crate::outcome::Outcome;
use crate::property::Property;
use coconut_format::Value as Json;
use coconut_format::location::Location;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The resources that a deployment has finished: the id and the outputs of each URN.
pub type KnownResources = BTreeMap<String, (Option<String>, Vec<(String, Json)>)>;

/// The result of one round.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Round {
    /// The graph until the end of the round.
    pub outcome: Outcome,
    /// Present if the program needs a value that is not known yet, and ended there.
    pub suspension: Option<Suspension>,
}

/// The place where a program waits for a value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Suspension {
    /// The place in the source, if the package has it.
    pub location: Option<Location>,
}

/// Supplies what is known, and suspends the program where more is needed.
pub(crate) struct RoundHost<'k> {
    pub(crate) naming: Naming,
    pub(crate) known: &'k KnownResources,
}

impl Host for RoundHost<'_> {
    fn urn(
        &mut self,
        alloc: &str,
        parent: Option<&str>,
        ty: &str,
        name: Option<&str>,
        properties: &mut [(Arc<str>, Property)],
    ) -> String {
        self.naming.urn(alloc, parent, ty, name, properties)
    }

    fn registered(&mut self, all: &[RegisteredResource]) -> Known {
        let known = all.last().and_then(|resource| self.known.get(&*resource.urn));
        known.map_or_else(Known::default, |(id, outputs)| Known { id: id.clone(), outputs: outputs.clone() })
    }

    fn suspends(&self) -> bool {
        true
    }
}
