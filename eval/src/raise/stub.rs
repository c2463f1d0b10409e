//! Packages of a raised program: its own, and those with the classes of the resources.

use super::draft::{Draft, Home};
use super::literal::Literals;
use super::nodes::{
    assign, block, identifier, is_name, load, member, new, node, of_type, parameter, property, string, token,
};
use crate::rules::NAME_KEY;
use coconut_format::Package;
use coconut_format::il::{BuildError, SyntaxKind, SyntaxNode};
use coconut_format::names::{ModuleName, PackageName, PackageUrl, TokenParts};
use coconut_format::package::{PackageBuilder, PackageError};
use std::collections::{HashMap, HashSet};

/// Properties of the class that all resources have as their base.
const BASE_MEMBERS: [&str; 2] = ["id", "urn"];

/// A class that stands in for the real one of this token.
struct Class {
    token: String,
    /// In the order in which the graph has them first.
    properties: Vec<String>,
    known: HashSet<String>,
    /// Unknown properties: type and name.
    outputs: Vec<(String, String)>,
    /// Whether its objects keep their names in a property of their own.
    keeps_names: bool,
}

/// The classes of a raised program, the base class first.
pub(super) struct Classes {
    list: Vec<Class>,
    numbers: HashMap<String, usize>,
}

impl Classes {
    pub(super) fn new(home: &Home) -> Classes {
        let base = if home.scheme == "lumi" { "lumi" } else { "coconut" };
        let mut classes = Classes { list: Vec::new(), numbers: HashMap::new() };
        classes.number(&format!("{base}:resource:Resource"));
        classes
    }

    /// The class of this token, which is the token of a member of a module.
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

    /// The token of an output of this type. Texts come from the id, which every resource has.
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

    /// Whether the class has a constructor: the base class has one only if it needs to.
    fn takes_arguments(&self, class: usize) -> bool {
        let Class { properties, keeps_names, .. } = &self.list[class];
        class > 0 || !properties.is_empty() || *keeps_names
    }

    /// The parts of the token of a class.
    fn place(&self, class: usize) -> (&str, &str, &str) {
        match TokenParts::parse(&self.list[class].token) {
            Ok(TokenParts::ModuleMember { package, module, member }) => (package, module, member),
            _ => unreachable!("every class has a token with a package and a module"),
        }
    }

    /// The node of a class.
    fn node(&self, number: usize) -> SyntaxNode {
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

/// A constructor that takes a name, and an object whose properties it copies.
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

impl Draft<'_> {
    /// The packages, the program first.
    pub(super) fn packages(&mut self) -> Result<Vec<Package>, PackageError> {
        // Expressions may need more properties of classes, and so they come first.
        let values: Vec<SyntaxNode> =
            (0..self.resources.len()).map(|at| Literals::new(self, at).properties()).collect();
        let mut modules = Modules::default();
        let (package, module) = (self.home.package.clone(), self.home.module.clone());
        modules.of(&package, &module);
        for class in 0..self.classes.list.len() {
            let (package, module, name) = self.classes.place(class);
            let node = self.classes.node(class);
            modules.of(package, module).push((name.to_owned(), node));
        }
        let members = modules.of(&package, &module);
        self.program(values, members);
        let base = self.classes.place(0).0;
        let all: Vec<&str> = modules.0.iter().map(|(package, _)| package.as_str()).collect();
        let mut packages = Vec::with_capacity(all.len());
        for (at, (name, modules)) in modules.0.iter().enumerate() {
            let needs = if at == 0 { all.clone() } else { vec![base] };
            packages.push(built(name, modules, &needs, (at == 0).then_some(&*module))?);
        }
        Ok(packages)
    }

    /// The variables and functions of the program.
    fn program(&self, values: Vec<SyntaxNode>, members: &mut Vec<(String, SyntaxNode)>) {
        let mut statements = Vec::with_capacity(values.len());
        for (resource, value) in self.resources.iter().zip(values) {
            let class = self.classes.token(resource.class);
            let fields = [("name", identifier(&resource.variable).into()), ("type", of_type(class).into())];
            members.push((resource.variable.clone(), node(SyntaxKind::ModuleProperty, fields)));
            let target = load(&self.home.variable(&resource.variable));
            let arguments = match self.classes.takes_arguments(resource.class) {
                true => vec![string(&resource.name), value],
                false => Vec::new(),
            };
            statements.push(assign(target, new(class, arguments)));
        }
        for (name, statements) in [(".init", statements), (".main", Vec::new())] {
            let fields = [("name", identifier(name).into()), ("body", block(statements).into())];
            members.push((name.to_owned(), node(SyntaxKind::ModuleMethod, fields)));
        }
    }
}

/// Modules by package, both in the order in which they are first needed.
#[derive(Default)]
struct Modules(Vec<(String, Vec<(String, Members)>)>);

type Members = Vec<(String, SyntaxNode)>;

impl Modules {
    fn of(&mut self, package: &str, module: &str) -> &mut Members {
        entry(entry(&mut self.0, package), module)
    }
}

fn entry<'l, T: Default>(list: &'l mut Vec<(String, T)>, key: &str) -> &'l mut T {
    let at = list.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
        list.push((key.to_owned(), T::default()));
        list.len() - 1
    });
    &mut list[at].1
}

fn built(
    name: &str,
    modules: &[(String, Members)],
    needs: &[&str],
    default: Option<&str>,
) -> Result<Package, PackageError> {
    let wrong = |found: String| {
        PackageError::Part(BuildError::Misfit { kind: SyntaxKind::Package, key: "name", found })
    };
    let package = |name: &str| PackageName::parse(name).map_err(|error| wrong(error.to_string()));
    let mut builder = PackageBuilder::new(&package(name)?);
    for need in needs.iter().filter(|need| **need != name) {
        builder = builder.dependency(&package(need)?, &PackageUrl::Any);
    }
    for (module, members) in modules {
        let exports =
            members.iter().filter(|(_, member)| member.kind() == SyntaxKind::Class).map(|(class, _)| {
                let referent = token(&format!("{name}:{module}:{class}"));
                let fields = [("name", identifier(class).into()), ("referent", referent.into())];
                (class.clone(), node(SyntaxKind::Export, fields))
            });
        let exports: Vec<(String, SyntaxNode)> = exports.collect();
        let fields = [
            ("name", identifier(module).into()),
            ("exports", exports.into()),
            ("members", members.clone().into()),
        ];
        let module_name = ModuleName::parse(module).map_err(|error| wrong(error.to_string()))?;
        builder = builder.module(&module_name, node(SyntaxKind::Module, fields));
    }
    if let Some(module) = default {
        builder = builder.alias(".default", module);
    }
    builder.finish()
}
