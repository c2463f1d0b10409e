//! §14.7 Classes and functions. Inheritance, modifiers, signatures.

use std::collections::HashSet;

use super::conversion::{FunctionTy, Ty};
use super::package::Verifier;
use super::package_rules as rules;
use super::symbols::{ClassRef, Lineage, LineageEnd};
use crate::il::{
    ClassMember, ClassMethod, ClassProperty, Function, LambdaExpression, ModuleMethod, NodeView, SyntaxKind,
    SyntaxNode, Variable,
};
use crate::names::special;

impl<'a> Verifier<'a> {
    /// Checks the class that is being entered: its modifiers, its bases, and its members against
    /// those of its bases.
    pub(super) fn check_class(&mut self) {
        let Some(class) = self.class else { return };
        self.check_modifiers(class);
        self.check_members_suit(class);
        if !self.resolves() {
            return;
        }
        self.check_bases(class);
        let lineage = self.symbols.lineage(class);
        match lineage.end {
            LineageEnd::Cycle => {
                let finding = self.finding(&rules::CLS_CYCLE, &["extends"]);
                self.report(finding.found(format!("`{class}` above itself")));
            }
            LineageEnd::Root | LineageEnd::Unseen => self.check_inheritance(class, &lineage),
        }
    }

    fn check_modifiers(&mut self, class: ClassRef<'a>) {
        let view = class.class;
        let contradiction = if view.is_sealed() && view.is_abstract() {
            Some("sealed and abstract")
        } else if view.is_sealed() && view.is_interface() {
            Some("sealed and an interface")
        } else {
            None
        };
        if let Some(found) = contradiction {
            let finding = self.finding(&rules::CLS_MODIFIERS, &["sealed"]);
            self.report(finding.found(found));
        }
    }

    /// Checks that an interface has only declarations, and that a record has only data.
    fn check_members_suit(&mut self, class: ClassRef<'a>) {
        let view = class.class;
        for (name, member) in view.members() {
            let path = ["members", name];
            if view.is_interface() {
                let fault = match ClassMethod::of(member) {
                    Some(_) if name == special::CONSTRUCTOR => Some("a constructor"),
                    Some(method) if method.body().is_some() => Some("a method with a body"),
                    _ if member.flag("static") => Some("a static member"),
                    _ => None,
                };
                if let Some(fault) = fault {
                    let finding = self.finding(&rules::CLS_INTERFACE, &path);
                    self.report(finding.found(fault));
                }
            } else if view.is_record() {
                let fault = match ClassProperty::of(member) {
                    None => Some("a method"),
                    Some(property) if !property.is_primary() && !property.is_static() => {
                        Some("a property that is not primary")
                    }
                    Some(_) => None,
                };
                if let Some(fault) = fault {
                    let finding = self.finding(&rules::CLS_RECORD, &path);
                    self.report(finding.found(fault));
                }
            } else if ClassMethod::of(member).is_some_and(ClassMethod::is_abstract) && !view.is_abstract() {
                let finding = self.finding(&rules::CLS_ABSTRACT, &path);
                self.report(finding.found("an abstract method").hint("make the class abstract, too"));
            }
        }
    }

    /// Checks that the base and the interfaces are classes that may be extended and implemented.
    fn check_bases(&mut self, class: ClassRef<'a>) {
        let view = class.class;
        if let Some(token) = view.extends() {
            match self.symbols.resolve_type(token, self.site) {
                Ok(Ty::Class(base)) if base.class.is_sealed() => {
                    let finding = self.finding(&rules::CLS_SEALED, &["extends"]);
                    self.report(finding.found(format!("`{base}`, which is sealed")));
                }
                Ok(Ty::Class(_) | Ty::Unseen) | Err(_) => {}
                // Without members, the class is another name of the type: `type URN = string`.
                Ok(_) if view.members().next().is_none() => {}
                Ok(other) => self.report_base(&["extends"], &other),
            }
        }
        for (index, interface) in view.node().list("implements").iter().enumerate() {
            let Some(token) = interface.as_node().and_then(|node| node.text("tok")) else { continue };
            match self.symbols.resolve_type(token, self.site) {
                Ok(Ty::Class(_) | Ty::Unseen) | Err(_) => {}
                Ok(other) => self.report_base(&["implements", &index.to_string()], &other),
            }
        }
    }

