//! §19.7 Places: the targets of loads, stores and pointers.

use super::{Lowered, Lowering};
use crate::code::{Op, Variable};
use crate::limits::Limit;
use crate::names::Name;
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::names::member_name;

/// A place that can be loaded from, stored to and pointed at. If it has an object and a key, they
/// are on the stack.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Variable(Variable),
    Lookup {
        lookup: u32,
        tolerant: bool,
    },
    /// The name is on the stack.
    Named {
        lookup: u32,
        tolerant: bool,
    },
    Token(u32),
    Member(Name),
    Super(Name),
    Index {
        tolerant: bool,
    },
    Pointer,
}

impl Target {
    /// The number of values on the stack that belong to the place.
    pub(super) fn operands(self) -> usize {
        match self {
            Target::Variable(_) | Target::Lookup { .. } | Target::Token(_) | Target::Super(_) => 0,
            Target::Named { .. } | Target::Member(_) | Target::Pointer => 1,
            Target::Index { .. } => 2,
        }
    }
}

impl Lowering<'_> {
    /// Pushes the object and the key of a place. Returns `None` after an instruction that throws,
    /// if the tree does not name them.
    pub(super) fn target(&mut self, node: &SyntaxNode, is_assigned: bool) -> Result<Option<Target>, Limit> {
        Ok(Some(match node.kind() {
            SyntaxKind::LoadLocationExpression => {
                let Some(token) = node.token("name").map(str::to_owned) else {
                    return self.fail("a load without a name").map(|()| None);
                };
                match node.node("object") {
                    Some(object) if is_super(object) => {
                        // A lambda captures the object.
                        self.resolve(Name::THIS);
                        Target::Super(self.name(member_name(&token)))
                    }
                    Some(object) => {
                        self.expression(object)?;
                        Target::Member(self.name(member_name(&token)))
                    }
                    None if token.contains(':') => Target::Token(self.site(&token)),
                    None => {
                        let name = self.name(&token);
                        match self.resolve(name) {
                            Some(variable) => Target::Variable(variable),
                            None => Target::Lookup {
                                lookup: self.lookup(Some(name), is_assigned)?,
                                tolerant: false,
                            },
                        }
                    }
                }
            }
            SyntaxKind::LoadVariableExpression => {
                let name = self.name(node.text("variable").unwrap_or_default());
                Target::Lookup { lookup: self.lookup(Some(name), is_assigned)?, tolerant: false }
            }
            SyntaxKind::LoadDynamicExpression | SyntaxKind::TryLoadDynamicExpression => {
                let tolerant = node.kind() == SyntaxKind::TryLoadDynamicExpression;
                let Some(key) = node.node("name") else {
                    return self.fail("a load without a name").map(|()| None);
                };
                match node.node("object") {
                    Some(object) => {
                        self.expression(object)?;
                        self.expression(key)?;
                        Target::Index { tolerant }
                    }
                    None if key.kind() == SyntaxKind::StringLiteral => {
                        let name = self.name(key.text("value").unwrap_or_default());
                        Target::Lookup { lookup: self.lookup(Some(name), is_assigned)?, tolerant }
                    }
                    None => {
                        self.expression(key)?;
                        Target::Named { lookup: self.lookup(None, is_assigned)?, tolerant }
                    }
                }
            }
            SyntaxKind::UnaryOperatorExpression if node.text("operator") == Some("*") => {
                self.needed(node, "operand")?;
                Target::Pointer
            }
            // `(a, b) = …` and casts: the place is that of the value.
            SyntaxKind::CastExpression if is_assigned => match node.node("expression") {
                Some(inner) => return self.target(inner, is_assigned),
                None => return self.fail("a conversion without a value").map(|()| None),
            },
            kind => return self.fail(&format!("a node `{kind}` cannot be assigned to")).map(|()| None),
        }))
    }

    pub(super) fn load(&mut self, target: Target) {
        let op = match target {
            Target::Variable(Variable::Local(variable) | Variable::Cell(variable)) => Op::Load(variable),
            Target::Variable(Variable::Outer(outer)) => Op::LoadOuter(outer),
            Target::Lookup { lookup, tolerant } => Op::LoadName { lookup, tolerant },
            Target::Named { lookup, tolerant } => Op::LoadNamed { lookup, tolerant },
            Target::Token(site) => Op::LoadToken(site),
            Target::Member(name) => Op::LoadMember(name),
            Target::Super(name) => Op::LoadSuper(name),
            Target::Index { tolerant } => Op::LoadIndex { tolerant },
            Target::Pointer => Op::LoadPointer,
        };
        self.emit(op);
    }

    pub(super) fn store(&mut self, target: Target) {
        let op = match target {
            Target::Variable(Variable::Local(variable) | Variable::Cell(variable)) => Op::Store(variable),
            Target::Variable(Variable::Outer(outer)) => Op::StoreOuter(outer),
            Target::Lookup { lookup, .. } => Op::StoreName(lookup),
            Target::Named { lookup, .. } => Op::StoreNamed(lookup),
            Target::Token(site) => Op::StoreToken(site),
            Target::Member(name) => Op::StoreMember(name),
            Target::Super(name) => {
                // The object is `.this`; it goes below the value.
                match self.resolve(Name::THIS) {
                    Some(variable) => self.load(Target::Variable(variable)),
                    None => drop(self.emit(Op::Null)),
                }
                self.emit(Op::Under1);
                self.emit(Op::Pop);
                Op::StoreMember(name)
            }
            Target::Index { .. } => Op::StoreIndex,
            Target::Pointer => Op::StorePointer,
        };
        self.emit(op);
    }

    pub(super) fn address(&mut self, node: &SyntaxNode) -> Lowered {
        let Some(operand) = node.node("operand") else { return self.fail("an operator without an operand") };
        let Some(target) = self.target(operand, true)? else { return Ok(()) };
        let op = match target {
            Target::Variable(Variable::Local(variable) | Variable::Cell(variable)) => {
                self.body().variables[variable as usize].is_shared = true;
                Op::AddressOfCell(variable)
            }
            Target::Variable(Variable::Outer(outer)) => Op::AddressOfOuter(outer),
            Target::Token(site) => Op::AddressOfToken(site),
            Target::Member(name) => Op::AddressOfMember(name),
            Target::Index { .. } => Op::AddressOfIndex,
            // `&*p` is `p`, which is on the stack.
            Target::Pointer => return Ok(()),
            Target::Lookup { .. } | Target::Named { .. } | Target::Super(_) => {
                return self
                    .fail("`&` needs a variable, a property or an element that is known by its token");
            }
        };
        self.emit(op);
        Ok(())
    }
}

fn is_super(node: &SyntaxNode) -> bool {
    node.kind() == SyntaxKind::LoadLocationExpression
        && node.node("object").is_none()
        && node.token("name") == Some(".super")
}
