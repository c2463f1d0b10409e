//! §15.1 Dialects: known kinds of documents, and the landmark rule of each.
//!
//! The table equals the registry `spec/model/registry/dialects.tsv`. A reader needs neither: the
//! header contains the rule.

mod condition;
mod table;

pub use table::DIALECTS;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use table::PACKAGE_DIALECT;

use super::LandmarkRule;
use super::automatic::automatic_rule;
use super::walk::Trail;
use crate::node::Node;
use condition::{first_at, holds};
use std::sync::OnceLock;

crate::named! {
    /// Constraints on the edges of a dialect's graphs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum CycleRule {
        /// No constraint; also for documents without edges.
        Any = "any";
        /// Without cycles.
        Acyclic = "acyclic";
        /// Without cycles, and each landmark after those that it depends on.
        Ordered = "ordered";
    }
    /// The word in the registry.
    pub fn name;
}

/// The patterns of landmarks that only contain others, by dialect.
const SECTIONS: [(&str, &str); 2] =
    [("terraform-state-3", "/modules/*[{path|modules}]"), ("cloudformation", "/Outputs")];

/// A kind of document, recognised by its content.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Stable name, for instance `pulumi-checkpoint`.
    pub name: &'static str,
    /// The `document-type` of such documents.
    pub document_type: &'static str,
    /// The conditions for recognising such a document: alternatives separated by ` | `, each a list
    /// of conditions that must all hold.
    ///
    /// A document that lacks one key should still be recognised, so that verification can report
    /// it. `condition.rs` defines the conditions.
    pub when: &'static str,
    /// Landmark patterns.
    pub patterns: &'static [&'static str],
    /// Join of full keys.
    pub join: Option<&'static str>,
    /// Edge patterns.
    pub edges: &'static [&'static str],
    /// Paths where a document may name a key other than `#ref` for its reference objects. The first
    /// one counts.
    pub tag: &'static [&'static str],
    /// Whether cycles and disorder are faults.
    pub cycles: CycleRule,
    /// The fields required in every resource of a graph: `urn:string` requires a value of a kind
    /// under a key. Resources are the values at the first pattern.
    pub needs: &'static [&'static str],
    /// Whether two resources with one key are a fault, where keys come from fields.
    pub has_unique_keys: bool,
    /// The references that may lead out of the document: edge kinds, and conditions for whole
    /// documents. A kind has the prefix of such references after `^` if only some may.
    pub elsewhere: &'static [&'static str],
}