    fn report_base(&mut self, path: &[&str], ty: &Ty<'a>) {
        let finding = self.finding(&rules::CLS_BASE, path);
        self.report(finding.expected("a class").found(format!("`{ty}`")));
    }

    /// Checks constructors, overrides and abstract methods along the bases.
    fn check_inheritance(&mut self, class: ClassRef<'a>, lineage: &Lineage<'a>) {
        let view = class.class;
        let bases = &lineage.classes[1..];
        let has_constructor =
            |class: &ClassRef<'a>| self.symbols.own_member(*class, special::CONSTRUCTOR).is_some();
        let base = bases.iter().find(|base| has_constructor(base)).filter(|_| !has_constructor(&class));
        if let Some(base) = base {
            let finding = self.finding(&rules::CLS_CONSTRUCTOR, &[]);
            self.report(finding.found(format!("a constructor only in its base `{base}`")));
        }
        for (name, member) in view.members() {
            if matches!(name, special::CONSTRUCTOR | special::INIT) {
                continue;
            }
            let inherited =
                bases.iter().find_map(|base| Some((*base, self.symbols.own_member(*base, name)?)));
            if let Some((base, overridden)) = inherited {
                self.check_override(class, name, member, base, overridden);
            }
        }
        if !view.is_abstract() && !view.is_interface() {
            self.check_completion(class, lineage);
        }
    }

    /// Checks that every method exists that is abstract in a base or declared in an interface.
    fn check_completion(&mut self, class: ClassRef<'a>, lineage: &Lineage<'a>) {
        let interfaces = lineage.classes.iter().flat_map(|base| {
            let tokens = base.class.implements().filter_map(|node| node.text("tok"));
            tokens.filter_map(|token| self.symbols.class_named(token, base.site))
        });
        let interfaces: Vec<ClassRef<'a>> = interfaces.collect();
        // From the class upwards, the first declaration of a name counts.
        let mut settled = HashSet::new();
        for base in lineage.classes.iter().chain(&interfaces) {
            for (name, member) in base.class.members() {
                let is_open = base.class.is_interface() || member.flag("abstract");
                let is_new = settled.insert(name);
                if is_new && is_open && *base != class && member.kind() == SyntaxKind::ClassMethod {
                    let finding = self.finding(&rules::CLS_INCOMPLETE, &[]);
                    self.report(finding.expected(format!("a method `{name}`, which `{base}` leaves open")));
                }
            }
        }
    }

    /// Checks that a member may replace the inherited one, and has the same kind.
    fn check_override(
        &mut self,
        class: ClassRef<'a>,
        name: &str,
        member: &'a SyntaxNode,
        base: ClassRef<'a>,
        overridden: &'a SyntaxNode,
    ) {
        let path = ["members", name];
        let sort = |member: &SyntaxNode| (member.kind(), member.flag("static"));
        if sort(member) != sort(overridden) {
            let finding = self.finding(&rules::CLS_OVERRIDE, &path);
            let name_sort = |member: &SyntaxNode| {
                let kind = if member.kind() == SyntaxKind::ClassMethod { "method" } else { "property" };
                if member.flag("static") { format!("a static {kind}") } else { format!("a {kind}") }
            };
            let expected = format!("{}, as in `{base}`", name_sort(overridden));
            self.report(finding.expected(expected).found(name_sort(member)));
        } else if overridden.flag("sealed") {
            let finding = self.finding(&rules::CLS_OVERRIDE, &path);
            self.report(finding.found(format!("a replacement for a sealed method of `{base}`")));
        } else if let (Some(method), Some(inherited)) = (ClassMethod::of(member), ClassMethod::of(overridden))
        {
            let own = self.symbols.function_type(method, class.site);
            let wanted = self.symbols.function_type(inherited, base.site);
            if !self.symbols.function_converts(&own, &wanted) {
                let finding = self.finding(&rules::CLS_SIGNATURE, &path);
                self.report(
                    finding.expected(format!("`{wanted}`, as in `{base}`")).found(format!("`{own}`")),
                );
            }
        }
    }

    /// Checks that a function of a module has a body.
    pub(super) fn check_module_function(&mut self, function: ModuleMethod<'a>, name: &str) {
        if function.body().is_none() {
            let finding = self.finding(&rules::FUN_BODY, &[]);
            self.report(finding.expected("a `body`"));
        }
        if name == special::INIT {
            self.check_initializer(function);
        }
    }

