//! §14.3 Structure. Fields, their types, kinds, locations, and the spelling of names.

use std::collections::HashSet;

use super::Finding;
use super::package::Verifier;
use super::package_rules as rules;
use crate::il::{Field, FieldSpec, Key, SyntaxKind, SyntaxNode, Type, View};
use crate::limits::MAX_DEPTH;
use crate::location::Position;
use crate::names::{ModuleName, Name, NameError, TokenParts, TypeToken, has_member_keys};
use crate::value::Value;

impl<'a> Verifier<'a> {
    /// Checks that every field is listed for its kind, of a listed type and unique, and that none
    /// is missing.
    pub(super) fn check_fields(&mut self, node: &'a SyntaxNode) {
        self.check_repeats(None, node.fields().iter().map(|(key, _)| key.as_str()));
        for (key, field) in node.fields() {
            let key_text = key.as_str();
            if let Field::Map(entries) = field {
                self.check_repeats(Some(key_text), entries.iter().map(|(name, _)| &**name));
            }
            match key {
                Key::Other(_) if self.check_extension(node, key_text) => {}
                Key::Other(_) => self.report_unlisted(node, key_text),
                Key::Listed(_) => {
                    let spec = node.spec(key_text).expect("a listed key is in the list");
                    self.check_field(spec, field);
                }
            }
        }
        for spec in node.kind().fields() {
            if spec.needed.contains(self.dialect) && node.get(spec.key).is_none() {
                let finding = self.finding(&rules::TREE_MISSING, &[]);
                self.report(
                    finding
                        .expected(format!("`{}`, {}", spec.key, spec.expected()))
                        .found(format!("a `{}` without it", node.kind())),
                );
            }
        }
        if node.kind() == SyntaxKind::Package {
            self.check_dialects();
        }
    }

