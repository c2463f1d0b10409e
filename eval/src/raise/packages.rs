//! Packages of a raised program: its own, and those with the classes of the resources.

use super::draft::Draft;
use super::expression::Expression;
use super::nodes::{
    array, assign, binary, block, boolean, hidden, identifier, load, member, new, node, null, number, object,
    of_type, property, sized_array, string, token,
};
use coconut_format::Package;
use coconut_format::il::{BuildError, SyntaxKind, SyntaxNode};
use coconut_format::names::{ModuleName, PackageName, PackageUrl};
use coconut_format::package::{PackageBuilder, PackageError};

impl Draft<'_> {
    /// The packages, the program first.
    pub(super) fn packages(&self, values: &[Expression]) -> Result<Vec<Package>, PackageError> {
        let mut modules = Modules::default();
        let (package, module) = (self.home.package.clone(), self.home.module.clone());
        modules.of(&package, &module);
        for class in 0..self.classes.len() {
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

    /// The node of an expression. Recursion is bounded by the levels of properties.
    fn node(&self, expression: &Expression) -> SyntaxNode {
        let node = |expression: &Expression| self.node(expression);
        let variable = |at: usize| load(&self.home.variable(&self.resources[at].variable));
        match expression {
            Expression::Null => null(),
            Expression::Bool(flag) => boolean(*flag),
            Expression::Number(value) => number(value),
            Expression::Text(text) => string(text),
            Expression::Hidden(literal) => hidden(node(literal)),
            Expression::List(items) => array("dynamic", items.iter().map(node).collect()),
            Expression::Object(entries) => {
                object(entries.iter().map(|(key, value)| (key.clone(), node(value))).collect())
            }
            Expression::Resource(at) => variable(*at),
            Expression::Output(at, token) => member(variable(*at), token),
            Expression::Binary(left, operator, right) => binary(node(left), operator, node(right)),
            Expression::Property(of, key) => property(node(of), node(key)),
            Expression::Sized(element, size) => sized_array(element, node(size)),
        }
    }

    /// The variables and functions of the program.
    fn program(&self, values: &[Expression], members: &mut Vec<(String, SyntaxNode)>) {
        let mut statements = Vec::with_capacity(values.len());
        for (at, (resource, value)) in self.resources.iter().zip(values).enumerate() {
            let class = self.classes.token(resource.class);
            let fields = [("name", identifier(&resource.variable).into()), ("type", of_type(class).into())];
            members.push((resource.variable.clone(), node(SyntaxKind::ModuleProperty, fields)));
            let target = load(&self.home.variable(&resource.variable));
            let mut arguments = Vec::new();
            if self.classes.takes_arguments(resource.class) {
                arguments.extend([string(&resource.name), self.node(value)]);
            }
            if !self.classes.options(resource.class).is_empty() {
                arguments.push(self.node(&Expression::Object(self.options(at))));
            }
            statements.push(assign(target, new(class, arguments)));
        }
        for (name, statements) in [(".init", statements), (".main", Vec::new())] {
            let fields = [("name", identifier(name).into()), ("body", block(statements).into())];
            members.push((name.to_owned(), node(SyntaxKind::ModuleMethod, fields)));
        }
    }
}

/// Modules by package, both in the order of first use.
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
