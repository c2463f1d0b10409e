//! §14 Verification. Possible faults of a well-formed tree, as rules with stable ids.
//!
//! A rule is data: id, severity, section, a summary for a list, the fault stated in a finding, and
//! an explanation for `coco explain`. Each part of the model declares its rules with one `rules!`
//! list. All lists together are the registry `spec/model/registry/rules.tsv`. Verification reports
//! every finding, each with its place as a JSON pointer.

mod bodies;
mod classes;
mod conversion;
mod definitions;
mod expressions;
mod facets;
mod file_rules;
mod finding;
mod graph;
mod graph_rules;
mod listing;
mod operators;
mod package;
mod package_rules;
mod stream_rules;
mod structure;
mod symbols;

use crate::pointer::Pointer;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use file_rules::{FILE_RULES, is_package_name, verify_file_name};
pub use finding::Finding;
pub use graph::verify_graph;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use graph::{
    GraphBreach, GraphPlace, find_places, is_amiss, verify_connections, verify_fields, verify_name,
    verify_references, verify_values,
};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use listing::{Listed, Listing};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use package::verify_as_package;
pub use package::verify_package;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use {graph_rules::GRAPH_RULES, package_rules::PACKAGE_RULES, stream_rules::STREAM_RULES};

#[cfg(not(feature = "tooling"))]
use {
    file_rules::FILE_RULES, graph_rules::GRAPH_RULES, package_rules::PACKAGE_RULES,
    stream_rules::STREAM_RULES,
};

use std::fmt;

crate::named! {
    /// The severity of a finding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Worth knowing; no change is required.
        Note = "note";
        /// Probably unintended, or not portable.
        Warning = "warning";
        /// The document violates the model.
        Error = "error";
    }
    /// The word for it in the registry and in messages.
    pub fn name;
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One rule of the registry. The id never changes its meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable id, such as `PKG-NAME`.
    pub id: &'static str,
    /// The severity of a violation.
    pub severity: Severity,
    /// The numbers of the same diagnostic in the Coconut 2017 toolchain, in its last numbering; may
    /// be empty.
    pub original: &'static [u16],
    /// The section that defines the rule.
    pub section: &'static str,
    /// The requirement, in one line in lower case.
    pub summary: &'static str,
    /// The fault if the rule is violated, in one line in lower case. `{found}` in it is replaced by
    /// the value found.
    pub fault: &'static str,
    /// The reason for the rule, and the remedy for a violation.
    pub explanation: &'static str,
}

impl Rule {
    /// The rule with this id. Linear in the number of rules.
    pub fn by_id(id: &str) -> Option<&'static Rule> {
        Rule::all().find(|rule| rule.id == id)
    }

    /// All rules, in the order of the registry.
    pub fn all() -> impl Iterator<Item = &'static Rule> {
        LISTS.iter().flat_map(|list| list.iter().copied())
    }
}

/// The lists that make up the registry, in its order.
static LISTS: &[&[&Rule]] = &[PACKAGE_RULES, FILE_RULES, GRAPH_RULES, STREAM_RULES];

/// Declares the rules of one part of the model, and the list of them.
///
/// `NAME = "PKG-NAME", Error, [500], "§12", "summary", "fault", "explanation";` defines the static
/// `NAME`, documented by its summary, and adds it to the list.
macro_rules! rules {
    (
        $(#[doc = $list_doc:literal])+
        $list:ident:
        $( $name:ident = $id:literal, $severity:ident, [$($original:literal),*], $section:literal, $summary:literal, $fault:literal, $explanation:literal; )+
    ) => {
        $(
            #[doc = $summary]
            pub(crate) static $name: $crate::verify::Rule = $crate::verify::Rule {
                id: $id,
                severity: $crate::verify::Severity::$severity,
                original: &[$($original),*],
                section: $section,
                summary: $summary,
                fault: $fault,
                explanation: $explanation,
            };
        )+

        $(#[doc = $list_doc])+
        pub static $list: &[&$crate::verify::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/rules.tsv");

    fn registry_of_code() -> String {
        let mut text = "id\tseverity\toriginal\tsection\tsummary\tfault\texplanation\n".to_owned();
        for rule in Rule::all() {
            let original: Vec<String> = rule.original.iter().map(u16::to_string).collect();
            let cells = [
                rule.id,
                rule.severity.name(),
                &original.join(","),
                rule.section,
                rule.summary,
                rule.fault,
                rule.explanation,
            ];
            text.push_str(&cells.join("\t"));
            text.push('\n');
        }
        text
    }

    #[test]
    fn the_registry_file_is_the_list_in_code() {
        let expected = registry_of_code();
        if std::env::var_os("COCONUT_BLESS").is_some() {
            std::fs::write(REGISTRY, &expected).unwrap();
        }
        let found = std::fs::read_to_string(REGISTRY).unwrap();
        for (line, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
            assert_eq!(expected, found, "line {} of rules.tsv (COCONUT_BLESS=1 rewrites it)", line + 1);
        }
        assert_eq!(expected.lines().count(), found.lines().count());
    }

    #[test]
    fn rule_ids_are_distinct_and_findable() {
        for rule in Rule::all() {
            assert_eq!(Rule::by_id(rule.id).map(std::ptr::from_ref), Some(std::ptr::from_ref(rule)));
        }
    }

    #[test]
    fn rule_texts_fit_a_table() {
        for rule in Rule::all() {
            for text in [rule.summary, rule.fault, rule.explanation] {
                assert!(!text.contains(['\t', '\n']) && !text.is_empty(), "{}", rule.id);
            }
            assert!(!rule.summary.ends_with('.') && !rule.fault.ends_with('.'), "{}", rule.id);
            assert!(rule.fault != rule.summary && rule.explanation.ends_with('.'), "{}", rule.id);
        }
    }
}
