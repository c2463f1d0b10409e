//! §19.3 The instructions to which functions are lowered.
//!
//! A stack machine. Names of local variables become positions in the frame. Tokens become *sites*,
//! which are resolved once. Common sequences are single instructions: [`crate::lower`] fuses them
//! at the end.

use crate::heap::TextId;
use crate::names::Name;
use coconut_format::location::Location;
use std::cell::Cell;

/// One instruction. "Pops" and "pushes" refer to the stack; the top is the value pushed last.
///
/// The kind is a separate byte: the machine jumps by it, and must not compute it from fields.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub(crate) enum Op {
    Null,
    Bool(bool),
    /// An index into [`Code::numbers`].
    Number(u32),
    Text(TextId),
    Pop,
    Dup,
    /// `a b` → `a b a b`.
    Dup2,
    /// `a b` → `b a b`.
    Under1,
    /// `a b c` → `c a b c`.
    Under2,
    /// A variable of the frame. The forms with `Cell` are for variables that lambdas share.
    Load(u32),
    Store(u32),
    Declare(u32),
    LoadCell(u32),
    StoreCell(u32),
    DeclareCell(u32),
    /// A variable captured by a lambda.
    LoadOuter(u32),
    StoreOuter(u32),
    /// A name resolved at run time: [`Code::lookups`].
    LoadName {
        lookup: u32,
        tolerant: bool,
    },
    StoreName(u32),
    /// The same, with the name on the stack.
    LoadNamed {
        lookup: u32,
        tolerant: bool,
    },
    StoreNamed(u32),
    /// A token: a site of the program.
    LoadToken(u32),
    StoreToken(u32),
    /// Pops the object.
    LoadMember(Name),
    /// Pops the value and the object, pushes the value.
    StoreMember(Name),
    /// Starts at the prototype of the base class of [`Code::class`].
    LoadSuper(Name),
    /// Pops the key and the object.
    LoadIndex {
        tolerant: bool,
    },
    /// Pops the value, the key and the object, pushes the value.
    StoreIndex,
    /// Pops the arguments and the function.
    Call(u16),
    /// Pops the arguments and the object.
    CallMember {
        name: Name,
        arguments: u16,
    },
    CallSuper {
        name: Name,
        arguments: u16,
    },
    /// Pops the arguments, the key and the object.
    CallIndex {
        tolerant: bool,
        arguments: u16,
    },
    /// Pops the arguments. An index into [`Code::constructions`].
    New(u32),
    /// Pushes an object of this type, with room for this many properties.
    Object {
        ty: Name,
        properties: u16,
    },
    /// Pops the value, leaves the object.
    Init(Name),
    /// Pops the value and the key, leaves the object.
    InitComputed,
    /// Pops the elements. An index into [`Code::arrays`].
    Array(u32),
    /// Pops the size.
    SizedArray(Name),
    Unary(UnaryOp),
    /// A binary operator. Operands on the stack are popped, the right one first.
    Compute {
        op: BinaryOp,
        left: Operand,
        right: Operand,
    },
    /// The same, with the result stored in a variable of the frame.
    Assign {
        op: BinaryOp,
        left: Operand,
        right: Operand,
        variable: u16,
    },
    /// The same, and a jump unless the result is true.
    Branch {
        op: BinaryOp,
        left: Operand,
        right: Operand,
        target: u32,
    },
    /// Pops into a variable of the frame.
    Set(u32),
    /// `++` or `--` of a variable of the frame.
    Step {
        variable: u32,
        op: UnaryOp,
    },
    /// Pops two values, pushes whether they are equal, as `switch` compares them.
    Same,
    Jump(u32),
    /// Pops the condition.
    JumpUnless(u32),
    /// Pops the left operand, unless it decides the result.
    And(u32),
    Or(u32),
    /// An index into the lambdas of [`Code::lambdas`].
    Closure(u32),
    /// Begins a region of [`Code::regions`].
    Try(u32),
    /// Ends the current innermost region, and continues at this position.
    EndTry(u32),
    /// The thrown value is on the stack. Jumps to this position if its type differs from that of
    /// this site of [`Code::catches`].
    CatchUnless(u32),
    Rethrow,
    EndFinally,
    /// Leaves regions for a position outside them: [`Code::leaves`].
    Leave(u32),
    Return,
    ReturnNothing,
    Throw,
    /// Initializes a module, and pushes the object of its exports.
    Import(u32),
    Cast(Name),
    IsInstance(Name),
    TypeOf,
    AddressOfCell(u32),
    AddressOfOuter(u32),
    AddressOfToken(u32),
    AddressOfMember(Name),
    AddressOfIndex,
    LoadPointer,
    StorePointer,
    /// A part of the tree without meaning: throws this text.
    Fail(TextId),
}

