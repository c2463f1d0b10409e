//! §15.1 Dialects: the kinds of documents in use, and the landmark rule of each.
//!
//! The table is the registry `spec/registry/dialects.tsv`. A reader needs neither: the rule that a
//! writer took from it is in the header.

use super::LandmarkRule;
use super::automatic::automatic_rule;
use crate::node::{Kind, Node};
use std::sync::OnceLock;

/// How the edges of a dialect's graphs may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleRule {
    /// In any way; also for documents without edges.
    Any,
    /// Without cycles.
    Acyclic,
    /// Without cycles, and each landmark after those that it depends on.
    Ordered,
}

impl CycleRule {
    /// The word in the registry.
    pub fn name(self) -> &'static str {
        match self {
            CycleRule::Any => "any",
            CycleRule::Acyclic => "acyclic",
            CycleRule::Ordered => "ordered",
        }
    }
}

/// A kind of document that is recognised by its content.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Stable name, for instance `pulumi-checkpoint`.
    pub name: &'static str,
    /// The `document-type` of such documents.
    pub document_type: &'static str,
    /// How to recognise such a document: alternatives separated by ` | `, each a list of conditions
    /// that must all hold.
    ///
    /// A condition is a path and what is there: `/resources:list` for a value of a kind,
    /// `/version=4` for an integer. `*` in a path is the first entry or item. A document that lacks
    /// one key should still be recognised, so that verification can report the key.
    pub when: &'static str,
    /// Landmark patterns.
    pub patterns: &'static [&'static str],
    /// Join of full keys.
    pub join: Option<&'static str>,
    /// Edge patterns.
    pub edges: &'static [&'static str],
    /// Paths where a document may name another key than `#ref` for its reference objects. The first
    /// one counts.
    pub tag: &'static [&'static str],
    /// Whether cycles and disorder are faults.
    pub cycles: CycleRule,
    /// The fields that every resource of a graph needs: `urn:string` is a value of a kind under a
    /// key. Resources are the values that the first pattern leads to.
    pub needs: &'static [&'static str],
}

/// Edges from a Pulumi resource. Deployments since 2017 have some of these fields.
const PULUMI_EDGES: &[&str] = &[
    "parent=0/parent",
    "dependency=0/dependencies/*",
    "property=0/propertyDependencies/*/*",
    "provider=0/provider<::",
    "deleted-with=0/deletedWith",
    "replace-with=0/replaceWith/*",
    "view-of=0/viewOf",
];

/// The fields of a Pulumi resource since there are URNs.
const PULUMI_NEEDS: &[&str] = &["urn:string", "type:string"];

/// The fields of a resource in the first graphs. Its key is that of its entry.
const COCONUT_NEEDS: &[&str] = &["type:string"];

/// The edge of graphs that write a reference as an object of one entry.
const REFERENCE_EDGES: &[&str] = &["ref=0(/*)*/{#ref}"];

