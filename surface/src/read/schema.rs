//! §20.2 Types in the manner of JSON Schema, which four dialects share with small differences.

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{Bounds, Direction, Facets, Member, Scalar, Type, TypeId};
use crate::read::draft::{Draft, Shape, check_depth};
use crate::settings::{Setting, SettingKind};
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::HashSet;

/// The target of a reference.
pub(crate) enum Named<'a> {
    /// A built-in type.
    Scalar(Scalar),
    /// A definition.
    Token(Cow<'a, str>),
}

/// Attributes of a member that no model needs: for readers, code generators and validators.
const OF_PEOPLE: [&str; 13] = [
    "title",
    "format",
    "examples",
    "$comment",
    "relationshipRef",
    "dependencies",
    "dependentRequired",
    "uniqueItems",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "x-kubernetes-validations",
    "x-kubernetes-patch-strategy",
];

/// Reads the types of one definition.
pub(crate) struct Reader<'d, 'a, F> {
    pub(crate) draft: &'d mut Draft<'a>,
    /// Finds the target of a reference.
    pub(crate) named: F,
    /// The value type of `type: object` without further keys.
    pub(crate) of_plain_object: Scalar,
    /// The definition, for messages.
    pub(crate) token: &'d str,
}

/// The keys of a schema, visited once.
pub(crate) struct Parts<'a, N> {
    word: Option<&'a str>,
    words: Option<N>,
    reference: Option<&'a str>,
    items: Option<N>,
    additional: Option<N>,
    patterns: Option<N>,
    properties: Option<N>,
    required: Option<N>,
    options: Option<N>,
    all_of: Option<N>,
    values: Option<N>,
    constant: Option<N>,
    default: Option<N>,
    facets: Facets<'a>,
    doc: Option<&'a str>,
    deprecated: Option<&'a str>,
    is_set: bool,
    is_secret: bool,
    is_plain: bool,
    replaces: bool,
    is_read_only: bool,
    is_write_only: bool,
    is_int_or_string: bool,
    is_open: bool,
    is_nullable: bool,
}

