//! §19.4 The packages, modules, classes and functions used by a program.

use crate::code::Code;
use crate::heap::ObjectId;
use crate::intrinsics::Intrinsic;
use crate::names::{Name, Names};
use crate::packages::{PackageSource, Packages};
use coconut_format::il::SyntaxNode;
use hashbrown::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Everything loaded so far. Numbers of modules, classes and functions are positions in the lists.
pub(crate) struct Program<'p> {
    pub(crate) source: &'p dyn Packages,
    pub(crate) packages: HashMap<Box<str>, Option<Rc<dyn PackageSource + 'p>>>,
    pub(crate) modules: Vec<Module>,
    /// By `package:module`, with aliases as written.
    pub(crate) modules_by_token: HashMap<Box<str>, Option<u32>>,
    pub(crate) classes: Vec<Class>,
    /// By token, including the tokens of exports that lead to the class.
    pub(crate) classes_by_token: HashMap<Name, Option<u32>>,
    pub(crate) functions: Vec<Function>,
    pub(crate) sites: Vec<Site>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    New,
    /// Running or done. This ends a circle of initializers.
    Begun,
}

pub(crate) struct Module {
    /// `package:module`.
    pub(crate) token: Arc<str>,
    pub(crate) package: Box<str>,
    pub(crate) node: Rc<SyntaxNode>,
    /// Its variables, functions and classes.
    pub(crate) globals: ObjectId,
    /// The parts visible to other modules.
    pub(crate) exports: ObjectId,
    pub(crate) init: Option<u32>,
    pub(crate) state: State,
}

pub(crate) struct Class {
    pub(crate) token: Name,
    pub(crate) module: u32,
    pub(crate) name: Box<str>,
    pub(crate) base: Option<u32>,
    /// The number of base classes above it.
    pub(crate) bases: u32,
    pub(crate) interfaces: Vec<u32>,
    pub(crate) prototype: ObjectId,
    pub(crate) statics: ObjectId,
    pub(crate) init: Option<u32>,
    pub(crate) constructor: Option<u32>,
    pub(crate) state: State,
    pub(crate) is_record: bool,
    pub(crate) is_resource: bool,
    /// The kind of value that its objects are in the graph, if they are files or texts.
    pub(crate) asset: Option<AssetKind>,
    /// The type of which the class is another name, if it extends a type that is not a class.
    pub(crate) alias: Option<Box<str>>,
    /// Readonly properties of instances, including those of base classes.
    pub(crate) readonly: Vec<Name>,
    /// Properties set by the unnamed and named arguments of a record.
    pub(crate) primary: Vec<Name>,
}

/// §15.7 Values with a signature that objects of a class have in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssetKind {
    Asset,
    Archive,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) ty: Option<Name>,
}

pub(crate) struct Function {
    pub(crate) token: Arc<str>,
    /// The type of its values.
    pub(crate) signature: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) module: u32,
    pub(crate) class: Option<u32>,
    pub(crate) has_this: bool,
    pub(crate) intrinsic: Option<Intrinsic>,
    pub(crate) source: FunctionSource,
    /// Lowered at the first call.
    pub(crate) code: Option<Rc<Code>>,
}

/// The place of a function's tree.
#[derive(Clone, Debug)]
pub(crate) enum FunctionSource {
    Module { member: Box<str> },
    Class { class: Box<str>, member: Box<str>, accessor: Option<&'static str> },
    Lambda { text: Option<Box<str>>, language: Option<Box<str>>, outer: Vec<Name> },
}

/// A token in the code of a function, and its meaning once resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) token: Name,
    pub(crate) found: Option<Found>,
}

/// The meaning of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    Module(u32),
    /// A variable or function of a module: its position among the globals.
    Global {
        module: u32,
        position: u32,
    },
    Class(u32),
    /// A static member: its position among the statics of the declaring class.
    Static {
        class: u32,
        position: u32,
    },
}

impl Site {
    pub(crate) fn new(token: Name) -> Site {
        Site { token, found: None }
    }
}

impl<'p> Program<'p> {
    pub(crate) fn new(source: &'p dyn Packages) -> Program<'p> {
        Program {
            source,
            packages: HashMap::new(),
            modules: Vec::new(),
            modules_by_token: HashMap::new(),
            classes: Vec::new(),
            classes_by_token: HashMap::new(),
            functions: Vec::new(),
            sites: Vec::new(),
        }
    }

    pub(crate) fn class(&self, class: u32) -> &Class {
        &self.classes[class as usize]
    }

    pub(crate) fn module(&self, module: u32) -> &Module {
        &self.modules[module as usize]
    }

    pub(crate) fn function(&self, function: u32) -> &Function {
        &self.functions[function as usize]
    }

    /// Whether `class` is `of`, or has it among its base classes and interfaces.
    pub(crate) fn derives(&self, class: u32, of: u32) -> bool {
        let mut stack = vec![class];
        let mut seen = hashbrown::HashSet::new();
        while let Some(class) = stack.pop() {
            if class == of {
                return true;
            }
            if seen.insert(class) {
                stack.extend(self.class(class).base);
                stack.extend(&self.class(class).interfaces);
            }
        }
        false
    }

    /// The tree of a function without code: the function and its body.
    pub(crate) fn tree<'n>(&self, function: &Function, module: &'n SyntaxNode) -> Option<&'n SyntaxNode> {
        match &function.source {
            FunctionSource::Module { member } => member_of(module, member),
            FunctionSource::Class { class, member, accessor } => {
                let member = member_of(member_of(module, class)?, member)?;
                match accessor {
                    Some(accessor) => member.node(accessor),
                    None => Some(member),
                }
            }
            FunctionSource::Lambda { .. } => None,
        }
    }
}

pub(crate) fn member_of<'n>(node: &'n SyntaxNode, name: &str) -> Option<&'n SyntaxNode> {
    node.entries("members").find(|(member, _)| *member == name).map(|(_, member)| member)
}

pub(crate) fn parameters_of(node: &SyntaxNode, names: &mut Names) -> Vec<Parameter> {
    let parameter = |parameter: &SyntaxNode| Parameter {
        name: names.number(parameter.token("name").unwrap_or_default()),
        ty: parameter.token("type").map(|ty| names.number(ty)),
    };
    node.nodes("parameters").map(parameter).collect()
}

/// The type token of a function.
pub(crate) fn signature_of(node: &SyntaxNode, names: &mut Names) -> Name {
    let types: Vec<&str> =
        node.nodes("parameters").map(|parameter| parameter.token("type").unwrap_or("dynamic")).collect();
    let text = format!("({}){}", types.join(","), node.token("returnType").unwrap_or_default());
    names.number(&text)
}
