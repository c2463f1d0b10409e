//! Loops over the items of a value, and over its keys.

use super::{Lowerer, Typed};
use crate::declare::bound_names;
use crate::il::{Node, binary, block, expression_statement, find, identifier, string, token, type_token};
use crate::static_type::Type;
use oxc_ast::ast::{self, ForStatementLeft, Statement, VariableDeclarationKind};
use oxc_span::{GetSpan, Span};

impl<'a> Lowerer<'_, 'a> {
    pub(super) fn for_of(&mut self, statement: &'a ast::ForOfStatement<'a>) -> Node<'a> {
        if statement.r#await {
            return self.refuse(statement.span, "`for await`", "packages run without waiting; use `for`");
        }
        let place = Some(statement.right.span());
        let (items, ty) = self.expression(&statement.right, None);
        let (items, element) = match self.unit.resolved(ty.non_null()) {
            Type::Array(element) => (items, (*element).clone()),
            Type::String => (self.helper("items", vec![items], place).0, Type::String),
            Type::Map(types) => {
                let pair = Type::Tuple(std::rc::Rc::new(vec![types.0.clone(), types.1.clone()]));
                (self.helper("items", vec![items], place).0, pair)
            }
            _ => (self.helper("items", vec![items], place).0, Type::Dynamic),
        };
        self.each((items, element), &statement.left, &statement.body, statement.span)
    }

    pub(super) fn for_in(&mut self, statement: &'a ast::ForInStatement<'a>) -> Node<'a> {
        let place = Some(statement.right.span());
        let (object, _) = self.expression(&statement.right, None);
        let keys = self.helper("keys", vec![object], place).0;
        self.each((keys, Type::String), &statement.left, &statement.body, statement.span)
    }

    /// A loop over the items of a list. Each round has variables of its own.
    fn each(
        &mut self,
        (items, element): Typed<'a>,
        left: &'a ForStatementLeft<'a>,
        body: &'a Statement<'a>,
        span: Span,
    ) -> Node<'a> {
        let place = Some(span);
        let items = self.keep(items, "items");
        let zero = self.index(0);
        let at = self.keep(zero, "at");
        let list = items.load(place);
        let length = find(Some(list.clone()), string("length", None), place);
        let condition = binary("<", at.load(place), length, place);
        let next = self.unary_node("++", true, at.load(place), place);
        let item = find(Some(list), at.load(place), place);
        let mut round = Vec::new();
        self.scoped(|lowerer| {
            match left {
                ForStatementLeft::VariableDeclaration(variables) => {
                    let is_const = variables.kind == VariableDeclarationKind::Const;
                    for declarator in &variables.declarations {
                        for name in bound_names(&declarator.id) {
                            lowerer.declare(name.name.as_str(), Type::Dynamic, is_const);
                        }
                        let parts =
                            lowerer.parts(&declarator.id, (item.clone(), element.clone()), &mut round);
                        for part in parts {
                            round.extend(lowerer.local_part(part, is_const));
                        }
                    }
                }
                left => match left.as_assignment_target() {
                    Some(target) => {
                        lowerer.assign(target, (item, element), span, &mut round);
                    }
                    None => round.push(lowerer.refuse(
                        left.span(),
                        "this variable of a loop",
                        "declare it with `const`",
                    )),
                },
            }
            // The body may go on with the next round at any place.
            round.push(expression_statement(next, None));
            round.push(lowerer.statement(body));
        });
        let repeat = Node::new("WhileStatement")
            .with("condition", condition)
            .with("body", block(round).at(span))
            .at(span);
        let mut statements = items.into_statements();
        statements.extend(at.into_statements());
        statements.push(repeat);
        block(statements)
    }

    /// Declares a local variable of a pattern.
    pub(super) fn local_part(&mut self, part: super::pattern::Part<'a>, is_const: bool) -> [Node<'a>; 2] {
        let ty = part.ty.widened();
        self.settle(part.name, ty.clone(), is_const);
        let token_text = self.unit.type_token(&ty).unwrap_or("dynamic");
        let local = Node::new("LocalVariable")
            .with("name", identifier(part.name, Some(part.place)))
            .with("type", type_token(token_text, Some(part.span)))
            .maybe("readonly", is_const.then_some(true));
        let declaration = Node::new("LocalVariableDeclaration").with("local", local);
        [declaration, self.initialization(token(part.name, Some(part.place)), None, part.value)]
    }
}