impl<'a, N: Node<'a>> Parts<'a, N> {
    pub(crate) fn of(node: N) -> Parts<'a, N> {
        let mut parts = Parts {
            word: None,
            words: None,
            reference: None,
            items: None,
            additional: None,
            patterns: None,
            properties: None,
            required: None,
            options: None,
            all_of: None,
            values: None,
            constant: None,
            default: None,
            facets: Facets::default(),
            doc: None,
            deprecated: None,
            is_set: false,
            is_secret: false,
            is_plain: false,
            replaces: false,
            is_read_only: false,
            is_write_only: false,
            is_int_or_string: false,
            is_open: false,
            is_nullable: false,
        };
        for (key, value) in node.entries() {
            parts.take(key, value);
        }
        parts
    }

    fn take(&mut self, key: &'a str, value: N) {
        let truth = || value.as_bool() == Some(true);
        match key {
            "type" => match value.as_str() {
                Some(word) => self.word = Some(word),
                None => self.words = Some(value).filter(|value| value.kind() == Kind::List),
            },
            "$ref" => self.reference = value.as_str(),
            "items" => self.items = Some(value).filter(|value| value.kind() == Kind::Object),
            "additionalProperties" => {
                self.additional = Some(value);
                if value.as_bool() == Some(false) {
                    self.facets.settings.push(Setting::new(SettingKind::Closed, "", Literal::Bool(true)));
                }
            }
            "patternProperties" => self.patterns = Some(value),
            "properties" => self.properties = Some(value),
            "required" => self.required = Some(value),
            "oneOf" | "anyOf" => self.options = Some(value),
            "allOf" => self.all_of = Some(value),
            "enum" => self.values = Some(value),
            "const" => self.constant = Some(value),
            "default" => self.default = Some(value),
            "minimum" => self.facets.value.min = number(value),
            "maximum" => self.facets.value.max = number(value),
            "minLength" => self.facets.length.min = number(value),
            "maxLength" => self.facets.length.max = number(value),
            "minItems" | "minProperties" => self.facets.items.min = number(value),
            "maxItems" | "maxProperties" => self.facets.items.max = number(value),
            "pattern" => self.facets.pattern = value.as_str(),
            "description" => self.doc = value.as_str(),
            "deprecationMessage" => self.deprecated = value.as_str(),
            "language" => self.facets.language = Some(Literal::of(value)),
            "deprecated" => self.deprecated = truth().then_some("").or(self.deprecated),
            "insertionOrder" => self.is_set = value.as_bool() == Some(false),
            "x-kubernetes-list-type" => {
                self.is_set = value.as_str() == Some("set");
                // Lists are atomic unless declared otherwise.
                if value.as_str() == Some("map") {
                    self.set(SettingKind::Merge, key, value);
                }
            }
            "secret" => self.is_secret = truth(),
            "plain" => self.is_plain = truth(),
            "replaceOnChanges" | "willReplaceOnChanges" => self.replaces |= truth(),
            "readOnly" => self.is_read_only = truth(),
            "writeOnly" => self.is_write_only = truth(),
            "x-kubernetes-int-or-string" => self.is_int_or_string = truth(),
            "x-kubernetes-preserve-unknown-fields" => self.is_open = truth(),
            "nullable" => self.is_nullable = truth(),
            "format" => {
                self.is_int_or_string |= value.as_str() == Some("int-or-string");
                self.set(SettingKind::Format, "", value);
            }
            "uniqueItems" if truth() => self.set(SettingKind::Unique, "", value),
            "x-kubernetes-validations" => {
                for item in value.items() {
                    let rule = item.get("rule").and_then(Node::as_str).unwrap_or_default();
                    self.set(SettingKind::Validation, rule, item);
                }
            }
            "x-kubernetes-list-map-keys" | "x-kubernetes-map-type" => {
                self.set(SettingKind::Merge, key, value);
            }
            "not" | "if" | "then" | "else" | "dependencies" | "dependentRequired" | "dependentSchemas"
            | "propertyNames" | "contains" | "multipleOf" | "exclusiveMinimum" | "exclusiveMaximum" => {
                self.set(SettingKind::Validation, key, value);
            }
            _ => {}
        }
    }

    fn set(&mut self, kind: SettingKind, name: &'a str, value: N) {
        self.facets.settings.push(Setting::new(kind, name, Literal::of(value)));
    }

    /// The facts about the schema that are compared as a whole.
    pub(crate) fn settings(&mut self) -> Vec<Setting<'a>> {
        let mut settings = std::mem::take(&mut self.facets.settings);
        if self.is_open && self.properties.is_none() {
            settings.push(Setting::new(SettingKind::Open, "", Literal::Bool(true)));
        }
        let is_type = |options: N| {
            self.properties.is_none() && options.items().any(|option| Parts::of(option).has_type())
        };
        for (name, options) in [("oneOf", self.options), ("allOf", self.all_of)] {
            if let Some(options) = options.filter(|options| !is_type(*options)) {
                settings.push(Setting::new(SettingKind::Validation, name, Literal::of(options)));
            }
        }
        settings
    }

    /// The names in `required`.
    fn required(&self) -> HashSet<&'a str> {
        self.required.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect()
    }

    /// Whether it contains anything about a type. Options often contain only required names.
    fn has_type(&self) -> bool {
        let has_parts = [self.words, self.items, self.properties, self.options, self.all_of, self.values];
        self.word.is_some()
            || self.reference.is_some()
            || self.constant.is_some()
            || self.additional.is_some()
            || self.is_int_or_string
            || has_parts.iter().any(Option::is_some)
    }

    /// The type, if it is a scalar without further attributes.
    fn plain_scalar(&self) -> Option<Scalar> {
        let has_more = self.reference.is_some()
            || self.values.is_some()
            || self.constant.is_some()
            || self.options.is_some()
            || self.is_int_or_string
            || self.is_nullable;
        self.word.and_then(scalar).filter(|_| !has_more)
    }

    /// The facets, if there are any. For a default that is a list or an object, the model has a
    /// text, so the default is carried, too.
    pub(crate) fn facets(&mut self, draft: &mut Draft<'a>) -> Result<Option<Box<Facets<'a>>>, ApiError> {
        let settings = self.settings();
        let mut facets = std::mem::take(&mut self.facets);
        facets.settings = settings;
        facets.default = self.default.map(Literal::of);
        let composite = self.default.filter(|default| default.kind().is_container());
        if let (Some(default), true) = (composite, draft.rest_left.is_some()) {
            facets.rest.push(("default".to_owned(), draft.carried(default)?));
        }
        Ok((facets != Facets::default()).then(|| Box::new(facets)))
    }
}

