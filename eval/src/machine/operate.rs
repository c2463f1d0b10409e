//! §19.7 Operators, types of values and conversions.

use super::{Machine, Step};
use crate::code::{BinaryOp, UnaryOp};
use crate::heap::{Body, Value};
use crate::limits::Limit;
use crate::names::Name;
use coconut_format::names::TypeToken;

/// The number that results from two numbers. The hot path of loops is here.
#[inline]
pub(super) fn arithmetic(op: BinaryOp, left: f64, right: f64) -> Option<f64> {
    match op {
        BinaryOp::Add => Some(left + right),
        BinaryOp::Subtract => Some(left - right),
        BinaryOp::Multiply => Some(left * right),
        BinaryOp::Divide => Some(left / right),
        BinaryOp::Remainder => remainder(left, right),
        _ => None,
    }
}

#[inline]
fn remainder(left: f64, right: f64) -> Option<f64> {
    let divisor = integer(right);
    (divisor != 0).then(|| float(integer(left).wrapping_rem(divisor)))
}

/// Whether a comparison of two numbers holds.
#[inline]
pub(super) fn compared(op: BinaryOp, left: f64, right: f64) -> Option<bool> {
    Some(match op {
        BinaryOp::Less => left < right,
        BinaryOp::LessOrEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterOrEqual => left >= right,
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        _ => return None,
    })
}

/// The result for two numbers, unless the operator throws.
fn of_numbers(op: BinaryOp, left: f64, right: f64) -> Option<Value> {
    if let Some(is_true) = compared(op, left, right) {
        return Some(Value::Bool(is_true));
    }
    let number = match op {
        BinaryOp::Power => libm::pow(left, right),
        BinaryOp::ShiftLeft => float(integer(left).wrapping_shl(shift(right)?)),
        BinaryOp::ShiftRight => float(integer(left).wrapping_shr(shift(right)?)),
        BinaryOp::And => float(integer(left) & integer(right)),
        BinaryOp::Or => float(integer(left) | integer(right)),
        BinaryOp::Xor => float(integer(left) ^ integer(right)),
        _ => arithmetic(op, left, right)?,
    };
    Some(Value::Number(number))
}

/// Converts to a 64-bit integer: truncated toward zero, or the nearest one if out of range.
#[expect(clippy::cast_possible_truncation, reason = "the language cuts toward zero here")]
fn integer(value: f64) -> i64 {
    value as i64
}

#[expect(clippy::cast_precision_loss, reason = "numbers of the language are floats")]
fn float(value: i64) -> f64 {
    value as f64
}

fn shift(count: f64) -> Option<u32> {
    u32::try_from(integer(count)).ok().filter(|count| *count < 64)
}

