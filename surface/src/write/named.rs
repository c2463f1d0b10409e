//! The name of a definition in the target.

use crate::write::legal::{legal_module, legal_name};
use std::rc::Rc;

/// The module and the name of a definition.
///
/// Both texts are shared: a large schema has tens of thousands of definitions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub(crate) module: Rc<str>,
    pub(crate) name: Rc<str>,
}

impl Named {
    pub(crate) fn of(module: impl AsRef<str>, name: impl AsRef<str>) -> Named {
        Named { module: legal_module(module.as_ref()).into(), name: legal_name(name.as_ref()).into() }
    }
}
