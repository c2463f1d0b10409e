//! §16.4 Rules about differences that do not matter.

use super::shown::plain_text;
use crate::failure::Failure;
use crate::glob::Glob;
use coconut_diff::value::{Action, PlacePattern};
use coconut_diff::{Change, Happened, ResourceChange};
use coconut_format::pointer::push_key;
use coconut_surface as surface;
use std::cell::Cell;

/// The hint for a malformed rule.
const EXAMPLES: &str = "for instance `aws:*[*]::/outputs/**/lastModified` or `*[*]>`";

/// A rule: `TYPE[KEY]`, a sign, `::/PLACE` and `=VALUE`, each of them optional.
#[derive(Debug)]
pub struct IgnoreRule {
    pub(super) text: String,
    resource: Option<(Glob, Glob)>,
    sign: Option<char>,
    place: Option<PlacePattern>,
    value: Option<Glob>,
    /// The number of differences it matched.
    pub(super) uses: Cell<usize>,
}

impl IgnoreRule {
    /// Parses a rule. Fails with the code `USAGE`.
    pub fn parse(text: &str) -> Result<IgnoreRule, Failure> {
        let malformed = || {
            let message = format!("`{text}` is not a rule");
            Failure::usage(message).with_hint(EXAMPLES)
        };
        let (resource, rest) = match text.split_once('[') {
            Some((types, rest)) if !types.contains("::/") => {
                let (keys, rest) = key_and_rest(rest).ok_or_else(malformed)?;
                (Some((Glob::new(types)?, Glob::new(keys)?)), rest)
            }
            _ => (None, text),
        };
        let sign = rest.chars().next().filter(|sign| "+-~>".contains(*sign));
        let rest = &rest[sign.map_or(0, char::len_utf8)..];
        let (place, rest) = match rest.strip_prefix("::") {
            Some(place) => {
                let (place, value) = place.split_once('=').map_or((place, None), |(a, b)| (a, Some(b)));
                (Some(PlacePattern::parse(place).map_err(|_| malformed())?), value)
            }
            None => (None, rest.strip_prefix('=').or(if rest.is_empty() { None } else { Some("\0") })),
        };
        if rest == Some("\0") || text.is_empty() {
            return Err(malformed());
        }
        let value = rest.map(Glob::new).transpose()?;
        Ok(IgnoreRule { text: text.to_owned(), resource, sign, place, value, uses: Cell::new(0) })
    }

    /// Parses the rules of a file, one a line. The text of a malformed line is not shown, because
    /// the file may not be the one that the user means.
    pub fn parse_file(name: &str, text: &str) -> Result<Vec<IgnoreRule>, Failure> {
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let rules = lines.map(|(number, line)| {
            IgnoreRule::parse(line).map_err(|_| {
                let failure = Failure::usage(format!("line {number} is not a rule"));
                failure.in_file(name).with_hint(EXAMPLES)
            })
        });
        rules.collect()
    }

    /// Whether it matches a resource as a whole.
    pub(super) fn has_resource(&self, resource: &ResourceChange<'_>) -> bool {
        if self.place.is_some() || self.value.is_some() || !self.is_of(resource) {
            return false;
        }
        self.uses_if(match self.sign {
            None => true,
            Some('+') => resource.happened == Happened::Created,
            Some('-') => resource.happened == Happened::Deleted,
            Some('>') => resource.happened == Happened::Moved,
            Some(_) => {
                matches!(resource.happened, Happened::Changed | Happened::Replaced | Happened::Forgotten)
            }
        })
    }

