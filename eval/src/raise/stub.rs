//! Classes of a raised program, which stand in for the real ones.

use super::nodes::{
    assign, block, identifier, is_name, load, member, node, of_type, parameter, property, string,
};
use crate::placement::{self, NAME_KEY};
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::names::TokenParts;
use std::collections::{HashMap, HashSet};

/// Properties of the base class of all resources.
const BASE_MEMBERS: [&str; 2] = ["id", "urn"];

/// A class that replaces the real one of this token.
struct Class {
    token: String,
    known: HashSet<String>,
    shape: Shape,
}

/// The properties of a class.
#[derive(Default)]
pub(super) struct Shape {
    /// Properties in the order of their first occurrence in the graph.
    pub(super) properties: Vec<String>,
    /// Unknown properties: type and name.
    pub(super) outputs: Vec<(String, String)>,
    /// Whether its objects keep their names in a separate property.
    pub(super) keeps_names: bool,
    /// The other properties of the place that some of its objects have, in the order of
    /// [`placement::KEYS`].
    pub(super) options: Vec<&'static str>,
}

impl Shape {
    /// All properties of the place that its objects have.
    pub(super) fn places(&self) -> impl Iterator<Item = &'static str> {
        self.keeps_names.then_some(NAME_KEY).into_iter().chain(self.options.iter().copied())
    }

    /// Whether the base class has a property of this name.
    pub(super) fn is_of_base(&self, name: &str) -> bool {
        BASE_MEMBERS.contains(&name)
    }
}

/// The classes of a raised program, the base class first.
pub(super) struct Classes {
    list: Vec<Class>,
    numbers: HashMap<String, usize>,
}