fn number<'a, N: Node<'a>>(node: N) -> Option<f64> {
    node.as_float().or_else(|| node.as_integer().map(|number| i128::from(number) as f64))
}

impl<'a, F: Fn(&'a str) -> Named<'a>> Reader<'_, 'a, F> {
    /// The members in an object of schemas. `required` has the names of those that must be given.
    pub(crate) fn members<N: Node<'a>>(
        &mut self,
        properties: N,
        required: &HashSet<&'a str>,
        depth: usize,
    ) -> Result<Vec<Member<'a>>, ApiError> {
        let mut members = Vec::with_capacity(properties.width().min(1024));
        for (name, schema) in properties.entries() {
            let mut member = self.member(name, schema, depth)?;
            member.is_required = required.contains(name);
            members.push(member);
        }
        Ok(members)
    }

    fn member<N: Node<'a>>(
        &mut self,
        name: &'a str,
        schema: N,
        depth: usize,
    ) -> Result<Member<'a>, ApiError> {
        let mut parts = Parts::of(schema);
        let type_id = self.once(schema, &parts, depth)?;
        let mut member = Member::new(name, type_id);
        member.direction = match (parts.is_read_only, parts.is_write_only) {
            (true, _) => Direction::Out,
            (false, true) => Direction::In,
            (false, false) => Direction::Both,
        };
        member.is_secret = parts.is_secret;
        member.is_plain = parts.is_plain;
        member.replaces = parts.replaces;
        member.doc = parts.doc;
        member.deprecated = parts.deprecated;
        member.facets = parts.facets(self.draft)?;
        if self.draft.package.dialect != Dialect::Pulumi {
            let rest = self.draft.rest_of(schema, |key, _| !OF_PEOPLE.contains(&key))?;
            if !rest.is_empty() {
                member.facets.get_or_insert_with(Box::default).rest.extend(rest);
            }
        }
        Ok(member)
    }

    /// The type of a schema.
    pub(crate) fn type_of<N: Node<'a>>(&mut self, schema: N, depth: usize) -> Result<TypeId, ApiError> {
        self.once(schema, &Parts::of(schema), depth)
    }

    fn once<N: Node<'a>>(
        &mut self,
        schema: N,
        parts: &Parts<'a, N>,
        depth: usize,
    ) -> Result<TypeId, ApiError> {
        check_depth(depth, self.token)?;
        // Finding a scalar is as fast as a cache lookup.
        if let Some(scalar) = parts.plain_scalar() {
            return Ok(scalar.id());
        }
        match schema.stored_once_as().and_then(|stored| self.draft.known(stored, 0)) {
            Some(known) => Ok(known),
            None => {
                let id = self.read(parts, depth)?;
                if let Some(stored) = schema.stored_once_as() {
                    self.draft.remember(stored, 0, id);
                }
                Ok(id)
            }
        }
    }

    fn read<N: Node<'a>>(&mut self, parts: &Parts<'a, N>, depth: usize) -> Result<TypeId, ApiError> {
        let id = self.read_not_null(parts, depth)?;
        match parts.is_nullable && id != Scalar::Any.id() {
            true => self.draft.union(vec![id, Scalar::Null.id()]),
            false => Ok(id),
        }
    }

    fn read_not_null<N: Node<'a>>(&mut self, parts: &Parts<'a, N>, depth: usize) -> Result<TypeId, ApiError> {
        if let Some(text) = parts.reference {
            return match (self.named)(text) {
                Named::Scalar(scalar) => Ok(scalar.id()),
                Named::Token(token) => self.draft.add(Type::Reference(token)),
            };
        }
        if parts.is_int_or_string {
            return self.draft.union(vec![Scalar::Integer.id(), Scalar::String.id()]);
        }
        let base = parts.word.and_then(scalar);
        if let Some(values) = parts.values {
            let values: Vec<Literal<'a>> = values.items().map(Literal::of).collect();
            return self.draft.enumeration(base.unwrap_or_else(|| base_of(&values)), values);
        }
        if let Some(constant) = parts.constant {
            let values = [Literal::of(constant)];
            return self.draft.enumeration(base.unwrap_or_else(|| base_of(&values)), values);
        }
        for options in [parts.options, parts.all_of].into_iter().flatten() {
            let with_type = |option: &N| Parts::of(*option).has_type();
            let options: Vec<N> = options.items().filter(with_type).collect();
            // If it has properties, the options only restrict their values.
            if !options.is_empty() && parts.properties.is_none() {
                let mut types = Vec::with_capacity(options.len());
                for option in options {
                    types.push(self.type_of(option, depth + 1)?);
                }
                if parts.all_of.is_some() {
                    types.truncate(1);
                }
                return self.draft.union(types);
            }
        }
        if let Some(words) = parts.words {
            let mut types = Vec::new();
            for word in words.items().filter_map(Node::as_str) {
                types.push(self.of_word(word, parts, depth)?);
            }
            return self.draft.union(types);
        }
        self.of_word(parts.word.unwrap_or_default(), parts, depth)
    }

    /// The type for a word in `type`, or for a missing one.
    fn of_word<N: Node<'a>>(
        &mut self,
        word: &str,
        parts: &Parts<'a, N>,
        depth: usize,
    ) -> Result<TypeId, ApiError> {
        if let Some(scalar) = scalar(word) {
            return Ok(scalar.id());
        }
        if word == "array" || (word.is_empty() && parts.items.is_some()) {
            let of = match parts.items {
                Some(items) => self.type_of(items, depth + 1)?,
                None => Scalar::Any.id(),
            };
            return self.draft.shaped(if parts.is_set { Shape::Set } else { Shape::List }, of);
        }
        let has_members = |properties: &N| properties.width() > 0 && !parts.is_open;
        if let Some(properties) = parts.properties.filter(has_members) {
            let members = self.members(properties, &parts.required(), depth + 1)?;
            return self.draft.object(members);
        }
        let of_pattern = parts.patterns.and_then(|patterns| patterns.entries().next());
        let additional = parts.additional.filter(|additional| additional.kind() == Kind::Object);
        let of = match of_pattern.map(|(_, schema)| schema).or(additional) {
            Some(schema) => self.type_of(schema, depth + 1)?,
            None if word.is_empty() => return Ok(Scalar::Any.id()),
            None if parts.is_open => Scalar::Any.id(),
            None => self.of_plain_object.id(),
        };
        self.draft.shaped(Shape::Map, of)
    }
}

