//! §24.6 Names of attributes. A stream has only their values, in the order of the type.

use crate::dialect::Dialect;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The attributes of known types, by dialect. Where the order of a dialect is not known, the table
/// has the names up to that place, or `-`.
const TABLE: &str = include_str!("attributes.tsv");

/// A set of types that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// The syntax trees of Puppet 4 before 5.0, and the types of the same release.
    Ruby48,
    /// Puppet 5.0 and later.
    Ruby,
    Java,
}

impl Model {
    /// The attributes of `Puppet::AST::Program` in the old model. The new one has at most three.
    pub(crate) const OLD_PROGRAM: u32 = 7;

    /// The model of a dialect. Until 5.0, the syntax trees of all releases were of the old model.
    pub(crate) fn of(dialect: Dialect, has_old_program: bool) -> Model {
        match dialect {
            Dialect::Java01 => Model::Java,
            _ if has_old_program => Model::Ruby48,
            Dialect::Ruby48 => Model::Ruby48,
            Dialect::Ruby49 | Dialect::Ruby54 => Model::Ruby,
        }
    }
}

static ROWS: LazyLock<HashMap<&'static str, [Vec<&'static str>; 3]>> = LazyLock::new(|| {
    let rows = TABLE.lines().skip(1).map(|line| {
        let mut columns = line.split('\t');
        let name = columns.next().unwrap_or_default();
        let mut names = || {
            let column = columns.next().filter(|column| *column != "-");
            column.map(|column| column.split(' ').collect()).unwrap_or_default()
        };
        (name, [names(), names(), names()])
    });
    rows.collect()
});

/// The names of the attributes of a type. Empty if they are not known.
pub(crate) fn names_of(model: Model, name: &str) -> &'static [&'static str] {
    let column = match model {
        Model::Ruby48 => 0,
        Model::Ruby => 1,
        Model::Java => 2,
    };
    ROWS.get(name).map_or(&[], |columns| &columns[column])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_complete_and_names_distinct() {
        assert!(ROWS.len() > 90, "{}", ROWS.len());
        for line in TABLE.lines() {
            assert_eq!(line.split('\t').count(), 4, "{line}");
        }
        for (name, columns) in &*ROWS {
            for names in columns {
                let mut sorted = names.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), names.len(), "{name}");
            }
        }
    }

    #[test]
    fn the_models_have_another_order() {
        let name = "Puppet::AST::LiteralInteger";
        assert_eq!(names_of(Model::Ruby, name), ["locator", "offset", "length", "value", "radix"]);
        assert_eq!(names_of(Model::Ruby48, name), ["radix", "value", "offset", "length"]);
        assert_eq!(names_of(Model::Java, name), [""; 0]);
    }
}