    /// Whether it matches a change of a resource, or outside all resources.
    pub(super) fn has_change(&self, resource: Option<&ResourceChange<'_>>, change: &Change<'_>) -> bool {
        let is_of = match resource {
            Some(resource) => self.is_of(resource),
            None => self.resource.is_none(),
        };
        if !is_of || (self.place.is_none() && self.value.is_none()) {
            return false;
        }
        let difference = &change.difference;
        let has_sign = match self.sign {
            None => true,
            Some('+') => difference.action == Action::Add,
            Some('-') => difference.action == Action::Remove,
            Some('~') => matches!(difference.action, Action::Update | Action::Reorder),
            Some(_) => false,
        };
        let has_place = self.place.as_ref().is_none_or(|place| place.covers(&difference.pointer));
        let has_value = self.value.as_ref().is_none_or(|value| {
            if difference.is_secret {
                return false;
            }
            let values = [difference.revealed_old(), difference.revealed_new()];
            values
                .into_iter()
                .flatten()
                .filter_map(|(node, _)| plain_text(*node))
                .any(|text| value.matches(&text))
        });
        self.uses_if(has_sign && has_place && has_value)
    }

    /// Whether it matches a change of a definition: `RULE[TOKEN]`, and the place and member.
    pub(super) fn has_definition(&self, change: &surface::Change) -> bool {
        let is_of = self.resource.as_ref().is_none_or(|(rules, tokens)| {
            let tokens_of = std::iter::once(&change.token).chain(&change.new_token);
            rules.matches(change.rule.id) && { tokens_of }.any(|token| tokens.matches(token))
        });
        let is_at = || self.place.as_ref().is_none_or(|place| place.covers(&place_of(change)));
        let is_for_values = self.sign.is_some() || self.value.is_some();
        self.uses_if(!is_for_values && is_of && is_at())
    }

    fn is_of(&self, resource: &ResourceChange<'_>) -> bool {
        self.resource.as_ref().is_none_or(|(types, keys)| {
            types.matches(resource.resource_type.unwrap_or_default())
                && keys_of(resource).any(|key| keys.matches(key))
        })
    }

    fn uses_if(&self, is_described: bool) -> bool {
        if is_described {
            self.uses.set(self.uses.get() + 1);
        }
        is_described
    }
}

/// The place of a change inside a definition: `/inputs/ingress/cidr_blocks`.
fn place_of(change: &surface::Change) -> String {
    let member = change.member.as_deref().unwrap_or_default();
    let steps = change.place.name().into_iter().chain(member.split('.'));
    let mut pointer = String::new();
    for step in steps.map(|step| step.trim_end_matches("[*]")).filter(|step| !step.is_empty()) {
        push_key(&mut pointer, step);
    }
    pointer
}

/// The text before the `]` that ends a key, and the text after it.
fn key_and_rest(text: &str) -> Option<(&str, &str)> {
    let mut ends = text.match_indices(']').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let is_rest = |rest: &str| {
        let rest = rest.strip_prefix(['+', '-', '~', '>']).unwrap_or(rest);
        rest.is_empty() || rest.starts_with("::/") || rest.starts_with('=')
    };
    // The first such bracket, because a value may contain brackets, too.
    ends.find(|(_, rest)| is_rest(rest))
}

/// The keys that select a resource: its own, its old one, and that of the resource to which it
/// belongs.
pub(super) fn keys_of<'r>(resource: &'r ResourceChange<'_>) -> impl Iterator<Item = &'r str> {
    let of = resource.instance.as_ref().map(|instance| &*instance.resource);
    std::iter::once(&*resource.key).chain(resource.old_key.as_deref()).chain(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_optional_parts() {
        for text in
            ["aws:*[*]::/outputs/**/lastModified", "*[*]>", "::/a/b", "*[a[0]]-::/x=y*", "~", "=x", "*[*]"]
        {
            assert!(IgnoreRule::parse(text).is_ok(), "{text}");
        }
        for text in ["", "x", "*[a", "::a", "*[a]x"] {
            assert!(IgnoreRule::parse(text).is_err(), "{text}");
        }
        assert_eq!(key_and_rest("a[0]]::/x=[y]"), Some(("a[0]", "::/x=[y]")));
    }
}