impl Dialect {
    /// The dialect with this name.
    pub fn named(name: &str) -> Option<&'static Dialect> {
        DIALECTS.iter().find(|dialect| dialect.name == name)
    }

    /// The first dialect whose conditions hold for `root`. Costs a few key lookups per dialect.
    pub fn of<'a, N: Node<'a>>(root: N) -> Option<&'static Dialect> {
        DIALECTS.iter().find(|dialect| dialect.recognises(root))
    }

    /// Whether a document is of this dialect, regardless of the others in the table.
    pub fn recognises<'a, N: Node<'a>>(&self, root: N) -> bool {
        self.when.split(" | ").any(|conditions| conditions.split_whitespace().all(|text| holds(root, text)))
    }

    /// The landmark rule for `root`, a document of this dialect, with the reference key that it
    /// names.
    pub fn rule<'a, N: Node<'a>>(&self, root: N) -> LandmarkRule {
        let rule = self.table_rule();
        match self.reference_tag(root) {
            Some(tag) => rule.with_tag(tag),
            None => rule,
        }
    }

    /// The landmark rule of the table, for documents that name no reference key of their own.
    ///
    /// For an entry of [`DIALECTS`] it is parsed once per process, since that takes two fifths of
    /// the instructions of opening a file.
    ///
    /// # Panics
    ///
    /// If the dialect is not from the table, and its patterns are not a rule.
    pub fn table_rule(&self) -> LandmarkRule {
        static RULES: [OnceLock<LandmarkRule>; DIALECTS.len()] = [const { OnceLock::new() }; DIALECTS.len()];
        let parse = || {
            LandmarkRule::parse(self.patterns, self.join, self.edges).expect("a test parses every dialect")
        };
        match DIALECTS.iter().position(|dialect| std::ptr::eq(dialect, self)) {
            Some(number) => RULES[number].get_or_init(parse).clone(),
            None => parse(),
        }
    }

    /// Whether the keys of resources are URNs, as Pulumi stores them.
    pub fn has_urns(&self) -> bool {
        self.patterns.first().is_some_and(|pattern| pattern.ends_with("[urn]"))
    }

    /// The number of the pattern in `rule` whose landmarks only contain others: the modules of an
    /// old state, and the outputs of a template. They are not resources (§16.2).
    #[doc(hidden)]
    pub fn section(&self, rule: &LandmarkRule) -> Option<u8> {
        let section = SECTIONS.iter().find(|(name, _)| *name == self.name)?.1;
        (0..).zip(rule.patterns()).find(|(_, pattern)| pattern.to_string() == section).map(|(class, _)| class)
    }

    /// Whether all references in `root`, a document of this dialect, may lead out of it.
    pub fn is_open<'a, N: Node<'a>>(&self, root: N) -> bool {
        self.elsewhere.iter().any(|text| text.starts_with('/') && holds(root, text))
    }

    /// Whether the reference `target` of an edge of this kind may lead out of the document.
    pub fn may_lead_elsewhere(&self, kind: &str, target: &str) -> bool {
        self.elsewhere.iter().any(|text| match text.split_once('^') {
            Some((of_kind, beginning)) => of_kind == kind && target.starts_with(beginning),
            None => *text == kind,
        })
    }

    /// The key of reference objects that `root` names instead of `#ref`.
    fn reference_tag<'a, N: Node<'a>>(&self, root: N) -> Option<&'a str> {
        self.named_tag(root)?.1.as_str()
    }

    /// The place at which `root` names the key of its reference objects, and the string there.
    pub(crate) fn named_tag<'a, N: Node<'a>>(&self, root: N) -> Option<(&'static str, N)> {
        let at = |path: &'static str| Some((path, first_at(root, path)?));
        self.tag.iter().find_map(|path| at(path).filter(|(_, name)| name.as_str().is_some()))
    }

    /// Whether a value at this path is in a resource: below the first pattern.
    pub(crate) fn is_in_resource(&self, path: &[Trail<'_>]) -> bool {
        let Some(pattern) = self.patterns.first() else { return false };
        let mut steps = path.iter();
        let is_on_way = pattern.split('/').skip(1).all(|segment| match (segment, steps.next()) {
            ("*", Some(_)) => true,
            (name, Some(Trail::Entry(entry))) => *entry == name,
            _ => false,
        });
        is_on_way && steps.next().is_some()
    }
}

/// The kind of a document, by its content.
#[derive(Clone, Debug)]
pub struct Detection {
    /// `cocopack`, `cocogl`, or `document` for everything else.
    pub document_type: &'static str,
    /// The dialect, unless the automatic rule was used.
    pub dialect: Option<&'static Dialect>,
    /// The landmark rule for the header.
    pub rule: LandmarkRule,
}

