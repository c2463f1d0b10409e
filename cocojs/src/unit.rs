//! The modules of one package with their names: what is declared where, imported and exported.

use crate::fault::{Fault, FaultCode};
use crate::ids::{ClassId, MemberId, ModuleId, ModuleRef};
use crate::packages::{ForeignModule, ForeignPackages};
use crate::source::Source;
use crate::static_type::{Signature, Type, union};
use crate::target::Target;
use oxc_allocator::Allocator;
use oxc_ast::ast;
use oxc_span::Span;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A package that is being compiled.
pub(crate) struct Unit<'a> {
    pub(crate) arena: &'a Allocator,
    pub(crate) target: Target,
    pub(crate) package: &'a str,
    /// Whether the library of the language is that of 2015 or later.
    pub(crate) is_modern: bool,
    /// The modules, each after those that it imports.
    pub(crate) modules: Vec<Module<'a>>,
    pub(crate) packages: ForeignPackages,
    /// Modules of other packages that the program names.
    pub(crate) foreign: RefCell<Vec<Rc<ForeignModule<'a>>>>,
    classes: RefCell<Vec<Rc<ClassInfo<'a>>>>,
    pub(crate) members: Vec<Member<'a>>,
    pub(crate) faults: RefCell<Vec<Fault>>,
    /// The module of helpers that the compiler adds if the program needs one.
    pub(crate) library: Option<ModuleId>,
    pub(crate) uses_helpers: Cell<bool>,
    /// Whether the library of the language is used.
    pub(crate) uses_library: Cell<bool>,
    /// Types that were inferred, by the places of their declarations.
    pub(crate) inferred: RefCell<HashMap<(ModuleId, u32), Type<'a>>>,
}

/// A module of this package.
pub(crate) struct Module<'a> {
    pub(crate) name: &'a str,
    /// `PACKAGE:MODULE`.
    pub(crate) token: &'a str,
    pub(crate) source: Source<'a>,
    pub(crate) ast: &'a ast::Program<'a>,
    /// The modules that its specifiers name.
    pub(crate) imports: HashMap<&'a str, ModuleRef>,
    pub(crate) values: HashMap<&'a str, Binding<'a>>,
    pub(crate) types: HashMap<&'a str, Binding<'a>>,
    pub(crate) exports: Vec<Export<'a>>,
}

#[derive(Clone, Debug)]
pub(crate) enum ForeignMember<'a> {
    Class(ClassId),
    /// Another name of the type with this token.
    Type(&'a str),
    /// A variable or a function, with its token.
    Value(&'a str, Type<'a>),
}

/// The meaning of a name in a module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding<'a> {
    Member(MemberId),
    Import { from: ModuleRef, name: &'a str },
    Namespace(ModuleRef),
}

pub(crate) enum Export<'a> {
    Local { name: &'a str, local: &'a str },
    Default(MemberId),
    From { name: &'a str, from: ModuleRef, source: &'a str },
    Namespace { name: &'a str, from: ModuleRef },
    All(ModuleRef),
}

/// A definition at the top of a module.
pub(crate) struct Member<'a> {
    pub(crate) module: ModuleId,
    pub(crate) name: &'a str,
    pub(crate) declared: Declared<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Declared<'a> {
    Variable {
        declarator: &'a ast::VariableDeclarator<'a>,
        name: &'a ast::BindingIdentifier<'a>,
        kind: ast::VariableDeclarationKind,
    },
    Function(&'a ast::Function<'a>),
    Class(ClassId),
    Alias(&'a ast::TSTypeAliasDeclaration<'a>),
    Enum,
    /// The value of `export default`.
    Value(&'a ast::Expression<'a>),
}