impl Machine<'_> {
    /// The result for any operands.
    #[inline(never)]
    pub(super) fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Step<Value> {
        if let (Value::Number(left), Value::Number(right)) = (left, right)
            && let Some(result) = of_numbers(op, left, right)
        {
            return Ok(result);
        }
        if self.heap.unknown(left).is_some() || self.heap.unknown(right).is_some() {
            if let Some(known) = self.compared_with_null(op, left, right) {
                return Ok(Value::Bool(known));
            }
            let stand_in = match (self.stand_in(left), self.stand_in(right)) {
                (Some(left), Some(right)) => {
                    let result = self.binary(op, left, right);
                    self.attempted(result)?
                }
                _ => None,
            };
            let element = match op {
                _ if op.compares() => "bool",
                BinaryOp::Add if self.is_textual(left) || self.is_textual(right) => "string",
                _ => "number",
            };
            let element = self.names.number(element);
            return self.unknown_with(element, &[left, right], stand_in);
        }
        if let (Value::Text(left), Value::Text(right)) = (left, right) {
            let bytes = self.heap.text(left).len().min(self.heap.text(right).len());
            self.charge(bytes as u64 / 64)?;
        }
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            return Ok(Value::Bool(self.same(left, right) == (op == BinaryOp::Equal)));
        }
        if let (Value::Text(left), Value::Text(right)) = (left, right) {
            let (left, right) = (self.heap.text(left), self.heap.text(right));
            match op {
                BinaryOp::Add => {
                    if left.len() + right.len() > self.limits.text_bytes {
                        return Err(Limit::Text.into());
                    }
                    let text = [&**left, &**right].concat();
                    return Ok(Value::Text(self.heap.add_text(text.into())?));
                }
                BinaryOp::Less => return Ok(Value::Bool(left < right)),
                BinaryOp::LessOrEqual => return Ok(Value::Bool(left <= right)),
                BinaryOp::Greater => return Ok(Value::Bool(left > right)),
                BinaryOp::GreaterOrEqual => return Ok(Value::Bool(left >= right)),
                _ => {}
            }
        }
        let text = match (op, left, right) {
            (BinaryOp::Remainder, Value::Number(_), Value::Number(_)) => {
                "remainder of a division by zero".to_owned()
            }
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, Value::Number(_), Value::Number(count)) => {
                format!("a shift by {count} bits; 0 to 63 are possible")
            }
            _ => {
                let [left, right] = [left, right].map(|value| self.type_of(value));
                let [left, right] = [left, right].map(|ty| self.names.text(ty).to_string());
                format!("operator '{}' cannot be used for values of type '{left}' and '{right}'", op.text())
            }
        };
        Err(self.exception(&text))
    }

    /// The result of comparing an unknown result of an operator or of a hash with null: it is a
    /// string, a number or a bool, whatever its operands will be.
    fn compared_with_null(&self, op: BinaryOp, left: Value, right: Value) -> Option<bool> {
        let other = match (left, right) {
            (Value::Null | Value::Empty, other) | (other, Value::Null | Value::Empty) => other,
            _ => return None,
        };
        let unknown = self.heap.unknown(other).filter(|unknown| unknown.derived)?;
        matches!(&**self.names.text(unknown.element), "string" | "number" | "bool").then_some(())?;
        match op {
            BinaryOp::Equal => Some(false),
            BinaryOp::NotEqual => Some(true),
            _ => None,
        }
    }

    /// Whether a value, once known, is a string or may become one.
    fn is_textual(&self, value: Value) -> bool {
        match (value, self.heap.unknown(value)) {
            (_, Some(unknown)) => matches!(&**self.names.text(unknown.element), "string" | "null"),
            (Value::Text(_) | Value::Null, None) => true,
            _ => false,
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, value: Value) -> Step<Value> {
        if self.heap.unknown(value).is_some() {
            let element = self.names.number(if op == UnaryOp::Not { "bool" } else { "number" });
            let stand_in = match self.stand_in(value) {
                Some(known) => {
                    let result = self.unary(op, known);
                    self.attempted(result)?
                }
                None => None,
            };
            return self.unknown_with(element, &[value], stand_in);
        }
        match (op, value) {
            (UnaryOp::Plus, Value::Number(_)) => Ok(value),
            (UnaryOp::Minus, Value::Number(number)) => Ok(Value::Number(-number)),
            (UnaryOp::Increment, Value::Number(number)) => Ok(Value::Number(number + 1.0)),
            (UnaryOp::Decrement, Value::Number(number)) => Ok(Value::Number(number - 1.0)),
            (UnaryOp::Complement, Value::Number(number)) => Ok(Value::Number(float(!integer(number)))),
            (UnaryOp::Not, Value::Bool(flag)) => Ok(Value::Bool(!flag)),
            _ => {
                let operator = match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Minus => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::Complement => "~",
                    UnaryOp::Increment => "++",
                    UnaryOp::Decrement => "--",
                };
                let ty = self.type_of(value);
                let text = format!(
                    "operator '{operator}' cannot be used for a value of type '{}'",
                    self.names.text(ty)
                );
                Err(self.exception(&text))
            }
        }
    }

    /// Equality: by value for scalars, by identity for everything else.
    pub(super) fn same(&self, left: Value, right: Value) -> bool {
        match (left, right) {
            (Value::Null | Value::Empty, Value::Null | Value::Empty) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Number(left), Value::Number(right)) => left == right,
            (Value::Text(left), Value::Text(right)) => {
                left == right || self.heap.text(left) == self.heap.text(right)
            }
            (Value::Object(left), Value::Object(right)) => left == right,
            _ => false,
        }
    }

    /// The token of the type of a value.
    pub(crate) fn type_of(&mut self, value: Value) -> Name {
        match value {
            Value::Empty | Value::Null => self.names.number("null"),
            Value::Bool(_) => self.names.number("bool"),
            Value::Number(_) => self.names.number("number"),
            Value::Text(_) => self.names.number("string"),
            Value::Object(id) => self.heap.object(id).ty,
            Value::Cell(cell) => self.type_of(self.heap.cells[cell.0 as usize]),
        }
    }

    /// Whether a cast of the value to this type is possible. For an unknown value, its future type
    /// counts.
    pub(super) fn converts_value(&mut self, value: Value, to: Name) -> Step<bool> {
        let from = match self.heap.unknown(value) {
            Some(unknown) => unknown.element,
            None => self.type_of(value),
        };
        self.converts(from, to)
    }

    /// Whether a value is valid as an argument of `.main` of this type.
    pub(crate) fn converts_argument(&mut self, value: Value, to: Name) -> Step<bool> {
        self.converts_value(value, to)
    }

    /// `instanceof`. Unlike in a cast, null is not an instance of any type, and an object without a
    /// class is not an instance of a class.
    pub(super) fn is_instance(&mut self, value: Value, of: Name) -> Step<bool> {
        let from = match self.heap.unknown(value) {
            Some(unknown) => unknown.element,
            None => self.type_of(value),
        };
        if from == of {
            return Ok(true);
        }
        let text = self.names.text(of).to_string();
        let is_open = matches!(&**self.names.text(from), "null" | "dynamic");
        if is_open && !matches!(&*text, "dynamic" | "object" | "any") {
            return Ok(false);
        }
        if &**self.names.text(from) == "null" {
            return Ok(false);
        }
        self.converts(from, of)
    }

    fn converts(&mut self, from: Name, to: Name) -> Step<bool> {
        if from == to {
            return Ok(true);
        }
        if let Some(&known) = self.conversions.get(&(from, to)) {
            return Ok(known);
        }
        let (from_text, to_text) = (self.names.text(from).to_string(), self.names.text(to).to_string());
        let converts = self.converts_texts(&from_text, &to_text)?;
        self.conversions.insert((from, to), converts);
        Ok(converts)
    }

    fn converts_texts(&mut self, from: &str, to: &str) -> Step<bool> {
        let open = |text: &str| matches!(text, "dynamic" | "any" | "null");
        if from == to || open(from) || open(to) || to == "object" {
            return Ok(true);
        }
        let (Ok(from), Ok(to)) = (TypeToken::parse(from), TypeToken::parse(to)) else { return Ok(false) };
        self.converts_types(&from, &to)
    }

    /// The depth of parsed tokens is bounded by their parser.
    fn converts_types(&mut self, from: &TypeToken, to: &TypeToken) -> Step<bool> {
        let is_open = |ty: &TypeToken| matches!(&*ty.to_string(), "dynamic" | "any" | "null");
        if from == to || is_open(from) || is_open(to) || to.to_string() == "object" {
            return Ok(true);
        }
        if let (TypeToken::Named(token), other) | (other, TypeToken::Named(token)) = (from, to)
            && let Some(alias) = self.alias_of(token.as_str())?
        {
            // Names of arrays, maps and functions may contain themselves: they count as `dynamic`.
            let alias = TypeToken::parse(&alias).ok();
            let alias = alias.filter(|alias| matches!(alias, TypeToken::Primitive(_)));
            let Some(alias) = alias else { return Ok(true) };
            let is_from = matches!(from, TypeToken::Named(from) if from.as_str() == token.as_str());
            return match is_from {
                true => self.converts_types(&alias, other),
                false => self.converts_types(other, &alias),
            };
        }
        Ok(match (from, to) {
            (TypeToken::Named(from), TypeToken::Named(to)) => {
                let [from, to] = [from, to].map(|token| self.names.number(token.as_str()));
                match (self.find_class(from)?, self.find_class(to)?) {
                    (Some(from), Some(to)) => self.program.derives(from, to),
                    // A type that no package defines is treated as `dynamic`.
                    _ => true,
                }
            }
            (TypeToken::Pointer(element), to) => self.converts_types(element, to)?,
            (TypeToken::Array(from), TypeToken::Array(to)) => {
                from == to || from.is_dynamic() || to.is_dynamic()
            }
            (TypeToken::Map(from_key, from), TypeToken::Map(to_key, to)) => {
                let fits =
                    |from: &TypeToken, to: &TypeToken| from == to || from.is_dynamic() || to.is_dynamic();
                fits(from_key, to_key) && fits(from, to)
            }
            (TypeToken::Function(from), TypeToken::Function(to)) => {
                let mut converts = from.parameters.len() == to.parameters.len();
                for (from, to) in from.parameters.iter().zip(&to.parameters) {
                    converts = converts && self.converts_types(to, from)?;
                }
                if let (true, Some(from), Some(to)) = (converts, &from.result, &to.result) {
                    converts = self.converts_types(from, to)?;
                }
                converts
            }
            _ => false,
        })
    }

    /// The type of which a class is another name.
    fn alias_of(&mut self, class: &str) -> Step<Option<Box<str>>> {
        let class = self.names.number(class);
        Ok(self.find_class(class)?.and_then(|class| self.program.class(class).alias.clone()))
    }

    /// Whether a value is an array, with its items.
    pub(super) fn items(&self, value: Value) -> Option<&Vec<Value>> {
        match value {
            Value::Object(id) => match &self.heap.object(id).body {
                Body::Array(items) => Some(items),
                _ => None,
            },
            _ => None,
        }
    }
}