/// Detects the kind of `root`. `size` returns the bytes of a value as minified JSON, for the
/// [automatic rule](automatic_rule) of documents without a dialect.
pub fn detect<'a, N: Node<'a>>(root: N, size: impl Fn(N) -> u64) -> Detection {
    match Dialect::of(root) {
        Some(dialect) => Detection {
            document_type: dialect.document_type,
            dialect: Some(dialect),
            rule: dialect.rule(root),
        },
        None => Detection { document_type: "document", dialect: None, rule: automatic_rule(root, size) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn every_dialect_has_a_rule() {
        for dialect in DIALECTS {
            let rule = LandmarkRule::parse(dialect.patterns, dialect.join, dialect.edges).unwrap();
            assert!(!rule.is_empty(), "{}", dialect.name);
            // The rule of the table, once more, and that of a copy of the entry.
            let copy = *dialect;
            assert_eq!(
                [dialect, dialect, &copy].map(Dialect::table_rule),
                [(); 3].map(|()| rule.clone()),
                "{}",
                dialect.name
            );
        }
    }

    #[test]
    fn the_table_is_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/dialects.tsv");
        let registry = std::fs::read_to_string(path).unwrap();
        let list = |texts: &[&str]| if texts.is_empty() { "-".to_owned() } else { texts.join(" ") };
        let mut table = String::from(
            "name\tdocument-type\twhen\tpatterns\tjoin\tedges\ttag\tcycles\tneeds\tkeys\telsewhere\n",
        );
        for dialect in DIALECTS {
            let join = dialect.join.map_or("-".to_owned(), |join| format!("`{join}`"));
            let columns = [
                dialect.name,
                dialect.document_type,
                &dialect.when.split_whitespace().collect::<Vec<_>>().join(" "),
                &list(dialect.patterns),
                &join,
                &list(dialect.edges),
                &list(dialect.tag),
                dialect.cycles.name(),
                &list(dialect.needs),
                if dialect.has_unique_keys { "unique" } else { "any" },
                &list(dialect.elsewhere),
            ];
            table.push_str(&columns.join("\t"));
            table.push('\n');
        }
        if std::env::var_os("COCONUT_BLESS").is_some() {
            return std::fs::write(path, table).unwrap();
        }
        assert!(
            registry == table,
            "spec/model/registry/dialects.tsv is not current; COCONUT_BLESS=1 writes it anew"
        );
    }

    fn object(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[track_caller]
    fn name(root: &Value) -> &'static str {
        Dialect::of(root).map_or("none", |dialect| dialect.name)
    }

    #[test]
    fn tells_lists_of_resources_from_maps_of_resources() {
        let list =
            object([("latest", object([("resources", Value::List(vec![object([("urn", text("u"))])]))]))]);
        let map =
            object([("latest", object([("resources", object([("u", object([("type", text("t"))]))]))]))]);
        assert_eq!(name(&list), "pulumi-environment");
        assert_eq!(name(&map), "coconut-environment");
    }

    #[test]
    fn a_version_of_another_number_is_another_dialect() {
        let state = |version: u64| {
            object([
                ("version", Value::Integer(version.into())),
                ("terraform_version", text("1.0.0")),
                ("resources", Value::List(Vec::new())),
            ])
        };
        assert_eq!(name(&state(4)), "terraform-state-4");
        assert_eq!(name(&state(5)), "none");
    }

    #[test]
    fn a_package_schema_with_resources_is_not_a_graph() {
        let schema = object([
            ("name", text("aws")),
            ("resources", object([("aws:s3/bucket:Bucket", object([("type", text("object"))]))])),
        ]);
        assert_eq!(name(&schema), "pulumi-schema");
        let detection = detect(&schema, |_| 1);
        assert_eq!(detection.document_type, "document");
        assert_eq!(detection.rule.patterns()[0].to_string(), "/resources/*");
    }

    #[test]
    fn sections_are_patterns_of_their_dialect() {
        let found = DIALECTS.iter().map(|dialect| (dialect.name, dialect.section(&dialect.table_rule())));
        let found: Vec<_> = found.filter_map(|(name, section)| Some((name, section?))).collect();
        assert_eq!(found, [("terraform-state-3", 1), ("cloudformation", 2)]);
        let other = LandmarkRule::parse(&["/Outputs/*", "/Outputs"], None, &[]).unwrap();
        assert_eq!(Dialect::named("cloudformation").unwrap().section(&other), Some(1));
    }

    #[test]
    fn some_references_may_lead_out_of_the_document() {
        let dialect = Dialect::named("cloudformation").unwrap();
        let of = |kind, target| dialect.may_lead_elsewhere(kind, target);
        assert!(of("get-att", "Arn") && of("ref", "AWS::Region"));
        assert!(!of("ref", "Region") && !of("depends-on", "AWS::Region"));
        let template =
            |more: Option<(&'static str, Value)>| object([("Resources", object([]))].into_iter().chain(more));
        assert!(!dialect.is_open(&template(None)));
        assert!(dialect.is_open(&template(Some(("Transform", text("AWS::Serverless-2016-10-31"))))));
    }

    #[test]
    fn a_document_names_its_own_reference_key() {
        let graph = |front: Option<(&'static str, &str)>| {
            object(front.map(|(key, tag)| (key, text(tag))).into_iter().chain([("vertices", object([]))]))
        };
        let edge = |root: &Value| Dialect::of(root).unwrap().rule(root).edges()[0].to_string();
        assert_eq!(edge(&graph(None)), "ref=0(/*)*/{#ref}");
        assert_eq!(edge(&graph(Some(("ref", "@@r")))), "ref=0(/*)*/{@@r}");
        assert_eq!(edge(&graph(Some(("refs", "a/{b}")))), "ref=0(/*)*/{a~1~{b~}}");
    }
}
