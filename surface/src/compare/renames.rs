//! §20.3 Former names of definitions.

use crate::model::{Package, Role};
use coconut_format::node::Node;
use std::collections::HashMap;

/// Maps old tokens to their replacements.
///
/// Aliases in the new package need no entry here. A dictionary adds the renames that a package does
/// not record.
#[derive(Clone, Debug, Default)]
pub struct Renames<'a> {
    new_of: HashMap<&'a str, &'a str>,
}

impl<'a> Renames<'a> {
    /// Reads the metadata of a Terraform bridge, which records the current and the former tokens of
    /// each resource and data source.
    ///
    /// `None` if the document is not such metadata.
    pub fn of_bridge<N: Node<'a>>(root: N) -> Option<Renames<'a>> {
        let aliasing = root.get("auto-aliasing")?;
        let mut renames = Renames::default();
        for section in ["resources", "datasources"] {
            for (_, one) in aliasing.get(section).into_iter().flat_map(Node::entries) {
                let Some(current) = one.get("current").and_then(Node::as_str) else { continue };
                for past in one.get("past").into_iter().flat_map(Node::items) {
                    let name = past.get("name").and_then(Node::as_str);
                    renames.new_of.extend(name.map(|name| (name, current)));
                }
            }
        }
        Some(renames)
    }

    /// Adds one rename.
    pub fn add(&mut self, old: &'a str, new: &'a str) {
        self.new_of.insert(old, new);
    }

    /// Combines it with the aliases in a package, which take precedence.
    pub(crate) fn with_aliases(&self, package: &'a Package<'_>) -> Renames<'a> {
        let mut all = self.clone();
        for definition in &package.definitions {
            all.new_of.extend(definition.aliases.iter().map(|alias| (*alias, &*definition.token)));
        }
        all
    }

    /// The current token for an old one, after any number of renames. `exists` returns whether the
    /// new package has a token.
    pub(crate) fn of(&self, old: &str, exists: impl Fn(&str) -> bool) -> Option<&'a str> {
        let mut token = *self.new_of.get(old)?;
        // The number of names bounds the steps, in case of a circle.
        for _ in 0..=self.new_of.len() {
            if exists(token) {
                return Some(token);
            }
            token = self.new_of.get(token)?;
        }
        None
    }
}

/// Definitions by role and token, as one package resolves them.
#[derive(Debug)]
pub(crate) struct Index<'p> {
    numbers: HashMap<(Role, &'p str), u32>,
}

impl<'p> Index<'p> {
    pub(crate) fn of(package: &'p Package<'_>) -> Index<'p> {
        let definitions = package.definitions.iter().zip(0u32..);
        // The first of several definitions with one token counts.
        let mut numbers = HashMap::with_capacity(package.definitions.len());
        for (definition, number) in definitions {
            numbers.entry((definition.role, &*definition.token)).or_insert(number);
        }
        Index { numbers }
    }

    pub(crate) fn find(&self, role: Role, token: &str) -> Option<usize> {
        self.numbers.get(&(role, token)).map(|&number| number as usize)
    }

    /// A definition that a member can refer to.
    pub(crate) fn referred(&self, token: &str) -> Option<usize> {
        self.find(Role::Type, token).or_else(|| self.find(Role::Class, token))
    }
}