/// All dialects, in the order in which they are tried.
pub static DIALECTS: &[Dialect] = &[
    Dialect {
        name: "package",
        document_type: "cocopack",
        when: "/name:string /modules:object | /modules/*/kind:string",
        patterns: &["[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*"],
        join: Some(":"),
        edges: &[],
        tag: &[],
        cycles: CycleRule::Any,
        needs: &[],
    },
    Dialect {
        name: "pulumi-checkpoint",
        document_type: "cocogl",
        when: "/checkpoint/latest:object",
        patterns: &["/checkpoint/latest/resources/*[urn]"],
        join: None,
        edges: PULUMI_EDGES,
        tag: &[],
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
    },
    Dialect {
        name: "pulumi-export",
        document_type: "cocogl",
        when: "/deployment/resources:list | /deployment/manifest:object",
        patterns: &["/deployment/resources/*[urn]"],
        join: None,
        edges: PULUMI_EDGES,
        tag: &[],
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
    },
    Dialect {
        name: "pulumi-environment",
        document_type: "cocogl",
        when: "/latest/resources:list",
        patterns: &["/latest/resources/*[urn]"],
        join: None,
        edges: PULUMI_EDGES,
        tag: &[],
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
    },
    Dialect {
        name: "pulumi-deployment",
        document_type: "cocogl",
        when: "/resources/*/urn:string | /manifest:object /resources:list",
        patterns: &["/resources/*[urn]"],
        join: None,
        edges: PULUMI_EDGES,
        tag: &[],
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
    },
    Dialect {
        name: "terraform-state-4",
        document_type: "cocogl",
        when: "/version=4 /terraform_version:string /resources:list",
        patterns: &[
            "/resources/*[({module}.)({mode=data}.){type}.{name}]",
            "/resources/*/instances/*[~[{index_key|json}~]]",
        ],
        join: Some(""),
        edges: &["dependency=1/dependencies/*", "dependency=1/depends_on/*"],
        tag: &[],
        cycles: CycleRule::Acyclic,
        needs: &["mode:string", "type:string", "name:string", "instances:list"],
    },
    Dialect {
        name: "terraform-state-3",
        document_type: "cocogl",
        when: "/version:integer /modules/*/resources:object",
        patterns: &["/modules/*/resources/*"],
        join: None,
        edges: &["dependency=0/depends_on/*"],
        tag: &[],
        cycles: CycleRule::Acyclic,
        needs: &["type:string"],
    },
    Dialect {
        name: "terraform-plan",
        document_type: "cocogl",
        when: "/format_version:string /resource_changes:list | /format_version:string /planned_values:object",
        patterns: &["/resource_changes/*[address]"],
        join: None,
        edges: &[],
        tag: &[],
        cycles: CycleRule::Any,
        needs: &["address:string", "type:string", "change:object"],
    },
    Dialect {
        name: "terraform-show",
        document_type: "cocogl",
        when: "/format_version:string /values/root_module:object",
        patterns: &["/values/root_module(/child_modules/*)*/resources/*[address]"],
        join: None,
        edges: &["dependency=0/depends_on/*"],
        tag: &[],
        cycles: CycleRule::Acyclic,
        needs: &["address:string", "type:string"],
    },
    Dialect {
        name: "coconut-environment",
        document_type: "cocogl",
        when: "/latest/resources:object | /target:string /latest:object | /husk:string",
        patterns: &["/latest/resources/*"],
        join: None,
        edges: REFERENCE_EDGES,
        tag: &["/latest/reftag"],
        cycles: CycleRule::Ordered,
        needs: COCONUT_NEEDS,
    },
    Dialect {
        name: "coconut-snapshot",
        document_type: "cocogl",
        when: "/package:string /resources:object",
        patterns: &["/resources/*"],
        join: None,
        edges: REFERENCE_EDGES,
        tag: &["/refs", "/ref"],
        cycles: CycleRule::Ordered,
        needs: COCONUT_NEEDS,
    },
    Dialect {
        name: "mugl-snapshot",
        document_type: "cocogl",
        when: "/package:string /vertices:object",
        patterns: &["/vertices/*"],
        join: None,
        edges: REFERENCE_EDGES,
        tag: &["/refs", "/ref"],
        cycles: CycleRule::Acyclic,
        needs: COCONUT_NEEDS,
    },
    Dialect {
        name: "mugl-graph",
        document_type: "cocogl",
        when: "/vertices:object",
        patterns: &["/vertices/*"],
        join: None,
        edges: REFERENCE_EDGES,
        tag: &["/refs", "/ref"],
        cycles: CycleRule::Any,
        needs: &[],
    },
];

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
        self.when.split(" | ").any(|conditions| conditions.split(' ').all(|condition| holds(root, condition)))
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

    /// The key of reference objects that `root` names instead of `#ref`.
    fn reference_tag<'a, N: Node<'a>>(&self, root: N) -> Option<&'a str> {
        self.tag.iter().find_map(|path| first_at(root, path)?.as_str())
    }
}

/// Whether `path:kind` or `path=integer` holds.
fn holds<'a, N: Node<'a>>(root: N, condition: &str) -> bool {
    match condition.split_once(':') {
        Some((path, kind)) => first_at(root, path).is_some_and(|node| node.kind().name() == kind),
        None => condition.split_once('=').is_some_and(|(path, number)| {
            let found = first_at(root, path).and_then(Node::as_integer);
            found.is_some_and(|found| found.to_string() == number)
        }),
    }
}

/// The value at `path`, where `*` is the first entry or item.
fn first_at<'a, N: Node<'a>>(root: N, path: &str) -> Option<N> {
    path.split('/').skip(1).try_fold(root, |node, step| match (step, node.kind()) {
        ("*", Kind::List) => node.items().next(),
        ("*", _) => node.entries().next().map(|(_, value)| value),
        (key, _) => node.get(key),
    })
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

/// Detects what `root` is. `size` returns the bytes of a value as minified JSON, for the [automatic
/// rule](automatic_rule) of documents without a dialect.
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
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/registry/dialects.tsv");
        let registry = std::fs::read_to_string(path).unwrap();
        let list = |texts: &[&str]| if texts.is_empty() { "-".to_owned() } else { texts.join(" ") };
        let mut table =
            String::from("name\tdocument-type\twhen\tpatterns\tjoin\tedges\ttag\tcycles\tneeds\n");
        for dialect in DIALECTS {
            let join = dialect.join.map_or("-".to_owned(), |join| format!("`{join}`"));
            let columns = [
                dialect.name,
                dialect.document_type,
                dialect.when,
                &list(dialect.patterns),
                &join,
                &list(dialect.edges),
                &list(dialect.tag),
                dialect.cycles.name(),
                &list(dialect.needs),
            ];
            table.push_str(&columns.join("\t"));
            table.push('\n');
        }
        assert!(registry == table, "spec/registry/dialects.tsv should be\n{table}");
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
        assert_eq!(name(&schema), "none");
        let detection = detect(&schema, |_| 1);
        assert_eq!(detection.document_type, "document");
        assert!(detection.rule.is_empty());
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
