//! Names that are taken.

use std::borrow::Cow;
use std::collections::HashMap;

/// Used names of properties or definitions, each with the next number to try.
#[derive(Default)]
pub(crate) struct Taken<'a>(HashMap<Cow<'a, str>, u64>);

impl<'a> Taken<'a> {
    /// Takes a name, or a similar one with a number.
    pub(crate) fn take(&mut self, wanted: Cow<'a, str>) -> Cow<'a, str> {
        let Some(next) = self.0.get(&wanted).copied() else {
            self.0.insert(wanted.clone(), 2);
            return wanted;
        };
        let mut free = (next..).map(|number| (number, Cow::Owned(format!("{wanted}_{number}"))));
        let free = free.find(|(_, name)| !self.0.contains_key(name));
        let (number, name) = free.expect("there are more numbers than names");
        self.0.insert(name.clone(), 2);
        self.0.insert(wanted, number.saturating_add(1));
        name
    }
}
