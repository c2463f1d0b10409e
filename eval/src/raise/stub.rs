//! Classes of a raised program, which stand in for the real ones.

use super::nodes::{
    assign, block, identifier, is_name, load, member, node, of_type, parameter, property, string,
};
use crate::rules::NAME_KEY;
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::names::TokenParts;
use std::collections::{HashMap, HashSet};

/// Properties of the base class of all resources.
const BASE_MEMBERS: [&str; 2] = ["id", "urn"];

/// A class that replaces the real one of this token.
struct Class {
    token: String,
    /// Properties in the order of their first occurrence in the graph.
    properties: Vec<String>,
    known: HashSet<String>,
    /// Unknown properties: type and name.
    outputs: Vec<(String, String)>,
    /// Whether its objects keep their names in a separate property.
    keeps_names: bool,
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
            properties: Vec::new(),
            known: BASE_MEMBERS.iter().map(|&member| member.to_owned()).collect(),
            outputs: Vec::new(),
            keeps_names: false,
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
        if is_new || (BASE_MEMBERS.contains(&name) && !class.properties.iter().any(|known| known == name)) {
            class.properties.push(name.to_owned());
        }
    }

    pub(super) fn keep_names(&mut self, class: usize) {
        self.list[class].keeps_names = true;
    }

    /// The token of an output of this type. Strings are computed from the id, which every resource
    /// has.
    pub(super) fn output(&mut self, class: usize, ty: &str) -> String {
        let base = self.list[0].token.clone();
        let class = &mut self.list[class];
        if ty == "string" && !class.properties.iter().any(|name| name == "id") {
            return format!("{base}:id");
        }
        let name = match class.outputs.iter().find(|(known, _)| known == ty) {
            Some((_, name)) => name.clone(),
            None => {
                let mut number = class.outputs.len() + 1;
                let mut name = format!("output{number}");
                while !class.known.insert(name.clone()) {
                    number += 1;
                    name = format!("output{number}");
                }
                class.outputs.push((ty.to_owned(), name.clone()));
                name
            }
        };
        format!("{}:{name}", class.token)
    }

    /// Whether the class has a constructor. The base class has one only if necessary.
    pub(super) fn takes_arguments(&self, class: usize) -> bool {
        let Class { properties, keeps_names, .. } = &self.list[class];
        class > 0 || !properties.is_empty() || *keeps_names
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
        let class = &self.list[number];
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
        let declared =
            class.properties.iter().filter(|name| is_name(name) && !BASE_MEMBERS.contains(&name.as_str()));
        members.extend(declared.map(|name| property(name, "dynamic")));
        members.extend(class.keeps_names.then(|| property(NAME_KEY, "dynamic")));
        members.extend(class.outputs.iter().map(|(ty, name)| property(name, ty)));
        if self.takes_arguments(number) {
            members.push((".ctor".to_owned(), constructor(class)));
        }
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

/// A constructor that takes a name and an object, and copies the properties of the object.
fn constructor(class: &Class) -> SyntaxNode {
    let this = || load(".this");
    let mut statements = Vec::new();
    if class.keeps_names {
        statements.push(assign(member(this(), &format!("{}:{NAME_KEY}", class.token)), load("name")));
    }
    for name in &class.properties {
        let target = match is_name(name) {
            true => member(this(), &format!("{}:{name}", class.token)),
            false => property(this(), string(name)),
        };
        statements.push(assign(target, property(load("args"), string(name))));
    }
    let parameters = vec![parameter("name"), parameter("args")];
    let fields = [
        ("name", identifier(".ctor").into()),
        ("access", "public".into()),
        ("parameters", parameters.into()),
        ("body", block(statements).into()),
    ];
    node(SyntaxKind::ClassMethod, fields)
}