    /// Checks that no key of the node, or of the map `within` it, is repeated.
    fn check_repeats<'k>(&mut self, within: Option<&str>, keys: impl Iterator<Item = &'k str> + Clone) {
        // Most nodes have few keys, and comparing them is faster than hashing.
        const FEW: usize = 8;
        let is_few = keys.clone().nth(FEW).is_none();
        let is_first = |(number, key): (usize, &str)| keys.clone().take(number).all(|other| other != key);
        if is_few && keys.clone().enumerate().all(is_first) {
            return;
        }
        let mut seen = HashSet::new();
        for key in keys {
            if !seen.insert(key) {
                let path: Vec<&str> = within.into_iter().chain([key]).collect();
                let finding = self.finding(&rules::TREE_DUPLICATE, &path);
                self.report(finding.found(format!("a second `{key}`")));
            }
        }
    }

    fn report_unlisted(&mut self, node: &SyntaxNode, key: &str) {
        let listed: Vec<&str> = node.kind().fields().map(|spec| spec.key).collect();
        let expected = format!("one of `{}`", listed.join("`, `"));
        let finding = self.finding(&rules::TREE_KEY, &[key]).expected(expected).found(format!("`{key}`"));
        self.report(finding.perhaps(self.suggest(key, listed.into_iter())));
    }

    fn check_field(&mut self, spec: &'static FieldSpec, field: &'a Field) {
        let is_null = matches!(field, Field::Value(Value::Null));
        if is_null || !spec.era_of(field).is_empty() {
            if let Field::Location(location) = field {
                self.check_span(location.start, location.end);
            }
            return;
        }
        match field {
            Field::Value(value) if spec.key == "loc" => self.check_irregular_location(value),
            Field::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_item(spec, &[spec.key, &index.to_string()], item);
                }
            }
            Field::Map(entries) => {
                for (name, item) in entries {
                    self.check_item(spec, &[spec.key, name], item);
                }
            }
            Field::Value(Value::Object(entries)) if spec.is_map() => {
                for (name, value) in entries.iter().filter(|(_, value)| value.as_str().is_none()) {
                    let finding = self.finding(&rules::TREE_TYPE, &[spec.key, name]);
                    self.report(finding.expected("a string").found(value.kind_name()));
                }
            }
            other => self.report_misfit(spec, &[spec.key], other),
        }
    }

    /// Reports an item of a list or map that has the wrong type as a whole, if it is this one.
    fn check_item(&mut self, spec: &'static FieldSpec, keys: &[&str], item: &'a Field) {
        let fits = spec.forms.iter().any(|form| match form.of {
            Type::List(of) | Type::Map(of) => of.fits(item),
            _ => false,
        });
        if !fits {
            self.report_misfit(spec, keys, item);
        }
    }

    /// Reports a value of the wrong type: too deep, or of an unknown or wrong kind.
    fn report_misfit(&mut self, spec: &FieldSpec, keys: &[&str], field: &Field) {
        let is_deeper = matches!(field, Field::Value(Value::Object(_) | Value::List(_)));
        if is_deeper && self.is_at_limit(keys) {
            return self.report_depth(keys);
        }
        let tag = match field {
            Field::Value(value @ Value::Object(_)) => Some(value.get("kind").and_then(Value::as_str)),
            _ => None,
        };
        let finding = match tag {
            Some(Some(tag)) if SyntaxKind::from_tag(tag).is_none() => {
                let finding = self.finding(&rules::TREE_KIND, keys).expected(spec.expected());
                let kinds = SyntaxKind::ALL.iter().filter(|kind| kind.is_tagged());
                finding.found(format!("`{tag}`")).perhaps(self.suggest(tag, kinds.map(|kind| kind.name())))
            }
            Some(None) => {
                let finding = self.finding(&rules::TREE_KIND, keys);
                finding.expected(spec.expected()).found("an object without `kind`")
            }
            _ => {
                let finding = self.finding(&rules::TREE_TYPE, keys);
                finding.expected(spec.expected()).found(field.phrase())
            }
        };
        self.report(finding);
    }

    /// Reports that the value at `keys` below the current node is one level too deep.
    pub(super) fn report_depth(&mut self, keys: &[&str]) {
        let finding = self.finding(&rules::TREE_DEPTH, keys);
        self.report(finding.expected(format!("at most {MAX_DEPTH} levels")));
    }

    /// Whether the value at `keys` below the current node is too deep to have been decoded.
    fn is_at_limit(&self, keys: &[&str]) -> bool {
        self.walk.pointer().depth() + keys.len() >= MAX_DEPTH
    }

    /// Checks the dialects. A package is written by one compiler; forms of disjoint dialects show
    /// that it was assembled from several.
    fn check_dialects(&mut self) {
        let era = self.package.dialects();
        if era.is_empty() {
            let finding = self.finding(&rules::TREE_DIALECT, &[]);
            self.report(
                finding.expected("forms of one dialect").found(format!(
                    "some that came with {} and some that went with {}",
                    era.since, era.until
                )),
            );
        }
    }

    /// Reports a location whose keys or order differ from those that compilers write.
    fn check_irregular_location(&mut self, value: &Value) {
        let span = value.as_object().and_then(|entries| {
            let only = |(key, value): &(String, Value)| match key.as_str() {
                "file" => value.as_str().is_some(),
                "start" | "end" => true,
                _ => false,
            };
            let start = entries.iter().all(only).then(|| value.get("start").and_then(position))??;
            match value.get("end") {
                None | Some(Value::Null) => Some((start, None)),
                Some(end) => Some((start, Some(position(end)?))),
            }
        });
        match span {
            Some((start, end)) => self.check_span(start, end),
            None => {
                let finding = self.finding(&rules::LOC_FORM, &["loc"]);
                self.report(finding.expected("`file`, `start` and `end`, these with `line` and `column`"));
            }
        }
    }

    fn check_span(&mut self, start: Position, end: Option<Position>) {
        let fault = if start.line == 0 || end.is_some_and(|end| end.line == 0) {
            Some("a line 0")
        } else if end.is_some_and(|end| end < start) {
            Some("an end before the start")
        } else {
            None
        };
        if let Some(fault) = fault {
            let finding = self.finding(&rules::LOC_RANGE, &["loc"]);
            self.report(finding.found(fault));
        }
    }

    /// Checks that names and tokens follow their grammars, and that a definition has the name of
    /// its entry.
    pub(super) fn check_names(&mut self, node: &'a SyntaxNode) {
        match node.view() {
            View::Identifier(identifier) => {
                let parent = self.ancestors.last().map(|parent| parent.kind());
                let error = identifier.ident().and_then(|text| match parent {
                    Some(SyntaxKind::Module) => ModuleName::parse(text).err(),
                    Some(SyntaxKind::ClassProperty | SyntaxKind::ClassMethod) if !text.is_empty() => None,
                    _ => Name::parse(text).err(),
                });
                self.report_name(&rules::NAME_IDENTIFIER, "ident", error);
            }
            View::Token(_) | View::ClassMemberToken(_) | View::ModuleToken(_) => {
                let error = node.text("tok").and_then(|text| TokenParts::parse(text).err());
                let error = error.filter(|_| !self.is_text(node));
                self.report_name(&rules::NAME_TOKEN, "tok", error);
            }
            View::TypeToken(token) => {
                let error = token.text().and_then(|text| TypeToken::parse(text).err());
                if error.is_none() {
                    self.check_type_token(node);
                }
                self.report_name(&rules::NAME_TYPE, "tok", error);
            }
            View::Module(_) => {
                let error = ModuleName::parse(self.walk.name()).err();
                if let Some(error) = error {
                    let finding = self.finding(&rules::NAME_MODULE, &[]);
                    self.report(name_finding(finding, &error));
                }
                self.check_key(node);
            }
            View::Export(_)
            | View::Class(_)
            | View::ModuleProperty(_)
            | View::ModuleMethod(_)
            | View::ClassProperty(_) => self.check_key(node),
            View::ClassMethod(_) if !matches!(self.walk.name(), "getter" | "setter") => self.check_key(node),
            _ => {}
        }
        self.check_access(node);
    }

    /// Whether a token is text in its place (§11.1): the key of a property in an object literal
    /// without a class, or the name of a member of a class at its end.
    fn is_text(&self, token: &SyntaxNode) -> bool {
        let mut outer = self.ancestors.iter().rev();
        let (Some(parent), literal) = (outer.next(), outer.next()) else { return false };
        let text = token.text("tok").unwrap_or_default();
        match parent.kind() {
            SyntaxKind::ObjectLiteralProperty | SyntaxKind::ObjectLiteralNamedProperty => {
                let ty = literal.and_then(|literal| literal.token("type"));
                !has_member_keys(ty) || TokenParts::of_class_member(text).is_some()
            }
            SyntaxKind::LoadLocationExpression => TokenParts::of_class_member(text).is_some(),
            _ => false,
        }
    }

    fn report_name(&mut self, rule: &'static super::Rule, key: &'static str, error: Option<NameError>) {
        if let Some(error) = error {
            let finding = self.finding(rule, &[key]);
            self.report(name_finding(finding, &error));
        }
    }

    fn check_key(&mut self, node: &SyntaxNode) {
        let key = self.walk.name();
        let Some(name) = node.token("name").filter(|name| *name != key) else { return };
        let finding = self.finding(&rules::NAME_KEY, &["name"]);
        self.report(finding.expected(format!("`{key}`")).found(format!("`{name}`")));
    }

    fn check_access(&mut self, node: &SyntaxNode) {
        let Some(access) = node.text("access") else { return };
        let allowed: &[&str] = match node.kind() {
            SyntaxKind::ClassProperty | SyntaxKind::ClassMethod => &["public", "protected", "private"],
            _ => &["public", "private"],
        };
        if !allowed.contains(&access) {
            let finding = self.finding(&rules::NAME_ACCESS, &["access"]);
            self.report(
                finding.expected(format!("one of `{}`", allowed.join("`, `"))).found(format!("`{access}`")),
            );
        }
    }
}

/// Adds to a finding the position of the fault in a name.
pub(super) fn name_finding(finding: Finding, error: &NameError) -> Finding {
    let found = format!("`{}`, which breaks at byte {}", error.text(), error.at);
    finding.expected(error.kind.expected()).found(found)
}

fn position(value: &Value) -> Option<Position> {
    let small = |key: &str| match value.get(key)? {
        Value::Integer(number) => u32::try_from(number.as_u64()?).ok(),
        _ => None,
    };
    let has_others = value.as_object()?.iter().any(|(key, _)| key != "line" && key != "column");
    if has_others { None } else { Some(Position { line: small("line")?, column: small("column")? }) }
}

impl FieldSpec {
    fn is_map(&self) -> bool {
        self.forms.iter().any(|form| matches!(form.of, Type::Map(Type::Text)))
    }
}
