//! §16.3 The class of a difference by its place: the table `differences.tsv`.

use crate::value::places::{PlacePattern, is_like};

coconut_format::named! {
    /// The subject of a difference. It decides whether the difference counts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Class, ALL {
        /// All other differences.
        Value = "value";
        /// A reference to another resource.
        Edge = "edge";
        /// The identity and the treatment of the resource: its id, type, provider, parent, or
        /// whether a value is secret.
        Identity = "identity";
        /// One side is not known yet.
        Unknown = "unknown";
        /// The place is secret, and the stored forms differ.
        Secret = "secret";
        /// The same content in another order or spelling.
        Order = "order";
        /// Notes of a tool next to the content: times, versions, states of controllers.
        Metadata = "metadata";
        /// Outside resources.
        Front = "front";
    }
    /// The word used in registries and reports.
    pub fn name;
}

/// The scope of a comparison, which selects the rows of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'s> {
    /// The name of the dialect of the new document.
    pub dialect: Option<&'s str>,
    /// The type of the resource, or `None` outside resources.
    pub resource_type: Option<&'s str>,
    /// Whether the places are outside resources.
    pub is_front: bool,
}

impl Scope<'_> {
    /// Whether a row with these columns applies here.
    pub(super) fn is_of(&self, dialects: &str, types: &str) -> bool {
        let is_of_type = match (types, self.is_front) {
            ("-", is_front) => is_front,
            (_, true) => false,
            (types, false) => {
                let own = self.resource_type.unwrap_or_default();
                types.split(' ').any(|types| is_like(types, own))
            }
        };
        is_of_type && is_like(dialects, self.dialect.unwrap_or_default())
    }
}

/// The rows of the registry: dialects, types, place, class.
const ROWS: &str = include_str!("differences.tsv");

/// The rows that apply in one scope.
#[derive(Clone, Debug)]
pub struct ClassRules(Vec<(PlacePattern, Class)>);

impl ClassRules {
    /// The rules of a scope.
    pub fn of(scope: &Scope<'_>) -> ClassRules {
        let rows = rows(ROWS).filter(|[dialects, types, ..]| scope.is_of(dialects, types));
        let parsed = rows.filter_map(|[_, _, place, class]| {
            let class = Class::ALL.into_iter().find(|known| known.name() == class)?;
            Some((PlacePattern::parse(place).ok()?, class))
        });
        ClassRules(parsed.collect())
    }

    /// The class of a place, if a row defines one.
    pub fn class_of(&self, place: &str) -> Option<Class> {
        self.0.iter().find(|(pattern, _)| pattern.covers(place)).map(|&(_, class)| class)
    }
}

/// The rows of a registry of four columns, without its heading and remarks.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = [&'static str; 4]> {
    table.lines().skip(1).filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut columns = line.split('\t');
        Some([columns.next()?, columns.next()?, columns.next()?, columns.next()?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::landmark::DIALECTS;

    #[test]
    fn the_table_is_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/differences.tsv");
        assert!(std::fs::read_to_string(path).unwrap() == ROWS, "differences.tsv differs from the registry");
    }

    #[test]
    fn every_row_has_an_effect() {
        for [dialects, _, place, class] in rows(ROWS) {
            assert!(DIALECTS.iter().any(|dialect| is_like(dialects, dialect.name)), "{dialects}");
            assert!(PlacePattern::parse(place).is_ok(), "{place}");
            assert!(Class::ALL.iter().any(|known| known.name() == class), "{class}");
        }
        let lines = ROWS.lines().skip(1).filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), rows(ROWS).count(), "a row has four columns");
    }

    #[test]
    fn a_row_holds_in_its_scope() {
        let scope = Scope { dialect: Some("pulumi-export"), resource_type: Some("a:b:C"), is_front: false };
        let rules = ClassRules::of(&scope);
        assert_eq!(rules.class_of("/id"), Some(Class::Identity));
        assert_eq!(rules.class_of("/dependencies/3"), Some(Class::Edge));
        assert_eq!(rules.class_of("/inputs/id"), None);
        assert_eq!(rules.class_of("/inputs/version"), None);
        let provider = Scope { resource_type: Some("pulumi:providers:aws"), ..scope };
        assert_eq!(ClassRules::of(&provider).class_of("/inputs/version"), Some(Class::Metadata));
        let front = ClassRules::of(&Scope { is_front: true, resource_type: None, ..scope });
        assert_eq!(front.class_of("/deployment/manifest/time"), Some(Class::Metadata));
        assert_eq!(front.class_of("/id"), None);
    }
}
