//! §14.9 Expressions. Their types, from the leaves up, and the requirements of each on its parts.

use std::collections::HashSet;
use std::rc::Rc;

use super::conversion::{FunctionTy, Ty};
use super::package::Verifier;
use super::package_rules as rules;
use super::symbols::{ClassRef, Lineage, LineageEnd, Member, Symbol};
use crate::il::{
    ArrayLiteral, Attribute, Call, CallArgument, CastExpression, ClassMember, ClassMethod, ClassProperty,
    ConditionalExpression, InvokeFunctionExpression, LoadLocationExpression, ModuleProperty, NewExpression,
    NodeView, ObjectLiteral, SequenceExpression, SyntaxKind, SyntaxNode, Union, Variable, View,
};
use crate::names::{TokenParts, literal_key, special};

impl<'a> Verifier<'a> {
    /// Checks an expression whose parts have been left, and records its type.
    pub(super) fn leave_expression(&mut self, node: &'a SyntaxNode) {
        let ty = match node.view() {
            View::NullLiteral(_) => Ty::Null,
            View::BoolLiteral(_) | View::IsInstExpression(_) => Ty::Bool,
            View::NumberLiteral(_) => Ty::Number,
            View::StringLiteral(_) | View::TypeOfExpression(_) => Ty::String,
            View::ArrayLiteral(literal) => self.array_literal(literal),
            View::ObjectLiteral(literal) => self.object_literal(literal),
            View::LoadLocationExpression(load) => self.load_location(load),
            View::LoadDynamicExpression(load) => self.load_dynamic(load.name()),
            View::TryLoadDynamicExpression(load) => self.load_dynamic(load.name()),
            View::NewExpression(new) => self.new_object(new),
            View::InvokeFunctionExpression(call) => self.invoke(call),
            View::LambdaExpression(lambda) => {
                Ty::Function(Rc::new(self.symbols.function_type(lambda, self.site)))
            }
            View::UnaryOperatorExpression(operation) => self.unary(operation),
            View::BinaryOperatorExpression(operation) => self.binary(operation),
            View::CastExpression(cast) => self.cast(cast),
            View::ConditionalExpression(conditional) => self.conditional(conditional),
            View::SequenceExpression(sequence) => self.sequence(sequence),
            View::Attribute(attribute) => return self.check_attribute(attribute),
            _ => return,
        };
        self.set_type(node, ty);
    }

    fn check_attribute(&mut self, attribute: Attribute<'a>) {
        self.check_token("decorator", attribute.decorator());
    }