    /// Checks that a lambda has a body.
    pub(super) fn check_lambda(&mut self, lambda: LambdaExpression<'a>) {
        if lambda.body().is_none() {
            let finding = self.finding(&rules::FUN_BODY, &[]);
            self.report(finding.expected("a `body`"));
        }
    }

    /// Checks that an initializer has neither parameters nor a result: the toolchain runs it.
    fn check_initializer(&mut self, function: impl Function<'a>) {
        if function.parameters().next().is_some() || function.return_type().is_some() {
            let found = self.symbols.function_type(function, self.site);
            let finding = self.finding(&rules::FUN_INITIALIZER, &[]);
            self.report(finding.expected("`()`").found(format!("`{found}`")));
        }
    }

    /// Checks that the modifiers of a method are compatible with each other, its class and its
    /// body.
    pub(super) fn check_method(&mut self, method: ClassMethod<'a>, name: &str) {
        let node = method.node();
        let has_body = method.body().is_some();
        let is_described = self.class.is_some_and(|class| class.class.is_interface()) || method.is_abstract();
        if !has_body && !is_described {
            let finding = self.finding(&rules::FUN_BODY, &[]);
            self.report(finding.expected("a `body`").hint("a method without a body is abstract"));
        }
        if has_body && method.is_abstract() {
            let finding = self.finding(&rules::FUN_ABSTRACT, &["body"]);
            self.report(finding.found("a body"));
        }
        if method.is_static() {
            for modifier in ["abstract", "sealed"] {
                if node.flag(modifier) {
                    let finding = self.finding(&rules::FUN_STATIC, &[modifier]);
                    self.report(finding.found(format!("a static {modifier} method")));
                }
            }
        }
        match name {
            special::INIT if method.is_static() => self.check_initializer(method),
            special::CONSTRUCTOR => self.check_constructor(method),
            _ => {}
        }
    }

    fn check_constructor(&mut self, constructor: ClassMethod<'a>) {
        let fault = if let Some(token) = constructor.return_type() {
            Some(format!("a result `{token}`"))
        } else if constructor.is_static() {
            Some("a static method".to_owned())
        } else {
            None
        };
        if let Some(fault) = fault {
            let finding = self.finding(&rules::FUN_CONSTRUCTOR, &[]);
            self.report(finding.found(fault));
        }
    }

    /// Checks that a getter and a setter have the type of their property, and that a property is
    /// not a constructor.
    pub(super) fn check_property(&mut self, property: ClassProperty<'a>, name: &str) {
        let node = property.node();
        if name == special::CONSTRUCTOR {
            let finding = self.finding(&rules::FUN_CONSTRUCTOR, &[]);
            self.report(finding.found("a property"));
        }
        let ty = self.symbols.type_or_unseen(property.type_token(), self.site);
        let accessor = |key: &str| node.node(key).and_then(ClassMethod::of);
        if let Some(getter) = accessor("getter") {
            let wanted = FunctionTy { parameters: Vec::new(), result: Some(ty.clone()) };
            self.check_accessor(&rules::FUN_GETTER, "getter", getter, &wanted);
        }
        if let Some(setter) = accessor("setter") {
            let wanted = FunctionTy { parameters: vec![ty], result: None };
            self.check_accessor(&rules::FUN_SETTER, "setter", setter, &wanted);
        }
    }

    fn check_accessor(
        &mut self,
        rule: &'static super::Rule,
        key: &str,
        method: ClassMethod<'a>,
        wanted: &FunctionTy<'a>,
    ) {
        let found = self.symbols.function_type(method, self.site);
        let same = |a: &Ty<'a>, b: &Ty<'a>| a == b || *a == Ty::Unseen || *b == Ty::Unseen;
        let parameters_agree = found.parameters.len() == wanted.parameters.len()
            && found.parameters.iter().zip(&wanted.parameters).all(|(a, b)| same(a, b));
        let results_agree = match (&found.result, &wanted.result) {
            (None, None) => true,
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        };
        if !(parameters_agree && results_agree) {
            let finding = self.finding(rule, &[key]);
            self.report(finding.expected(format!("`{wanted}`")).found(format!("`{found}`")));
        }
    }
}
