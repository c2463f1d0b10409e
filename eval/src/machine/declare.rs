//! §19.4 Modules and classes are declared when a token first refers to them.

use super::{Machine, Step};
use crate::error::EvalErrorKind;
use crate::heap::{
    Body, CLASS, Closure, LATENT, METHOD, Object, ObjectId, Properties, Property, READONLY, Value,
};
use crate::intrinsics::Intrinsic;
use crate::names::Name;
use crate::packages::PackageSource;
use crate::program::{
    AssetKind, Class, Found, Function, FunctionSource, Module, Site, State, member_of, parameters_of,
    signature_of,
};
use coconut_format::Value as Json;
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::names::TokenParts;
use std::rc::Rc;
use std::sync::Arc;

/// The resource classes; instances of these and of derived classes are resources.
const RESOURCES: [&str; 3] = ["coconut:resource:Resource", "lumi:resource:Resource", "mu:resource:Resource"];

/// The classes of assets and archives. Programs construct objects of derived classes.
const ASSETS: [(&str, AssetKind); 6] = [
    ("coconut:asset/asset:Asset", AssetKind::Asset),
    ("lumi:asset/asset:Asset", AssetKind::Asset),
    ("mu:asset/asset:Asset", AssetKind::Asset),
    ("coconut:asset/archive:Archive", AssetKind::Archive),
    ("lumi:asset/archive:Archive", AssetKind::Archive),
    ("mu:asset/archive:Archive", AssetKind::Archive),
];

/// The maximum length of a chain of exports.
const EXPORTS: usize = 64;

/// The maximum number of base classes of a class.
const BASES: usize = 256;

/// The maximum nesting of interface declarations. This bounds the recursion of the machine.
const INTERFACES: usize = 64;

/// Steps counted for the declaration of a class, in addition to its members.
const DECLARATION: u64 = 64;

impl<'p> Machine<'p> {
    /// The module of this package and name, loaded.
    pub(crate) fn find_module(&mut self, package: &str, name: &str) -> Step<Option<u32>> {
        let token = format!("{package}:{name}");
        if let Some(&found) = self.program.modules_by_token.get(&*token) {
            return Ok(found);
        }
        let found = self.load_module(package, name)?;
        self.program.modules_by_token.insert(token.into(), found);
        Ok(found)
    }

