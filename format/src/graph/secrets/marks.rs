//! §15.8 The marks of secret and unknown values, as `spec/model/registry/secrets.tsv` lists them.

use crate::graph::special::{SECRET_SIGNATURE, SIGNATURE_KEY};
use crate::landmark::Dialect;
use crate::node::{Kind, Node};

/// Objects with marks for some of their values.
pub(super) struct Masked {
    /// The path of the objects.
    pub(super) path: &'static str,
    /// The entries with values, each with the entry that marks it.
    pub(super) pairs: &'static [(&'static str, &'static str)],
    pub(super) form: MaskForm,
}

/// The ways in which an entry marks parts of a value.
#[derive(Clone, Copy)]
pub(super) enum MaskForm {
    /// `true` at the place of the value, or of a part of it.
    Tree,
    /// `true` for the whole value, as a boolean or as a text.
    Flag,
    /// A list of paths into the value.
    Paths,
    /// A list of keys of the value.
    Names,
    /// A text. Only the Base64 of `null` marks nothing.
    Text,
}

/// Objects at `path` with masks of the form [`MaskForm::Tree`].
const fn trees(path: &'static str, pairs: &'static [(&'static str, &'static str)]) -> Masked {
    Masked { path, pairs, form: MaskForm::Tree }
}

const OUTPUT: &[(&str, &str)] = &[("value", "sensitive")];
const RESOURCE: &[(&str, &str)] = &[("values", "sensitive_values")];
const CHANGE: &[(&str, &str)] = &[("before", "before_sensitive"), ("after", "after_sensitive")];
const UNKNOWN: &[(&str, &str)] = &[("after", "after_unknown")];
/// The configuration of an action that a plan is to invoke.
const CONFIG: &[(&str, &str)] = &[("config_values", "config_sensitive")];
const UNKNOWN_CONFIG: &[(&str, &str)] = &[("config_values", "config_unknown")];
const ATTRIBUTES: &[(&str, &str)] = &[("attributes", "sensitive_attributes")];
/// Data that only the provider reads, and that nobody can tell the content of.
const PRIVATE: &[(&str, &str)] = &[("private", "private")];

/// Objects whose values are marked from outside, in documents of every dialect: a document that no
/// dialect knows may still be a state or a plan.
pub(super) const MASKS: &[Masked] = &[
    // States of Terraform.
    trees("/outputs/*", OUTPUT),
    Masked { path: "/resources/*/instances/*", pairs: ATTRIBUTES, form: MaskForm::Paths },
    Masked { path: "/resources/*/instances/*", pairs: PRIVATE, form: MaskForm::Text },
    trees("/modules/*/outputs/*", OUTPUT),
    // Imported documents.
    trees("/resources/*/properties/change", CHANGE),
    trees("/resources/*/properties", RESOURCE),
    Masked { path: "/resources/*/properties", pairs: ATTRIBUTES, form: MaskForm::Paths },
    Masked { path: "/resources/*/properties", pairs: PRIVATE, form: MaskForm::Text },
    Masked { path: "/resources/*/terraform", pairs: PRIVATE, form: MaskForm::Text },
    // States as `terraform show` prints them.
    trees("/values/outputs/*", OUTPUT),
    trees("/values/root_module(/child_modules/*)*/resources/*", RESOURCE),
    // Plans.
    trees("/output_changes/*", CHANGE),
    trees("/planned_values/outputs/*", OUTPUT),
    trees("/planned_values/root_module(/child_modules/*)*/resources/*", RESOURCE),
    trees("/prior_state/values/outputs/*", OUTPUT),
    trees("/prior_state/values/root_module(/child_modules/*)*/resources/*", RESOURCE),
    trees("/resource_changes/*/change", CHANGE),
    trees("/resource_drift/*/change", CHANGE),
    trees("/deferred_changes/*/resource_change/change", CHANGE),
    trees("/action_invocations/*", CONFIG),
    trees("/deferred_action_invocations/*/action_invocation", CONFIG),
    // The output of `terraform output -json`.
    trees("/*", OUTPUT),
    trees("/values/root_module(/child_modules/*)*/outputs/*", OUTPUT),
    trees("/planned_values/root_module(/child_modules/*)*/outputs/*", OUTPUT),
    trees("/prior_state/values/root_module(/child_modules/*)*/outputs/*", OUTPUT),
    flags("/configuration/root_module(/module_calls/*/module)*/outputs/*", &[("expression", "sensitive")]),
    // A Coconut 2017 graph that was imported from a state.
    trees("/origin/document/outputs/*", OUTPUT),
    Masked { path: "/resources/*", pairs: &[("properties", "sensitive_attributes")], form: MaskForm::Paths },
    // The configuration declared by a Pulumi YAML program.
    flags("/config/*", DECLARED),
    flags("/configuration/*", DECLARED),
    // The parameters of a CloudFormation template.
    flags("/Parameters/*", &[("Default", "NoEcho")]),
    // Catalogs of Puppet: as they are, as a server answers, as an older one, and of PuppetDB.
    names("/resources/*"),
    names("/catalog/resources/*"),
    names("/data/resources/*"),
    names("/resources/data/*"),
    // Imported catalogs.
    names("/resources/*/properties"),
];

/// Resources of Puppet, which list the names of their secret parameters.
const fn names(path: &'static str) -> Masked {
    Masked { path, pairs: &[("parameters", "sensitive_parameters")], form: MaskForm::Names }
}

const DECLARED: &[(&str, &str)] = &[("default", "secret"), ("value", "secret")];