impl Classes {
    pub(super) fn new(scheme: &str) -> Classes {
        let base = if scheme == "lumi" { "lumi" } else { "coconut" };
        let mut classes = Classes { list: Vec::new(), numbers: HashMap::new() };
        classes.number(&format!("{base}:resource:Resource"));
        classes
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The class of this token, as a token of a module member.
    pub(super) fn number(&mut self, token: &str) -> usize {
        if let Some(&number) = self.numbers.get(token) {
            return number;
        }
        let class = Class {
            token: token.to_owned(),
            known: BASE_MEMBERS.iter().map(|&member| member.to_owned()).collect(),
            shape: Shape::default(),
        };
        self.list.push(class);
        self.numbers.insert(token.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }

    pub(super) fn token(&self, class: usize) -> &str {
        &self.list[class].token
    }

    pub(super) fn has(&self, package: &str, module: &str, name: &str) -> bool {
        self.numbers.contains_key(&format!("{package}:{module}:{name}"))
    }

    pub(super) fn add_property(&mut self, class: usize, name: &str) {
        let class = &mut self.list[class];
        let is_new = class.known.insert(name.to_owned());
        let properties = &mut class.shape.properties;
        if is_new || (BASE_MEMBERS.contains(&name) && !properties.iter().any(|known| known == name)) {
            properties.push(name.to_owned());
        }
    }

    pub(super) fn keep_names(&mut self, class: usize) {
        self.list[class].shape.keeps_names = true;
    }

    /// The constructor of the class takes this option, and sets the property of that name.
    pub(super) fn add_option(&mut self, class: usize, key: &'static str) {
        let options = &mut self.list[class].shape.options;
        if !options.contains(&key) {
            options.push(key);
            options.sort_by_key(|key| placement::KEYS.iter().position(|known| known == key));
        }
    }

    /// The properties of the place that the constructor of a class takes as options.
    pub(super) fn options(&self, class: usize) -> &[&'static str] {
        &self.list[class].shape.options
    }

    pub(super) fn shape(&self, class: usize) -> &Shape {
        &self.list[class].shape
    }

    /// The token of an output of this type. Strings are computed from the id, which every resource
    /// has.
    pub(super) fn output(&mut self, class: usize, ty: &str) -> String {
        let base = self.list[0].token.clone();
        let class = &mut self.list[class];
        if ty == "string" && !class.shape.properties.iter().any(|name| name == "id") {
            return format!("{base}:id");
        }
        let name = match class.shape.outputs.iter().find(|(known, _)| known == ty) {
            Some((_, name)) => name.clone(),
            None => {
                let mut number = class.shape.outputs.len() + 1;
                let mut name = format!("output{number}");
                while !class.known.insert(name.clone()) {
                    number += 1;
                    name = format!("output{number}");
                }
                class.shape.outputs.push((ty.to_owned(), name.clone()));
                name
            }
        };
        format!("{}:{name}", class.token)
    }

    /// Whether its constructor has parameters. That of the base class has some only if necessary.
    pub(super) fn takes_arguments(&self, class: usize) -> bool {
        let Shape { properties, keeps_names, options, .. } = self.shape(class);
        class > 0 || !properties.is_empty() || *keeps_names || !options.is_empty()
    }

    /// The parts of a class token.
    pub(super) fn place(&self, class: usize) -> (&str, &str, &str) {
        match TokenParts::parse(&self.list[class].token) {
            Ok(TokenParts::ModuleMember { package, module, member }) => (package, module, member),
            _ => unreachable!("every class has a token with a package and a module"),
        }
    }

    /// The node of a class.
    pub(super) fn node(&self, number: usize) -> SyntaxNode {
        let shape = self.shape(number);
        let (_, _, name) = self.place(number);
        let property = |name: &str, ty: &str| {
            let fields = [
                ("name", identifier(name).into()),
                ("type", of_type(ty).into()),
                ("access", "public".into()),
            ];
            (name.to_owned(), node(SyntaxKind::ClassProperty, fields))
        };
        let is_base = number == 0;
        let mut members: Vec<(String, SyntaxNode)> = Vec::new();
        if is_base {
            members.extend(BASE_MEMBERS.iter().map(|name| property(name, "string")));
        }
        let declared = shape.properties.iter().filter(|name| is_name(name) && !shape.is_of_base(name));
        members.extend(declared.map(|name| property(name, "dynamic")));
        members.extend(shape.places().map(|key| property(key, "dynamic")));
        members.extend(shape.outputs.iter().map(|(ty, name)| property(name, ty)));
        members.push((".ctor".to_owned(), constructor(&self.list[number], self.takes_arguments(number))));
        let builder = [("name", identifier(name).into()), ("members", members.into())];
        match is_base {
            true => node(SyntaxKind::Class, builder),
            false => {
                let [name, members] = builder;
                node(SyntaxKind::Class, [name, ("extends", of_type(&self.list[0].token).into()), members])
            }
        }
    }
}

/// A constructor that takes a name, an object whose properties it copies, and options for the
/// place of the resource.
fn constructor(class: &Class, takes_arguments: bool) -> SyntaxNode {
    let Class { token, shape, .. } = class;
    let this = || load(".this");
    let mut statements = Vec::new();
    if shape.keeps_names {
        statements.push(assign(member(this(), &format!("{token}:{NAME_KEY}")), load("name")));
    }
    for name in &shape.properties {
        let target = match is_name(name) {
            true => member(this(), &format!("{token}:{name}")),
            false => property(this(), string(name)),
        };
        statements.push(assign(target, property(load("args"), string(name))));
    }
    for key in &shape.options {
        let target = member(this(), &format!("{token}:{key}"));
        statements.push(assign(target, property(load("options"), string(option_of(key)))));
    }
    let names: &[&str] = match (takes_arguments, shape.options.is_empty()) {
        (false, _) => &[],
        (true, true) => &["name", "args"],
        (true, false) => &["name", "args", "options"],
    };
    let parameters: Vec<SyntaxNode> = names.iter().map(|name| parameter(name)).collect();
    let fields = [
        ("name", identifier(".ctor").into()),
        ("access", "public".into()),
        ("parameters", parameters.into()),
        ("body", block(statements).into()),
    ];
    node(SyntaxKind::ClassMethod, fields)
}

/// The name of the option that sets a property of the place.
pub(super) fn option_of(key: &str) -> &str {
    key.trim_start_matches('.')
}
