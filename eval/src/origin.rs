//! The place in a program where the value of a property was written.
//!
//! The packages are read, not run: a value is followed from the property through the constructors
//! that set it, their parameters, object literals, and variables that are set once.

use crate::outcome::Resource;
use crate::packages::{Packages, SourceError};
use coconut_format::il::{SyntaxKind, SyntaxNode, SyntaxWalk, WalkEvent};
use coconut_format::location::Location;
use coconut_format::pointer;
use std::collections::HashMap;
use std::rc::Rc;

/// The most steps from a property to its value.
const STEPS: usize = 256;

/// The place where the value of a property of a resource was written. `pointer` is a JSON pointer
/// into its properties.
///
/// This is the nearest place that is certain: the literal or expression that has the value, or else
/// the expression that has the object around it, or the place where the program constructs the
/// resource. `None` if the package of the program has no locations. Costs the modules on the way,
/// decoded.
///
/// # Errors
///
/// Fails if a package or module cannot be read.
pub fn origin(
    packages: &dyn Packages,
    program: &str,
    resource: Resource<'_>,
    pointer: &str,
) -> Result<Option<Location>, SourceError> {
    let Some(construction) = resource.location() else { return Ok(None) };
    let keys: Vec<String> =
        pointer::keys(pointer).into_iter().flatten().map(std::borrow::Cow::into_owned).collect();
    let mut modules = Modules::default();
    let mut known = HashMap::new();
    // Each round needs at most one further module.
    for _ in 0..STEPS {
        let search = Search { modules: &modules, program };
        match search.run(construction, resource.type_token(), &keys) {
            Ok(found) => return Ok(Some(found.unwrap_or(construction).clone())),
            Err(Needed(name)) => {
                let (package, module) = name.rsplit_once(':').unwrap_or_default();
                if !known.contains_key(package) {
                    known.insert(package.to_owned(), packages.package(package)?);
                }
                let module = known[package].as_ref().map_or(Ok(None), |package| package.module(module))?;
                modules.0.insert(name, module);
            }
        }
    }
    Ok(Some(construction.clone()))
}

/// Decoded modules by `PACKAGE:MODULE`; `None` for those that do not exist.
#[derive(Default)]
struct Modules(HashMap<String, Option<SyntaxNode>>);

/// A module that must be decoded first.
struct Needed(String);

struct Search<'m> {
    modules: &'m Modules,
    program: &'m str,
}

/// An expression, with the parameters that it sees.
#[derive(Clone)]
struct Place<'m> {
    node: &'m SyntaxNode,
    frame: Option<Rc<Frame<'m>>>,
    /// `PACKAGE:MODULE`.
    module: &'m str,
}

/// The arguments of a call; `None` for parameters that the function may set itself.
struct Frame<'m> {
    arguments: Vec<(&'m str, Option<Place<'m>>)>,
}

impl<'m> Search<'m> {
    fn module(&self, name: &str) -> Result<Option<(&'m str, &'m SyntaxNode)>, Needed> {
        match self.modules.0.get_key_value(name) {
            Some((name, module)) => Ok(module.as_ref().map(|module| (name.as_str(), module))),
            None => Err(Needed(name.to_owned())),
        }
    }