/// A class or an interface.
#[derive(Clone)]
pub(crate) struct ClassInfo<'a> {
    pub(crate) module: ModuleRef,
    pub(crate) name: &'a str,
    pub(crate) token: &'a str,
    pub(crate) source: ClassSource<'a>,
    pub(crate) elements: HashMap<&'a str, Element<'a>>,
    pub(crate) constructor: Option<Constructor<'a>>,
    /// Whether unknown members may exist.
    pub(crate) is_open: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum ClassSource<'a> {
    Class(&'a ast::Class<'a>),
    Interface(&'a ast::TSInterfaceDeclaration<'a>),
    Foreign { base: Option<&'a str>, is_interface: bool },
}

#[derive(Clone)]
pub(crate) enum Constructor<'a> {
    Own(&'a ast::Function<'a>),
    Foreign(Rc<Signature<'a>>),
}

#[derive(Clone)]
pub(crate) struct Element<'a> {
    pub(crate) is_static: bool,
    pub(crate) is_optional: bool,
    pub(crate) kind: ElementKind<'a>,
}

#[derive(Clone)]
pub(crate) enum ElementKind<'a> {
    Property { annotation: Option<&'a ast::TSType<'a>>, value: Option<&'a ast::Expression<'a>> },
    Method(&'a ast::Function<'a>),
    Signature(&'a ast::TSMethodSignature<'a>),
    Accessor { getter: Option<&'a ast::Function<'a>>, setter: Option<&'a ast::Function<'a>> },
    Known(Type<'a>),
}

/// The target of a name.
#[derive(Clone, Debug)]
pub(crate) enum Symbol<'a> {
    Member(MemberId),
    Module(ModuleRef),
    Foreign(ForeignMember<'a>),
}

/// The two kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Value,
    Type,
}

impl ClassInfo<'_> {
    pub(crate) fn is_abstract(&self) -> bool {
        matches!(self.source, ClassSource::Class(class) if class.r#abstract)
    }

    pub(crate) fn is_interface(&self) -> bool {
        match self.source {
            ClassSource::Class(_) => false,
            ClassSource::Interface(_) => true,
            ClassSource::Foreign { is_interface, .. } => is_interface,
        }
    }
}