/// Objects at `path` with marks of the form [`MaskForm::Flag`].
const fn flags(path: &'static str, pairs: &'static [(&'static str, &'static str)]) -> Masked {
    Masked { path, pairs, form: MaskForm::Flag }
}

/// Objects that contain secrets and are marked as such themselves, at any place of any document.
pub(super) struct Sign {
    /// The entry that marks it.
    pub(super) key: &'static str,
    /// The required text of the entry, if any.
    pub(super) text: Option<&'static str>,
    /// The paths of the secrets from the object, as keys. `*` is each entry or item.
    pub(super) hides: &'static [&'static [&'static str]],
}

pub(super) const SIGNS: &[Sign] = &[
    Sign {
        key: SIGNATURE_KEY,
        text: Some(SECRET_SIGNATURE),
        hides: &[&["ciphertext"], &["plaintext"], &["value"]],
    },
    Sign { key: "fn::secret", text: None, hides: &[&["fn::secret"]] },
    Sign { key: "Fn::Secret", text: None, hides: &[&["Fn::Secret"]] },
    Sign {
        key: "kind",
        text: Some("Secret"),
        hides: &[
            &["data", "*"],
            &["stringData", "*"],
            &["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"],
        ],
    },
    // Rich data of Puppet (§24.6), and of Puppet 5.0 to 5.5.
    Sign { key: "__ptype", text: Some("Sensitive"), hides: &[&["__pvalue"]] },
    Sign { key: "__pcore_type__", text: Some("Sensitive"), hides: &[&["__pcore_value__"]] },
];

impl Sign {
    /// A text that occurs in every document with this sign.
    pub(super) fn word(&self) -> &'static str {
        match self.text {
            Some(text) if self.key == "kind" => text,
            _ => self.key,
        }
    }

    pub(super) fn is_of<'a, N: Node<'a>>(&self, value: N) -> bool {
        value.kind() == Kind::Object
            && match (value.get(self.key), self.text) {
                (Some(found), Some(text)) => found.as_str() == Some(text),
                (found, None) => found.is_some(),
                (None, _) => false,
            }
    }
}

/// The texts that mark secrets at any place of a document. The boolean is true for a whole string
/// of the document, and false for an entry's key.
#[doc(hidden)]
pub fn secret_words() -> impl Iterator<Item = (&'static str, bool)> {
    SIGNS.iter().map(|sign| (sign.word(), sign.key == "kind"))
}

/// The dialects that mark values from outside, with the places of the marks of unknown values.
/// States do not have them.
const UNKNOWNS: &[(&str, &[Masked])] = &[
    ("terraform-state-4", &[]),
    ("terraform-state-3", &[]),
    ("coconut-import", &[trees("/resources/*/properties/change", UNKNOWN)]),
    ("terraform-show", &[]),
    ("terraform-show-0.12", &[]),
    ("terraform-plan-values", &[trees("/output_changes/*", UNKNOWN)]),
    (
        "terraform-plan",
        &[
            trees("/resource_changes/*/change", UNKNOWN),
            trees("/resource_drift/*/change", UNKNOWN),
            trees("/deferred_changes/*/resource_change/change", UNKNOWN),
            trees("/action_invocations/*", UNKNOWN_CONFIG),
            trees("/deferred_action_invocations/*/action_invocation", UNKNOWN_CONFIG),
            trees("/output_changes/*", UNKNOWN),
        ],
    ),
];

/// The objects of a dialect with marks for unknown values. `None` if the dialect marks its values
/// in place.
pub(super) fn unknowns_of(dialect: &Dialect) -> Option<&'static [Masked]> {
    UNKNOWNS.iter().find(|(name, _)| *name == dialect.name).map(|&(_, table)| table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landmark::{DIALECTS, LandmarkRule};

    #[test]
    fn every_table_is_of_a_dialect_and_every_path_is_one_of_a_rule() {
        for (dialect, _) in UNKNOWNS {
            assert!(DIALECTS.iter().any(|known| known.name == *dialect), "{dialect}");
        }
        let unknowns = UNKNOWNS.iter().flat_map(|(_, table)| *table);
        for Masked { path, .. } in MASKS.iter().chain(unknowns) {
            assert!(LandmarkRule::parse(&[path], None, &[]).is_ok(), "{path}");
            // A walk compares keys with the text as it is.
            assert!(!path.contains(['~', '[', '{']), "{path}");
        }
    }

    /// The registry has all signs and all tables of secrets.
    #[test]
    fn the_tables_are_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/secrets.tsv");
        let registry = std::fs::read_to_string(path).unwrap();
        let mut table = String::from("objects\tmark\tsecret\n");
        let mut row = |columns: [&str; 3]| {
            table.push_str(&columns.join("\t"));
            table.push('\n');
        };
        for sign in SIGNS {
            let mark = match sign.text {
                Some(text) => format!("{}=\"{text}\"", sign.key),
                None => sign.key.to_owned(),
            };
            for hidden in sign.hides {
                let mut pointer = String::new();
                hidden.iter().for_each(|key| crate::pointer::push_key(&mut pointer, key));
                row(["any", &mark, &pointer[1..]]);
            }
        }
        for masked in MASKS {
            for (value, mask) in masked.pairs {
                let mark = match masked.form {
                    MaskForm::Tree => format!("mask {mask}"),
                    MaskForm::Flag => format!("true {mask}"),
                    MaskForm::Paths => format!("paths {mask}"),
                    MaskForm::Names => format!("names {mask}"),
                    MaskForm::Text => format!("text {mask}"),
                };
                row([masked.path, &mark, value]);
            }
        }
        assert!(registry == table, "spec/model/registry/secrets.tsv should be\n{table}");
    }
}