/// The place of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Stack,
    /// A variable of the frame that no lambda shares.
    Variable(u16),
    /// An index into [`Code::numbers`].
    Number(u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
    Increment,
    Decrement,
}

coconut_format::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum BinaryOp, ALL {
        Add = "+";
        Subtract = "-";
        Multiply = "*";
        Divide = "/";
        Remainder = "%";
        Power = "**";
        ShiftLeft = "<<";
        ShiftRight = ">>";
        And = "&";
        Or = "|";
        Xor = "^";
        Less = "<";
        LessOrEqual = "<=";
        Greater = ">";
        GreaterOrEqual = ">=";
        Equal = "==";
        NotEqual = "!=";
    }
    pub(crate) fn text;
}

impl BinaryOp {
    pub(crate) fn from_text(text: &str) -> Option<BinaryOp> {
        let text = match text {
            ">>>" => ">>",
            "===" => "==",
            "!==" => "!=",
            text => text,
        };
        BinaryOp::ALL.into_iter().find(|op| op.text() == text)
    }

    /// Whether the result is `true` or `false`.
    pub(crate) fn compares(self) -> bool {
        matches!(
            self,
            BinaryOp::Less
                | BinaryOp::LessOrEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterOrEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        )
    }
}

/// A lowered function.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// For each instruction, its index in `locations` plus one; 0 for none.
    pub(crate) places: Vec<u32>,
    pub(crate) locations: Vec<Location>,
    pub(crate) numbers: Vec<f64>,
    /// Variables of the frame: parameters, `.this` of methods, locals.
    pub(crate) variables: u32,
    /// Parameters shared by lambdas: they become cells at the start of the call.
    pub(crate) shared_parameters: Vec<u32>,
    pub(crate) lookups: Vec<Lookup>,
    pub(crate) constructions: Vec<Construction>,
    pub(crate) arrays: Vec<(Name, u32)>,
    pub(crate) lambdas: Vec<Lambda>,
    pub(crate) regions: Vec<Region>,
    pub(crate) catches: Vec<(Name, u32)>,
    pub(crate) leaves: Vec<Leave>,
    pub(crate) module: u32,
    pub(crate) class: Option<u32>,
}

impl Code {
    pub(crate) fn location(&self, op: usize) -> Option<&Location> {
        let place = *self.places.get(op)?;
        self.locations.get(place.checked_sub(1)? as usize)
    }
}

/// The variables that a run-time name may refer to, innermost first.
#[derive(Debug)]
pub(crate) struct Lookup {
    /// `None` if the name is on the stack.
    pub(crate) name: Option<Name>,
    pub(crate) candidates: Vec<(Name, Variable)>,
    /// The place of the variable that an assignment creates if none exists: in the frame, or else
    /// in the module.
    pub(crate) fallback: Option<Variable>,
    /// The index among the globals of the module, once the name is known to refer to one. It does
    /// not change.
    pub(crate) global: Cell<Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Local(u32),
    Cell(u32),
    Outer(u32),
}

#[derive(Debug)]
pub(crate) struct Construction {
    pub(crate) ty: Name,
    pub(crate) arguments: u16,
    /// The names of the arguments, for records.
    pub(crate) names: Vec<Option<Name>>,
}

#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) function: u32,
    /// For each captured variable: a cell of the frame, or a variable captured by this function.
    pub(crate) captures: Vec<Variable>,
}

/// A `try` and the positions of its handlers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) catch: Option<u32>,
    pub(crate) finally: Option<u32>,
}

/// A jump out of regions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave {
    /// The number of handlers that end.
    pub(crate) handlers: u32,
    /// The number of abandoned `finally` clauses.
    pub(crate) completions: u32,
    pub(crate) target: u32,
}