impl<'a> Unit<'a> {
    pub(crate) fn new(
        arena: &'a Allocator,
        target: Target,
        package: &str,
        is_modern: bool,
        packages: ForeignPackages,
    ) -> Unit<'a> {
        Unit {
            arena,
            target,
            package: arena.alloc_str(package),
            is_modern,
            packages,
            modules: Vec::new(),
            foreign: RefCell::default(),
            classes: RefCell::default(),
            members: Vec::new(),
            faults: RefCell::default(),
            library: None,
            uses_helpers: Cell::new(false),
            uses_library: Cell::new(false),
            inferred: RefCell::default(),
        }
    }

    pub(crate) fn text(&self, text: &str) -> &'a str {
        self.arena.alloc_str(text)
    }

    pub(crate) fn module(&self, id: ModuleId) -> &Module<'a> {
        &self.modules[id.0]
    }

    pub(crate) fn member(&self, id: MemberId) -> &Member<'a> {
        &self.members[id.0]
    }

    pub(crate) fn class(&self, id: ClassId) -> Rc<ClassInfo<'a>> {
        Rc::clone(&self.classes.borrow()[id.0])
    }

    pub(crate) fn add_class(&self, class: ClassInfo<'a>) -> ClassId {
        let mut classes = self.classes.borrow_mut();
        classes.push(Rc::new(class));
        ClassId(classes.len() - 1)
    }

    pub(crate) fn replace_class(&self, id: ClassId, change: impl FnOnce(ClassInfo<'a>) -> ClassInfo<'a>) {
        let class = (*self.class(id)).clone();
        self.classes.borrow_mut()[id.0] = Rc::new(change(class));
    }

    /// The union of types. The compilers of 2017 did not check whether a value may be null.
    pub(crate) fn union(&self, types: impl IntoIterator<Item = Type<'a>>) -> Type<'a> {
        match (union(types), self.target.is_compatible()) {
            (ty @ Type::Union(_), true) => ty.non_null(),
            (ty, _) => ty,
        }
    }

    pub(crate) fn module_token(&self, module: ModuleRef) -> &'a str {
        match module {
            ModuleRef::Own(id) => self.module(id).token,
            ModuleRef::Foreign(number) => self.foreign_at(number).token,
        }
    }

    /// The token of a member.
    pub(crate) fn member_token(&self, id: MemberId) -> &'a str {
        let member = self.member(id);
        self.joined(self.module(member.module).token, member.name)
    }

    pub(crate) fn joined(&self, token: &str, name: &str) -> &'a str {
        self.arena.alloc_concat_strs_array([token, ":", name])
    }

    /// The token of a name of the library.
    pub(crate) fn library_token(&self, name: &str) -> &'a str {
        self.uses_library.set(true);
        let module = if self.is_modern { "lib.es6" } else { "lib" };
        self.arena.alloc_concat_strs_array([self.target.library(), ":", module, ":", name])
    }

    /// A class of the language that the library of helpers has.
    pub(crate) fn helper_class(&self, name: &str) -> Option<ClassId> {
        let name = match name {
            "Set" | "ReadonlySet" => "Set",
            _ => return None,
        };
        let symbol = self.exported(ModuleRef::Own(self.library?), name, Space::Value)?;
        let Symbol::Member(member) = symbol else { return None };
        let Declared::Class(class) = self.member(member).declared else { return None };
        self.uses_helpers.set(true);
        Some(class)
    }

    pub(crate) fn fault(
        &self,
        module: ModuleId,
        code: FaultCode,
        span: Span,
        message: String,
        help: Option<String>,
    ) {
        let source = &self.module(module).source;
        self.faults.borrow_mut().push(Fault {
            code,
            message,
            file: source.path.to_owned(),
            range: span.start as usize..span.end as usize,
            position: Some(source.position(span.start)),
            help,
        });
    }

    /// The target of a name in a module.
    pub(crate) fn find(&self, module: ModuleId, name: &str, space: Space) -> Option<Symbol<'a>> {
        let module = self.module(module);
        let names = match space {
            Space::Value => &module.values,
            Space::Type => &module.types,
        };
        self.target_of(*names.get(name)?, space)
    }

    fn target_of(&self, binding: Binding<'a>, space: Space) -> Option<Symbol<'a>> {
        match binding {
            Binding::Member(member) => Some(Symbol::Member(member)),
            Binding::Namespace(module) => Some(Symbol::Module(module)),
            Binding::Import { from, name } => self.exported(from, name, space),
        }
    }

    /// The target of an export.
    pub(crate) fn exported(&self, module: ModuleRef, name: &str, space: Space) -> Option<Symbol<'a>> {
        self.exported_once(module, name, space, &mut Vec::new())
    }

    fn exported_once(
        &self,
        module: ModuleRef,
        name: &str,
        space: Space,
        visited: &mut Vec<ModuleRef>,
    ) -> Option<Symbol<'a>> {
        let id = match module {
            ModuleRef::Own(id) => id,
            ModuleRef::Foreign(number) => return self.foreign_export(number, name),
        };
        if visited.contains(&module) {
            return None;
        }
        visited.push(module);
        let module = self.module(id);
        let names = match space {
            Space::Value => &module.values,
            Space::Type => &module.types,
        };
        for export in &module.exports {
            let found = match export {
                Export::Local { name: exported, local } if *exported == name => match names.get(local) {
                    Some(Binding::Import { from, name }) => self.exported_once(*from, name, space, visited),
                    Some(binding) => self.target_of(*binding, space),
                    None => None,
                },
                Export::Default(member) if name == "default" => Some(Symbol::Member(*member)),
                Export::From { name: exported, from, source } if *exported == name => {
                    self.exported_once(*from, source, space, visited)
                }
                Export::Namespace { name: exported, from } if *exported == name => {
                    Some(Symbol::Module(*from))
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        module.exports.iter().find_map(|export| match export {
            Export::All(from) if name != "default" => self.exported_once(*from, name, space, visited),
            _ => None,
        })
    }

    /// The names that a module exports, each once, its own before those of other modules.
    pub(crate) fn exported_names(&self, module: ModuleRef) -> Vec<&'a str> {
        let (mut names, mut visited) = (Vec::new(), Vec::new());
        self.collect_names(module, &mut names, &mut visited);
        names
    }

    fn collect_names(&self, module: ModuleRef, names: &mut Vec<&'a str>, visited: &mut Vec<ModuleRef>) {
        if visited.contains(&module) {
            return;
        }
        visited.push(module);
        let id = match module {
            ModuleRef::Own(id) => id,
            ModuleRef::Foreign(number) => {
                names.extend(self.foreign_at(number).exports.iter().map(|(name, _)| *name));
                return;
            }
        };
        for export in &self.module(id).exports {
            let name = match export {
                Export::Local { name, .. } | Export::From { name, .. } | Export::Namespace { name, .. } => {
                    name
                }
                Export::Default(_) | Export::All(_) => continue,
            };
            if !names.contains(name) {
                names.push(name);
            }
        }
        for export in &self.module(id).exports {
            if let Export::All(from) = export {
                self.collect_names(*from, names, visited);
            }
        }
    }

    /// The base class.
    pub(crate) fn base(&self, class: ClassId) -> Option<ClassId> {
        let info = self.class(class);
        let name = match &info.source {
            ClassSource::Class(class) => class.super_class.as_ref()?,
            ClassSource::Interface(interface) => &interface.extends.first()?.expression,
            ClassSource::Foreign { base, .. } => {
                return self.any_class((*base)?).filter(|base| *base != class);
            }
        };
        let ModuleRef::Own(module) = info.module else { return None };
        match self
            .symbol_of(module, name, Space::Value)
            .or_else(|| self.symbol_of(module, name, Space::Type))?
        {
            Symbol::Member(member) => match self.member(member).declared {
                Declared::Class(base) if base != class => Some(base),
                _ => None,
            },
            Symbol::Foreign(ForeignMember::Class(base)) => Some(base),
            _ => None,
        }
    }

    pub(crate) fn class_of_token(&self, token: &str) -> Option<ClassId> {
        self.classes.borrow().iter().position(|class| class.token == token).map(ClassId)
    }

    /// The target of `a` or `a.b`, where `a` is a name of the module.
    pub(crate) fn symbol_of(
        &self,
        module: ModuleId,
        expression: &ast::Expression<'a>,
        space: Space,
    ) -> Option<Symbol<'a>> {
        match expression {
            ast::Expression::Identifier(name) => self.find(module, name.name.as_str(), space),
            ast::Expression::StaticMemberExpression(member) => {
                match self.symbol_of(module, &member.object, Space::Value)? {
                    Symbol::Module(of) => self.exported(of, member.property.name.as_str(), space),
                    _ => None,
                }
            }
            ast::Expression::ParenthesizedExpression(inner) => {
                self.symbol_of(module, &inner.expression, space)
            }
            _ => None,
        }
    }

    /// All members of a class and its bases.
    pub(crate) fn all_elements(&self, class: ClassId) -> Vec<(&'a str, Element<'a>)> {
        const LONGEST_CHAIN: usize = 1000;
        let mut elements: Vec<(&'a str, Element<'a>)> = Vec::new();
        let mut at = Some(class);
        for _ in 0..LONGEST_CHAIN {
            let Some(id) = at else { break };
            for (name, element) in &self.class(id).elements {
                if !elements.iter().any(|(known, _)| known == name) {
                    elements.push((name, element.clone()));
                }
            }
            at = self.base(id);
        }
        elements
    }

    /// A member of a class or of its bases, and the class that has it.
    pub(crate) fn element(&self, class: ClassId, name: &str) -> Option<(ClassId, Element<'a>)> {
        const LONGEST_CHAIN: usize = 1000;
        let mut at = Some(class);
        for _ in 0..LONGEST_CHAIN {
            let id = at?;
            if let Some(element) = self.class(id).elements.get(name) {
                return Some((id, element.clone()));
            }
            at = self.base(id);
        }
        None
    }
}