/// The scalar type for a word in `type`.
fn scalar(word: &str) -> Option<Scalar> {
    match word {
        "string" => Some(Scalar::String),
        "boolean" => Some(Scalar::Bool),
        "integer" => Some(Scalar::Integer),
        "number" => Some(Scalar::Number),
        "null" => Some(Scalar::Null),
        "any" => Some(Scalar::Any),
        _ => None,
    }
}

/// The type of all values of an enum.
pub(crate) fn base_of(values: &[Literal<'_>]) -> Scalar {
    let of = |value: &Literal<'_>| match value {
        Literal::Text(_) => Scalar::String,
        Literal::Bool(_) => Scalar::Bool,
        Literal::Integer(_) => Scalar::Integer,
        Literal::Float(_) => Scalar::Number,
        Literal::Null => Scalar::Null,
        Literal::Composite(_) => Scalar::Any,
    };
    match values.split_first() {
        Some((first, rest)) if rest.iter().all(|value| of(value) == of(first)) => of(first),
        _ => Scalar::Any,
    }
}

/// The bounds of a member, or otherwise those of its definition.
pub(crate) fn inherit<'a>(facets: &mut Option<Box<Facets<'a>>>, of: Option<Box<Facets<'a>>>) {
    let Some(mut of) = of else { return };
    of.settings.clear();
    match facets {
        None if *of == Facets::default() => {}
        None => *facets = Some(of),
        Some(own) => {
            let or = |own: Bounds, of: Bounds| if own == Bounds::default() { of } else { own };
            own.value = or(own.value, of.value);
            own.length = or(own.length, of.length);
            own.items = or(own.items, of.items);
            own.pattern = own.pattern.or(of.pattern);
            if own.default.is_none() {
                own.default = of.default;
                own.rest.extend(of.rest);
            }
        }
    }
}