    fn find_package(&mut self, name: &str) -> Step<Option<Rc<dyn PackageSource + 'p>>> {
        if let Some(found) = self.program.packages.get(name) {
            return Ok(found.clone());
        }
        let source: &'p dyn crate::packages::Packages = self.program.source;
        let found =
            source.package(name).map_err(|error| EvalErrorKind::Package { name: name.to_owned(), error })?;
        self.program.packages.insert(name.into(), found.clone());
        Ok(found)
    }

    fn load_module(&mut self, package_name: &str, name: &str) -> Step<Option<u32>> {
        let Some(package) = self.find_package(package_name)? else { return Ok(None) };
        let failed = |error| EvalErrorKind::Package { name: package_name.to_owned(), error };
        let actual = package.alias(name).unwrap_or_else(|| name.to_owned());
        if let Some(&found) = self.program.modules_by_token.get(&*format!("{package_name}:{actual}")) {
            return Ok(found);
        }
        let Some(node) = package.module(&actual).map_err(failed)? else { return Ok(None) };
        let module = self.declare_module(package_name, &actual, Rc::new(node))?;
        self.program.modules_by_token.insert(format!("{package_name}:{actual}").into(), Some(module));
        Ok(Some(module))
    }

    fn declare_module(&mut self, package: &str, name: &str, node: Rc<SyntaxNode>) -> Step<u32> {
        let module = u32::try_from(self.program.modules.len()).unwrap_or(u32::MAX);
        let token: Arc<str> = format!("{package}:{name}").into();
        let ty = self.names.number("<module>.modtype");
        let globals = self.plain(ty)?;
        let exports = self.heap.add(Object {
            ty,
            prototype: None,
            properties: Properties::default(),
            body: Body::Module(module),
        })?;
        self.program.modules.push(Module {
            token: Arc::clone(&token),
            package: package.into(),
            node: Rc::clone(&node),
            globals,
            exports,
            init: None,
            state: State::New,
        });
        let mut members: Vec<(&str, &SyntaxNode)> = node.entries("members").collect();
        members.sort_by_key(|(name, _)| *name);
        for (member, tree) in members {
            let (flags, value) = match tree.kind() {
                SyntaxKind::ModuleMethod => {
                    let source = FunctionSource::Module { member: member.into() };
                    let function =
                        self.declare_function(tree, format!("{token}:{member}"), module, None, false, source);
                    if member == ".init" {
                        self.program.modules[module as usize].init = Some(function);
                    }
                    let closure = Closure { function, this: None, captures: None };
                    (METHOD | READONLY, Value::Object(self.function_object(closure)?))
                }
                SyntaxKind::Class => (CLASS | READONLY, Value::Empty),
                SyntaxKind::ModuleProperty => (0, self.default_value(tree)?),
                // Before modules had a map `exports`, exports were among the members.
                _ => continue,
            };
            let name = self.names.number(member);
            if self.heap.object(globals).properties.get(name).is_none() {
                self.add_property(globals, name, flags, value)?;
            }
        }
        Ok(module)
    }

    fn declare_function(
        &mut self,
        tree: &SyntaxNode,
        token: String,
        module: u32,
        class: Option<u32>,
        has_this: bool,
        source: FunctionSource,
    ) -> u32 {
        let intrinsic = Intrinsic::of(&token);
        let function = Function {
            token: token.into(),
            signature: signature_of(tree, &mut self.names),
            parameters: parameters_of(tree, &mut self.names),
            module,
            class,
            has_this,
            intrinsic,
            source,
            code: None,
        };
        self.program.functions.push(function);
        u32::try_from(self.program.functions.len() - 1).unwrap_or(u32::MAX)
    }

    fn default_value(&mut self, tree: &SyntaxNode) -> Step<Value> {
        Ok(match tree.value("default") {
            Some(Json::Bool(value)) => Value::Bool(*value),
            Some(Json::Integer(integer)) => Value::Number(integer.as_f64()),
            Some(Json::Float(value)) => Value::Number(*value),
            Some(Json::String(text)) => self.text(text)?,
            _ => Value::Null,
        })
    }

    /// The meaning of a site's token.
    pub(super) fn resolve(&mut self, site: u32) -> Step<Found> {
        let Site { token, found } = self.program.sites[site as usize];
        if let Some(found) = found {
            return Ok(found);
        }
        let found = match self.find(token)? {
            Some(found) => found,
            None => return Err(self.nothing_named(token)),
        };
        self.program.sites[site as usize].found = Some(found);
        Ok(found)
    }

    /// The meaning of a token.
    pub(crate) fn find(&mut self, token: Name) -> Step<Option<Found>> {
        let mut token = self.names.text(token).to_string();
        for _ in 0..EXPORTS {
            let parts = TokenParts::parse(&token).ok().or_else(|| TokenParts::of_class_member(&token));
            let Some(parts) = parts else { return Ok(None) };
            match parts {
                TokenParts::Simple { .. } => return Ok(None),
                TokenParts::Module { package, module } => {
                    return Ok(self.find_module(package, module)?.map(Found::Module));
                }
                TokenParts::ModuleMember { package, module, member } => {
                    let Some(module) = self.find_module(package, module)? else { return Ok(None) };
                    if let Some(found) = self.find_member(module, member)? {
                        return Ok(Some(found));
                    }
                    match self.export_of(module, member) {
                        Some(referent) => token = referent,
                        None => return Ok(None),
                    }
                }
                TokenParts::ClassMember { package, module, class, member } => {
                    let class = self.names.number(&format!("{package}:{module}:{class}"));
                    let member = self.names.number(member);
                    let Some(class) = self.find_class(class)? else { return Ok(None) };
                    return Ok(self.find_static(class, member));
                }
            }
        }
        Ok(None)
    }

    /// The token to which an export leads.
    pub(super) fn export_of(&self, module: u32, name: &str) -> Option<String> {
        let node = &self.program.module(module).node;
        let mut entries = node.entries("exports").chain(node.entries("members"));
        let (_, export) =
            entries.find(|(entry, tree)| *entry == name && tree.kind() == SyntaxKind::Export)?;
        Some(export.token("referent").or_else(|| export.token("token"))?.to_owned())
    }

    pub(super) fn find_member(&mut self, module: u32, member: &str) -> Step<Option<Found>> {
        let globals = self.program.module(module).globals;
        let Some(name) = self.names.find(member) else { return Ok(None) };
        let Some(position) = self.heap.object(globals).properties.position(name) else { return Ok(None) };
        if self.heap.object(globals).properties.at(position).flags & CLASS != 0 {
            return Ok(Some(Found::Class(self.declare_class(module, member)?)));
        }
        Ok(Some(Found::Global { module, position: u32::try_from(position).unwrap_or(u32::MAX) }))
    }

    /// The static member of a class or of one of its base classes.
    fn find_static(&self, class: u32, member: Name) -> Option<Found> {
        let mut at = Some(class);
        while let Some(class) = at {
            let statics = self.program.class(class).statics;
            if let Some(position) = self.heap.object(statics).properties.position(member) {
                return Some(Found::Static { class, position: u32::try_from(position).unwrap_or(u32::MAX) });
            }
            at = self.program.class(class).base;
        }
        None
    }

    /// The class of a type token, if the token names one.
    pub(crate) fn find_class(&mut self, token: Name) -> Step<Option<u32>> {
        if let Some(&found) = self.program.classes_by_token.get(&token) {
            return Ok(found);
        }
        let text = self.names.text(token).to_string();
        let is_member = matches!(TokenParts::parse(&text), Ok(TokenParts::ModuleMember { .. }));
        let found = match is_member {
            true => match self.find(token)? {
                Some(Found::Class(class)) => Some(class),
                _ => None,
            },
            false => None,
        };
        self.program.classes_by_token.insert(token, found);
        Ok(found)
    }

    /// The class with this name in a module, with its base classes.
    pub(super) fn declare_class(&mut self, module: u32, name: &str) -> Step<u32> {
        // The classes to declare, the outermost base class last.
        let mut open: Vec<(u32, Box<str>, Name)> = Vec::new();
        let mut next = Some((module, Box::<str>::from(name)));
        let mut base = None;
        while let Some((module, name)) = next.take() {
            let token = format!("{}:{name}", self.program.module(module).token);
            let token = self.names.number(&token);
            if let Some(&Some(found)) = self.program.classes_by_token.get(&token) {
                base = Some(found);
                break;
            }
            self.charge(DECLARATION)?;
            if open.len() >= BASES || open.iter().any(|(_, _, other)| *other == token) {
                let text = format!(
                    "class '{}' has itself among its base classes, or too many",
                    self.names.text(token)
                );
                return Err(self.exception(&text));
            }
            let node = Rc::clone(&self.program.module(module).node);
            let extends = member_of(&node, &name).and_then(|class| class.token("extends"));
            open.push((module, name, token));
            if let Some(extends) = extends {
                next = self.class_place(extends)?;
                // A class that extends another type is another name of it.
                if next.is_none() && is_class_token(extends) {
                    let class = self.names.text(token);
                    let text = format!("`{class}` has the base class `{extends}`, which no package defines");
                    self.note(text)?;
                }
            }
        }
        if open.is_empty() {
            return Ok(base.expect("the class was declared before"));
        }
        // An interface may lead to a class whose declaration has begun here.
        if self.declaring >= INTERFACES {
            let text =
                format!("class '{}' has too many interfaces of interfaces", self.names.text(open[0].2));
            return Err(self.exception(&text));
        }
        self.declaring += 1;
        let declared = self.declare_open(open, base);
        self.declaring -= 1;
        declared
    }

    /// Declares classes, the last one first. Each one's base class is the one declared before it.
    fn declare_open(&mut self, mut open: Vec<(u32, Box<str>, Name)>, mut base: Option<u32>) -> Step<u32> {
        while let Some((module, name, token)) = open.pop() {
            base = match self.program.classes_by_token.get(&token) {
                Some(&Some(declared)) => Some(declared),
                _ => Some(self.declare_one(module, &name, token, base)?),
            };
        }
        Ok(base.expect("the class itself was open, or declared before"))
    }

    /// The module and the name of a class that may not be declared yet.
    fn class_place(&mut self, token: &str) -> Step<Option<(u32, Box<str>)>> {
        let mut token = token.to_owned();
        for _ in 0..EXPORTS {
            let Ok(TokenParts::ModuleMember { package, module, member }) = TokenParts::parse(&token) else {
                return Ok(None);
            };
            let Some(module) = self.find_module(package, module)? else { return Ok(None) };
            let is_class = member_of(&self.program.module(module).node, member)
                .is_some_and(|tree| tree.kind() == SyntaxKind::Class);
            if is_class {
                return Ok(Some((module, member.into())));
            }
            match self.export_of(module, member) {
                Some(referent) => token = referent,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn declare_one(&mut self, module: u32, name: &str, token: Name, base: Option<u32>) -> Step<u32> {
        let node = Rc::clone(&self.program.module(module).node);
        let Some(tree) = member_of(&node, name) else { return Err(self.not_defined(token)) };
        let text = self.names.text(token).to_string();
        let number = u32::try_from(self.program.classes.len()).unwrap_or(u32::MAX);
        let ty = self.names.number(&format!("{text}.prototype"));
        let prototype = self.heap.add(Object {
            ty,
            prototype: base.map(|base| self.program.class(base).prototype),
            properties: Properties::default(),
            body: Body::Prototype(number),
        })?;
        let statics = self.plain(ty)?;
        let inherited = base.map(|base| self.program.class(base));
        let bases = inherited.map_or(0, |base| base.bases + 1);
        let names = inherited.map_or(0, |base| base.readonly.len() + base.primary.len());
        self.heap.take(names * size_of::<Name>())?;
        if bases as usize > BASES {
            let text = format!("class '{text}' has itself among its base classes, or too many");
            return Err(self.exception(&text));
        }
        let inherited = base.map(|base| self.program.class(base));
        let is_resource = RESOURCES.contains(&&*text) || inherited.is_some_and(|base| base.is_resource);
        let asset = ASSETS.iter().find(|(class, _)| **class == *text).map(|(_, kind)| *kind);
        let asset = asset.or_else(|| inherited.and_then(|base| base.asset));
        let alias = tree.token("extends").filter(|extends| !is_class_token(extends)).map(Into::into);
        self.program.classes.push(Class {
            token,
            module,
            name: name.into(),
            base,
            bases,
            interfaces: Vec::new(),
            prototype,
            statics,
            init: None,
            constructor: None,
            state: State::New,
            is_record: tree.flag("record"),
            is_resource,
            asset,
            alias,
            readonly: inherited.map(|base| base.readonly.clone()).unwrap_or_default(),
            primary: inherited.map(|base| base.primary.clone()).unwrap_or_default(),
        });
        // This comes before the interfaces, because they may name this class.
        self.program.classes_by_token.insert(token, Some(number));
        for interface in tree.nodes("implements") {
            let Some(interface) = interface.text("tok") else { continue };
            let interface = self.names.number(interface);
            if let Some(interface) = self.find_class(interface)?
                && interface != number
            {
                let Class { is_resource, asset, .. } = *self.program.class(interface);
                let class = &mut self.program.classes[number as usize];
                class.interfaces.push(interface);
                class.is_resource |= is_resource;
                class.asset = class.asset.or(asset);
            }
        }
        for (member, tree) in tree.entries("members") {
            self.declare_class_member(number, &text, member, tree)?;
        }
        self.fill_from_interfaces(number)?;
        Ok(number)
    }

    fn declare_class_member(&mut self, class: u32, token: &str, member: &str, tree: &SyntaxNode) -> Step {
        let Class { module, prototype, statics, is_resource, name: class_name, .. } =
            self.program.class(class);
        let (module, prototype, statics, is_resource) = (*module, *prototype, *statics, *is_resource);
        let class_name = class_name.clone();
        let is_static = tree.flag("static");
        let owner = if is_static { statics } else { prototype };
        let name = self.names.number(member);
        if self.heap.object(owner).properties.get(name).is_some() {
            return Ok(());
        }
        let source =
            |accessor| FunctionSource::Class { class: class_name.clone(), member: member.into(), accessor };
        match tree.kind() {
            SyntaxKind::ClassMethod => {
                let full = format!("{token}:{member}");
                let function =
                    self.declare_function(tree, full, module, Some(class), !is_static, source(None));
                match (member, is_static) {
                    (".init", _) => self.program.classes[class as usize].init = Some(function),
                    (".ctor", _) => self.program.classes[class as usize].constructor = Some(function),
                    _ => {}
                }
                let this = (!is_static).then_some(prototype);
                let value = self.function_object(Closure { function, this, captures: None })?;
                self.add_property(owner, name, METHOD | READONLY, Value::Object(value))
            }
            SyntaxKind::ClassProperty => {
                let mut accessors = [None, None];
                for (accessor, key) in accessors.iter_mut().zip(["getter", "setter"]) {
                    let Some(tree) = tree.node(key) else { continue };
                    let full = format!("{token}:{}", tree.token("name").unwrap_or(member));
                    let function =
                        self.declare_function(tree, full, module, Some(class), !is_static, source(Some(key)));
                    *accessor =
                        Some(self.function_object(Closure { function, this: None, captures: None })?);
                }
                if let [getter, setter] = accessors
                    && (getter.is_some() || setter.is_some())
                {
                    let ty = self.names.number("accessor");
                    let body = Body::Accessor { getter, setter };
                    let object = Object { ty, prototype: None, properties: Properties::default(), body };
                    let value = Value::Object(self.heap.add(object)?);
                    return self.add_property(owner, name, METHOD, value);
                }
                if tree.flag("readonly") && !is_static {
                    self.program.classes[class as usize].readonly.push(name);
                }
                if tree.flag("primary") && !is_static {
                    self.program.classes[class as usize].primary.push(name);
                }
                let ty = tree.token("type").unwrap_or("dynamic");
                let is_latent =
                    is_resource && !is_static && tree.value("default").is_none() && !ty.starts_with('(');
                match is_latent {
                    true => {
                        let ty = self.text(ty)?;
                        self.add_property(owner, name, LATENT, ty)
                    }
                    false => {
                        let value = self.default_value(tree)?;
                        self.add_property(owner, name, 0, value)
                    }
                }
            }
            _ => Ok(()),
        }
    }

    /// Adds members that the class lacks and its interfaces have.
    fn fill_from_interfaces(&mut self, class: u32) -> Step {
        let prototype = self.program.class(class).prototype;
        for interface in self.program.class(class).interfaces.clone() {
            let from = self.program.class(interface).prototype;
            let missing: Vec<Property> = {
                let of = |object: ObjectId, name: Name| self.is_inherited(object, name);
                let all = self.heap.object(from).properties.iter();
                all.filter(|property| !of(prototype, property.name)).copied().collect()
            };
            for Property { name, flags, value } in missing {
                self.add_property(prototype, name, flags, value)?;
            }
        }
        Ok(())
    }

    fn is_inherited(&self, object: ObjectId, name: Name) -> bool {
        let mut at = Some(object);
        while let Some(object) = at {
            let object = self.heap.object(object);
            if object.properties.get(name).is_some() {
                return true;
            }
            at = object.prototype;
        }
        false
    }

    /// Adds a property that does not exist yet.
    pub(crate) fn add_property(&mut self, object: ObjectId, name: Name, flags: u8, value: Value) -> Step {
        let most = self.limits.object_properties;
        Ok(self.heap.push_property(object, Property { name, flags, value }, most)?)
    }
}

/// Whether a type token has the form of the token of a class.
fn is_class_token(token: &str) -> bool {
    matches!(TokenParts::parse(token), Ok(TokenParts::ModuleMember { .. }))
}