    fn run(
        &self,
        construction: &Location,
        ty: &str,
        keys: &[String],
    ) -> Result<Option<&'m Location>, Needed> {
        let Some((property, rest)) = keys.split_first() else { return Ok(None) };
        let Some(file) = construction.file.as_deref() else { return Ok(None) };
        let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
        let Some((module, tree)) = self.module(&format!("{}:{name}", self.program))? else { return Ok(None) };
        let Some(new) = construction_at(tree, construction) else { return Ok(None) };
        let new = Place { node: new, frame: None, module };
        let Some(mut place) = self.property(ty, &new, property)? else { return Ok(None) };
        for key in rest {
            place = self.followed(place)?;
            match part(place.node, key) {
                Some(node) => place.node = node,
                None => break,
            }
        }
        Ok(self.followed(place)?.node.location())
    }

    /// The expression that a constructor, or that of a base class, assigns to a property.
    fn property(&self, ty: &str, call: &Place<'m>, property: &str) -> Result<Option<Place<'m>>, Needed> {
        let (mut ty, mut call) = (ty.to_owned(), call.clone());
        for _ in 0..STEPS {
            let Some((module, class)) = ty.rsplit_once(':') else { return Ok(None) };
            let Some((module, tree)) = self.module(module)? else { return Ok(None) };
            let member = |node: &'m SyntaxNode, name: &str| {
                node.entries("members").find(|(found, _)| *found == name).map(|(_, node)| node)
            };
            let Some(class) = member(tree, class) else { return Ok(None) };
            let base = class.token("extends");
            let Some(constructor) = member(class, ".ctor") else {
                let Some(base) = base else { return Ok(None) };
                ty = base.to_owned();
                continue;
            };
            let parameters = constructor.nodes("parameters").filter_map(|parameter| parameter.token("name"));
            let arguments = call.node.nodes("arguments").filter_map(|argument| argument.node("expr"));
            let bound = parameters.zip(arguments).map(|(name, node)| {
                let is_set = assignments(constructor)
                    .any(|(target, _)| target.node("object").is_none() && whole_name(target) == Some(name));
                (name, (!is_set).then(|| Place { node, ..call.clone() }))
            });
            let frame = Some(Rc::new(Frame { arguments: bound.collect() }));
            let mut assigned = assignments(constructor).filter(|(target, _)| {
                target.node("object").is_some_and(|object| object.token("name") == Some(".this"))
                    && last_name(target) == Some(property)
            });
            if let Some((_, node)) = assigned.next() {
                // One of several may be the last.
                return Ok(assigned.next().is_none().then_some(Place { node, frame, module }));
            }
            let (Some(base), Some(node)) = (base, base_call(constructor)) else { return Ok(None) };
            ty = base.to_owned();
            call = Place { node, frame, module };
        }
        Ok(None)
    }

    /// The expression that has the value of an expression, as far as that is certain.
    fn followed(&self, mut place: Place<'m>) -> Result<Place<'m>, Needed> {
        for _ in 0..STEPS {
            let next = match (place.node.kind(), place.node.node("object")) {
                (SyntaxKind::CastExpression, _) => place.node.node("expression"),
                (SyntaxKind::LoadLocationExpression | SyntaxKind::TryLoadDynamicExpression, Some(object)) => {
                    let object = self.followed(Place { node: object, ..place.clone() })?;
                    match last_name(place.node).and_then(|name| part(object.node, name)) {
                        Some(node) => {
                            place = Place { node, ..object };
                            continue;
                        }
                        // The argument of a constructor says more than the line that reads it.
                        None if object.node.location().is_some() && place.frame.is_some() => {
                            return Ok(object);
                        }
                        None => None,
                    }
                }
                (SyntaxKind::LoadLocationExpression | SyntaxKind::TryLoadDynamicExpression, None) => {
                    let Some(name) = whole_name(place.node) else { return Ok(place) };
                    match self.variable(&place, name)? {
                        Some(next) => {
                            place = next;
                            continue;
                        }
                        None => None,
                    }
                }
                _ => None,
            };
            match next {
                Some(node) => place.node = node,
                None => return Ok(place),
            }
        }
        Ok(place)
    }

    /// The value of a parameter, or of a variable of a module that is set once.
    fn variable(&self, place: &Place<'m>, name: &str) -> Result<Option<Place<'m>>, Needed> {
        let arguments = place.frame.iter().flat_map(|frame| &frame.arguments);
        if let Some((_, argument)) = arguments.into_iter().find(|(known, _)| *known == name) {
            return Ok(argument.clone());
        }
        // A token that is only a name is that of a local variable.
        if place.node.kind() == SyntaxKind::LoadLocationExpression && !name.contains(':') {
            return Ok(None);
        }
        let (module, own) = name.rsplit_once(':').unwrap_or((place.module, name));
        let Some((module, tree)) = self.module(module)? else { return Ok(None) };
        let is_variable =
            |(known, node): (&str, &SyntaxNode)| known == own && node.kind() == SyntaxKind::ModuleProperty;
        if !tree.entries("members").any(is_variable) {
            return Ok(None);
        }
        let mut assigned = assignments(tree).filter(|(target, _)| {
            let found = target.node("object").is_none().then(|| whole_name(target)).flatten();
            found.is_some_and(|found| found == own || found.rsplit_once(':') == Some((module, own)))
        });
        let value = assigned.next().filter(|_| assigned.next().is_none());
        Ok(value.map(|(_, node)| Place { node, frame: None, module }))
    }
}

/// The construction at a place. Several may begin there: `new A(…)` and what is made from it.
fn construction_at<'m>(tree: &'m SyntaxNode, place: &Location) -> Option<&'m SyntaxNode> {
    nodes(tree).find(|node| {
        node.kind() == SyntaxKind::NewExpression
            && node.location().is_some_and(|location| location.start == place.start)
    })
}

fn nodes(tree: &SyntaxNode) -> impl Iterator<Item = &SyntaxNode> {
    SyntaxWalk::new(tree).filter_map(|event| match event {
        WalkEvent::Enter(node) => Some(node),
        WalkEvent::Leave(_) => None,
    })
}

/// All assignments of a tree: targets and values.
fn assignments(tree: &SyntaxNode) -> impl Iterator<Item = (&SyntaxNode, &SyntaxNode)> {
    nodes(tree).filter_map(|node| {
        let operator = node.text("operator").filter(|operator| operator.ends_with('='))?;
        // `+=` and others set the variable, too, so that it is set more than once.
        let is_comparison = matches!(operator, "==" | "!=" | "<=" | ">=");
        (node.kind() == SyntaxKind::BinaryOperatorExpression && !is_comparison)
            .then(|| Some((node.node("left")?, node.node("right")?)))?
    })
}

fn base_call(constructor: &SyntaxNode) -> Option<&SyntaxNode> {
    nodes(constructor).find(|node| {
        let function = node.node("function").filter(|_| node.kind() == SyntaxKind::InvokeFunctionExpression);
        let object = function.and_then(|function| function.node("object"));
        object.is_some_and(|object| object.token("name") == Some(".super"))
    })
}

/// The name of a load: its token, or the text that it looks up.
fn whole_name(load: &SyntaxNode) -> Option<&str> {
    load.token("name").or_else(|| load.node("name")?.text("value"))
}

fn last_name(load: &SyntaxNode) -> Option<&str> {
    whole_name(load).map(|name| name.rsplit_once(':').map_or(name, |(_, last)| last))
}

/// A property of an object literal, or an item of a list literal.
fn part<'m>(literal: &'m SyntaxNode, key: &str) -> Option<&'m SyntaxNode> {
    match literal.kind() {
        SyntaxKind::ObjectLiteral => {
            let named = literal.nodes("properties").filter(|property| {
                let name = property.token("property");
                name.map(|name| name.rsplit_once(':').map_or(name, |(_, last)| last)) == Some(key)
            });
            named.last().and_then(|property| property.node("value"))
        }
        SyntaxKind::ArrayLiteral => literal.nodes("elements").nth(key.parse().ok()?),
        _ => None,
    }
}
