//! §20.3 A package made from a schema, restored to the form of that schema.
//!
//! Definitions have their original tokens. Records made for anonymous objects become such objects
//! again. The arguments and results of a function become its members.

use crate::dialect::Dialect;
use crate::model::{Definition, Direction, Facets, Member, Members, Package, Role, Type};
use std::borrow::Cow;
use std::collections::HashMap;

impl<'a> Package<'a> {
    /// The surface in a form comparable with that of the original schema, or of the package made
    /// from it. In both, the inputs and outputs of a function are separate members.
    pub fn restored(mut self) -> Package<'a> {
        self.without_settings();
        if let Some((dialect, name)) = self.made_of {
            self.restore(dialect, name);
        }
        self.without_empty_texts();
        if self.dialect == Dialect::Terraform {
            self.split_functions();
        }
        self
    }

    fn restore(&mut self, dialect: Dialect, name: &'a str) {
        let with_origin = self.definitions.iter().filter(|one| one.origin.is_some());
        let origins: HashMap<String, &'a str> =
            with_origin.filter_map(|one| Some((one.token.to_string(), one.origin?))).collect();
        let inline = self.inline();
        for of in &mut self.types {
            let Type::Reference(token) = of else { continue };
            if let Some(origin) = origins.get(&**token) {
                *token = Cow::Borrowed(origin);
            } else if let Some(members) = inline.get(&**token) {
                *of = Type::Object(*members);
            }
        }
        for member in &mut self.members {
            restore_name(member);
        }
        let mut definitions = std::mem::take(&mut self.definitions);
        definitions.retain(|one| one.origin.is_some() || !inline.contains_key(&*one.token));
        for definition in &mut definitions {
            if let Some(origin) = definition.origin {
                definition.token = Cow::Borrowed(origin);
            }
            // A resource class may have received a base class when the package was made.
            definition.base = None;
            for (_, function) in &mut definition.methods {
                *function = origins.get(*function).copied().unwrap_or(function);
            }
            self.restore_members(definition, dialect);
        }
        self.definitions = definitions;
        (self.dialect, self.name) = (dialect, Cow::Borrowed(name));
        (self.modules, self.exports) = Default::default();
        self.made_of = None;
    }

    /// Records for anonymous objects: they have no name in the schema, and only one use. A record
    /// that refers to itself has more.
    fn inline(&self) -> HashMap<String, Members> {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for of in &self.types {
            if let Type::Reference(token) = of {
                *uses.entry(token).or_default() += 1;
            }
        }
        let is_inline = |one: &&Definition<'a>| {
            let uses = uses.get(&*one.token).copied().unwrap_or_default();
            one.role == Role::Type && one.origin.is_none() && one.value.is_none() && uses <= 1
        };
        let records = self.definitions.iter().filter(is_inline);
        records.map(|one| (one.token.to_string(), one.members)).collect()
    }

    fn restore_members(&mut self, definition: &mut Definition<'a>, dialect: Dialect) {
        match definition.role {
            Role::Class | Role::Provider if dialect == Dialect::Pulumi => {
                let members = self.members(definition.members).iter();
                definition.members = self.added(members.flat_map(in_and_out).collect());
                let members = self.members(definition.state).iter();
                definition.state = self.added(members.map(|one| directed(one, Direction::In)).collect());
            }
            Role::Function if !definition.is_positional || dialect == Dialect::Pulumi => {
                let mut members = Vec::new();
                if definition.is_positional {
                    members.extend_from_slice(self.members(definition.members));
                } else if let [arguments] = self.members(definition.members)
                    && let Type::Object(given) = self.type_of(arguments.type_id)
                {
                    members.extend(self.members(*given).iter().map(|one| directed(one, Direction::In)));
                }
                if let Some(Type::Object(read)) = definition.value.map(|value| self.type_of(value)) {
                    members.extend(self.members(*read).iter().map(|one| directed(one, Direction::Out)));
                    definition.value = None;
                }
                definition.members = self.added(members);
            }
            _ => {}
        }
    }

    /// Splits inputs and outputs into separate members.
    fn split_functions(&mut self) {
        let mut definitions = std::mem::take(&mut self.definitions);
        for definition in definitions.iter_mut().filter(|one| one.role == Role::Function) {
            let members = self.members(definition.members);
            if definition.is_positional || members.iter().all(|one| one.direction != Direction::Both) {
                continue;
            }
            let split = |one: &Member<'a>| match one.direction {
                Direction::Both => vec![directed(one, Direction::In), directed(one, Direction::Out)],
                _ => vec![one.clone()],
            };
            let members = members.iter().flat_map(split).collect();
            definition.members = self.added(members);
        }
        self.definitions = definitions;
    }

    /// Adds members at the end. A package has at most as many members as can be numbered, and these
    /// are copies of some.
    fn added(&mut self, members: Vec<Member<'a>>) -> Members {
        let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let first = number(self.members.len());
        self.members.extend(members);
        Members { first, end: number(self.members.len()) }
    }

    /// A package carries settings unchanged, without a model of them.
    fn without_settings(&mut self) {
        self.settings.clear();
        self.definitions.iter_mut().for_each(|one| one.settings.clear());
        for member in &mut self.members {
            if let Some(facets) = &mut member.facets {
                facets.settings.clear();
                if **facets == Facets::default() {
                    member.facets = None;
                }
            }
        }
    }

    /// A package omits empty descriptions.
    fn without_empty_texts(&mut self) {
        let is_said = |doc: &&str| !doc.is_empty();
        for member in &mut self.members {
            member.doc = member.doc.filter(is_said);
        }
        for definition in &mut self.definitions {
            definition.doc = definition.doc.filter(is_said);
        }
        self.version = self.version.filter(is_said);
    }
}

/// Gives a member its original name in the schema.
fn restore_name(member: &mut Member<'_>) {
    if let Some(origin) = member.facets.as_deref_mut().and_then(|facets| facets.origin.take()) {
        member.name = origin;
    }
    if member.facets.as_deref().is_some_and(|facets| *facets == Facets::default()) {
        member.facets = None;
    }
    let name = member.name;
    if let Some(output) = member.output.as_deref_mut() {
        restore_name(output);
        output.name = name;
    }
}

/// Splits a member of a class in two, if it is given and read.
fn in_and_out<'a>(member: &Member<'a>) -> Vec<Member<'a>> {
    if member.direction != Direction::Both {
        return vec![member.clone()];
    }
    let given = Member { is_computed: false, output: None, ..directed(member, Direction::In) };
    vec![given, member.as_read()]
}

fn directed<'a>(member: &Member<'a>, direction: Direction) -> Member<'a> {
    Member { direction, ..member.clone() }
}