    fn array_literal(&mut self, literal: ArrayLiteral<'a>) -> Ty<'a> {
        let size = self.type_of(literal.size());
        if !self.symbols.converts(&size, &Ty::Number) {
            let finding = self.finding(&rules::EXP_ARRAY, &["size"]);
            self.report(finding.expected("`number`").found(format!("`{size}`")));
        }
        let Some(token) = literal.element_type().or(literal.early_type()) else {
            return Ty::Array(Rc::new(Ty::Object));
        };
        let element = self.symbols.type_or_unseen(Some(token), self.site);
        for (index, item) in literal.node().list("elements").iter().enumerate() {
            let ty = self.type_of(item.as_node());
            if !self.symbols.converts(&ty, &element) {
                let finding = self.finding(&rules::EXP_ARRAY, &["elements", &index.to_string()]);
                self.report(finding.expected(format!("`{element}`")).found(format!("`{ty}`")));
            }
        }
        Ty::Array(Rc::new(element))
    }

    fn object_literal(&mut self, literal: ObjectLiteral<'a>) -> Ty<'a> {
        let ty = match literal.type_token() {
            Some(token) => self.symbols.type_or_unseen(Some(token), self.site),
            None => Ty::Object,
        };
        match &ty {
            Ty::Class(class) if class.class.is_record() || class.class.is_interface() => {
                self.check_properties(literal, *class);
            }
            Ty::Unseen | Ty::Dynamic | Ty::Object => {}
            other => {
                let finding = self.finding(&rules::EXP_OBJECT, &["type"]);
                self.report(
                    finding.expected("a record, an interface or `dynamic`").found(format!("`{other}`")),
                );
            }
        }
        ty
    }

    /// Checks the properties of a class literal: each belongs to the class, and no required one is
    /// missing.
    fn check_properties(&mut self, literal: ObjectLiteral<'a>, class: ClassRef<'a>) {
        let lineage = self.symbols.lineage(class);
        let mut given = HashSet::new();
        let mut has_computed = false;
        for (index, property) in literal.node().list("properties").iter().enumerate() {
            let Some(property) = property.as_node() else { continue };
            if property.kind() == SyntaxKind::ObjectLiteralComputedProperty {
                has_computed = true;
                continue;
            }
            let key = |token| literal_key(literal.type_token(), token);
            let name = property.token("property").map(key).unwrap_or_default();
            given.insert(name);
            let place = index.to_string();
            let declaration = |owner: &ClassRef<'a>| Some((self.symbols.own_member(*owner, name)?, *owner));
            let declared = lineage.classes.iter().find_map(declaration);
            let Some((member, owner)) = declared else {
                if lineage.end == LineageEnd::Root {
                    let finding = self.finding(&rules::EXP_PROPERTY, &["properties", &place]);
                    self.report(
                        finding.expected(format!("a property of `{class}`")).found(format!("`{name}`")),
                    );
                }
                continue;
            };
            let wanted = self.member_type(Member { node: member, name, site: owner.site });
            let found = self.type_of(property.node("value"));
            if !self.symbols.converts(&found, &wanted) {
                let finding = self.finding(&rules::EXP_PROPERTY, &["properties", &place, "value"]);
                self.report(finding.expected(format!("`{wanted}`")).found(format!("`{found}`")));
            }
        }
        if !has_computed {
            self.check_completeness(&lineage, &given);
        }
    }

    fn check_completeness(&mut self, lineage: &Lineage<'a>, given: &HashSet<&str>) {
        for owner in &lineage.classes {
            for (name, member) in owner.class.members() {
                let must_be_given = ClassProperty::of(member).is_some_and(|property| {
                    !property.is_optional() && !property.is_static() && property.default().is_none()
                });
                if must_be_given && !given.contains(name) {
                    let finding = self.finding(&rules::EXP_INCOMPLETE, &[]);
                    self.report(finding.expected(format!("a property `{name}`, as `{owner}` has it")));
                }
            }
        }
    }

    /// The type of a token in a body: of a local name, or of a member of a module or class.
    fn load_location(&mut self, load: LoadLocationExpression<'a>) -> Ty<'a> {
        let Some(token) = load.name() else { return Ty::Unseen };
        if !self.resolves() {
            return Ty::Unseen;
        }
        if let Ok(TokenParts::Simple { name }) = TokenParts::parse(token) {
            return self.local(name).unwrap_or_else(|| {
                let finding = self.finding(&rules::SYM_LOCAL, &["name"]).found(format!("`{name}`"));
                self.report(finding.perhaps(self.suggest_local(name)));
                Ty::Unseen
            });
        }
        match self.check_token("name", Some(token)) {
            Symbol::Module | Symbol::Unseen => Ty::Unseen,
            Symbol::Member(member) => {
                self.check_receiver(load, Receiver::None);
                self.member_type(member)
            }
            Symbol::ClassMember(member, owner) => {
                let is_static = member.node.flag("static");
                self.check_receiver(load, if is_static { Receiver::None } else { Receiver::Object });
                self.check_member_access(member, owner);
                self.member_type(member)
            }
        }
    }

    fn check_receiver(&mut self, load: LoadLocationExpression<'a>, wanted: Receiver) {
        match (load.object(), wanted) {
            (None, Receiver::Object) => {
                let finding = self.finding(&rules::EXP_RECEIVER, &[]);
                self.report(finding.expected("an `object` to have the member").found("none"));
            }
            (Some(_), Receiver::None) => {
                let finding = self.finding(&rules::EXP_RECEIVER, &["object"]);
                self.report(
                    finding.expected("no `object` for what belongs to a class or module").found("one"),
                );
            }
            _ => {}
        }
    }

    /// Checks access: private members only in their class, protected ones also in derived classes.
    fn check_member_access(&mut self, member: Member<'a>, owner: ClassRef<'a>) {
        let is_allowed = match member.node.text("access") {
            Some("public") => true,
            Some("protected") => self.class.is_some_and(|class| self.symbols.may_derive(class, owner)),
            _ => self.class == Some(owner),
        };
        if !is_allowed {
            let access = member.node.text("access").unwrap_or("private");
            let finding = self.finding(&rules::SYM_ACCESS, &["name"]);
            self.report(finding.found(format!("`{}`, which is {access} in `{owner}`", member.name)));
        }
    }

    /// The type of a variable or function. That of a class is known only when the program runs.
    fn member_type(&mut self, member: Member<'a>) -> Ty<'a> {
        if let Some(known) = self.known_type(member.node) {
            return known;
        }
        let ty = self.declared_type(member);
        self.set_type(member.node, ty.clone());
        ty
    }

    fn declared_type(&self, member: Member<'a>) -> Ty<'a> {
        let variable = |token| self.symbols.type_or_unseen(token, member.site);
        match member.node.view() {
            View::ModuleProperty(property) => variable(property.type_token()),
            View::ClassProperty(property) => variable(property.type_token()),
            View::ModuleMethod(function) => self.function(function, member),
            View::ClassMethod(method) => self.function(method, member),
            _ => Ty::Unseen,
        }
    }

    fn function(&self, function: impl crate::il::Function<'a>, member: Member<'a>) -> Ty<'a> {
        Ty::Function(Rc::new(self.symbols.function_type(function, member.site)))
    }

    fn load_dynamic(&mut self, name: Option<&'a SyntaxNode>) -> Ty<'a> {
        let ty = self.type_of(name);
        if !self.symbols.converts(&ty, &Ty::String) && !self.symbols.converts(&ty, &Ty::Number) {
            let finding = self.finding(&rules::EXP_DYNAMIC, &["name"]);
            self.report(finding.expected("`string` or `number`").found(format!("`{ty}`")));
        }
        Ty::Dynamic
    }

    fn new_object(&mut self, new: NewExpression<'a>) -> Ty<'a> {
        let ty = self.symbols.type_or_unseen(new.type_token(), self.site);
        let Ty::Class(class) = &ty else { return ty };
        if class.class.is_abstract() || class.class.is_interface() {
            let finding = self.finding(&rules::EXP_ABSTRACT, &["type"]);
            self.report(finding.found(format!("`{class}`")));
        }
        match self.symbols.own_member(*class, special::CONSTRUCTOR).and_then(ClassMethod::of) {
            Some(constructor) => {
                let wanted = self.symbols.function_type(constructor, class.site);
                self.check_arguments(new, &wanted);
            }
            None => self.check_record_arguments(new, *class),
        }
        ty
    }

    /// Checks that there are no arguments if there is no constructor, except the named members of a
    /// record.
    fn check_record_arguments(&mut self, new: NewExpression<'a>, class: ClassRef<'a>) {
        if self.symbols.lineage(class).end != LineageEnd::Root {
            return;
        }
        for (index, argument) in new.node().list("arguments").iter().enumerate() {
            let name = argument
                .as_node()
                .and_then(|argument| argument.token("name"))
                .filter(|_| class.class.is_record());
            let is_member = name.is_some_and(|name| {
                let property = self.symbols.own_member(class, name).and_then(ClassProperty::of);
                property.is_some_and(ClassProperty::is_primary)
            });
            if !is_member {
                let finding = self.finding(&rules::EXP_COUNT, &["arguments", &index.to_string()]);
                self.report(finding.expected(format!("no argument, as `{class}` has no constructor")));
            }
        }
    }

    fn invoke(&mut self, call: InvokeFunctionExpression<'a>) -> Ty<'a> {
        match self.type_of(call.function()) {
            Ty::Function(wanted) => {
                self.check_arguments(call, &wanted);
                wanted.result.clone().unwrap_or(Ty::Nothing)
            }
            Ty::Unseen => Ty::Unseen,
            Ty::Dynamic => Ty::Dynamic,
            other => {
                let finding = self.finding(&rules::EXP_CALL, &["function"]);
                self.report(finding.expected("a function").found(format!("`{other}`")));
                Ty::Unseen
            }
        }
    }

    /// Checks that there are as many arguments as parameters, each convertible to its parameter's
    /// type.
    fn check_arguments(&mut self, call: impl Call<'a>, wanted: &FunctionTy<'a>) {
        let arguments = call.node().list("arguments");
        if arguments.len() != wanted.parameters.len() {
            let finding = self.finding(&rules::EXP_COUNT, &[]);
            let expected = format!("{} for `{wanted}`", wanted.parameters.len());
            self.report(finding.expected(expected).found(arguments.len().to_string()));
        }
        for (index, (argument, parameter)) in arguments.iter().zip(&wanted.parameters).enumerate() {
            let argument = argument.as_node();
            let expression = match argument.and_then(CallArgument::of) {
                Some(wrapped) => wrapped.expression(),
                None => argument,
            };
            let ty = self.type_of(expression);
            if !self.symbols.converts(&ty, parameter) {
                let finding = self.finding(&rules::EXP_ARGUMENT, &["arguments", &index.to_string()]);
                self.report(finding.expected(format!("`{parameter}`")).found(format!("`{ty}`")));
            }
        }
    }

    /// The type of a cast. A cast along a line of types can succeed; across lines it never can.
    fn cast(&mut self, cast: CastExpression<'a>) -> Ty<'a> {
        let to = self.symbols.type_or_unseen(cast.type_token(), self.site);
        let from = self.type_of(cast.expression());
        if !self.symbols.converts(&to, &from) && !self.symbols.converts(&from, &to) {
            let finding = self.finding(&rules::EXP_CAST, &["type"]);
            self.report(finding.found(format!("`{from}` cast to `{to}`")));
        }
        to
    }

    /// The type to which both results convert.
    fn conditional(&mut self, conditional: ConditionalExpression<'a>) -> Ty<'a> {
        self.check_condition(conditional.condition());
        let consequent = self.type_of(conditional.consequent());
        let alternate = self.type_of(conditional.alternate());
        if consequent != Ty::Null && self.symbols.converts(&alternate, &consequent) {
            consequent
        } else if self.symbols.converts(&consequent, &alternate) {
            alternate
        } else {
            Ty::Object
        }
    }

    fn sequence(&mut self, sequence: SequenceExpression<'a>) -> Ty<'a> {
        for (index, part) in sequence.node().list("prelude").iter().enumerate() {
            let Some(part) = part.as_node() else { continue };
            if !matches!(part.kind().union(), Union::Statement | Union::Expression) {
                let finding = self.finding(&rules::EXP_PRELUDE, &["prelude", &index.to_string()]);
                self.report(
                    finding.expected("a statement or an expression").found(format!("`{}`", part.kind())),
                );
            }
        }
        let value = sequence.value().or_else(|| sequence.early_expressions().last());
        self.type_of(value)
    }

    /// Whether `expression` loads a read-only variable of a module or class.
    pub(super) fn loads_readonly(&self, expression: &'a SyntaxNode) -> bool {
        let token = LoadLocationExpression::of(expression).and_then(LoadLocationExpression::name);
        let parts = token.and_then(|token| TokenParts::parse(token).ok());
        let symbol = parts.filter(|_| self.resolves()).map(|parts| self.symbols.resolve(parts, self.site));
        let Some(Ok(Symbol::Member(member) | Symbol::ClassMember(member, _))) = symbol else { return false };
        ModuleProperty::of(member.node).is_some_and(Variable::is_readonly)
            || ClassProperty::of(member.node).is_some_and(Variable::is_readonly)
    }
}

/// Whether a member needs an object.
#[derive(Clone, Copy)]
enum Receiver {
    None,
    Object,
}
