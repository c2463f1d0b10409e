//! §15.8 Copies of values without their secrets.

use crate::limits::BYTES_PER_STEP;
use coconut_format::Value;
use coconut_format::graph::{PathSet, Place};
use coconut_format::node::{Kind, Node};
use std::cell::Cell;
use std::rc::Rc;

/// The secrets in the parts of two documents that differ, and the remaining work for copies.
#[derive(Clone, Debug)]
pub struct Masks {
    old: Rc<PathSet>,
    new: Rc<PathSet>,
    left: Cell<u64>,
}

/// Shared values can expand to any size, and the budget for copying them is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// An object or list that is being copied.
enum Open<'a, N> {
    List(Vec<Value>, Box<dyn Iterator<Item = N> + 'a>, usize, Place),
    Object(Vec<(String, Value)>, String, Box<dyn Iterator<Item = (&'a str, N)> + 'a>, Place),
}

impl Masks {
    /// Masks for copies of about `most` values, whose secrets are at these places.
    pub fn new(old: Rc<PathSet>, new: Rc<PathSet>, most: u64) -> Masks {
        Masks { old, new, left: Cell::new(most) }
    }

    /// No secrets: copies are complete. At most about `most` values are copied.
    pub fn without_secrets(most: u64) -> Masks {
        Masks::new(Rc::default(), Rc::default(), most)
    }

    /// The places of the secrets of the old and the new document.
    pub fn secrets(&self) -> [&PathSet; 2] {
        [&self.old, &self.new]
    }

    /// A copy of a value of the old document, with `mask` for each secret in it.
    pub fn old<'a, N: Node<'a>>(&self, value: (N, Place), mask: &Value) -> Result<Value, TooLarge> {
        self.copy(&self.old, value, mask)
    }

    /// The same for the new document.
    pub fn new_value<'a, N: Node<'a>>(&self, value: (N, Place), mask: &Value) -> Result<Value, TooLarge> {
        self.copy(&self.new, value, mask)
    }

    fn copy<'a, N: Node<'a>>(
        &self,
        secrets: &PathSet,
        (value, place): (N, Place),
        mask: &Value,
    ) -> Result<Value, TooLarge> {
        let mut open: Vec<Open<'a, N>> = Vec::new();
        let mut next = (value, place);
        loop {
            let (value, place) = next;
            let mut done = match value.kind() {
                _ if place == Place::Inside => mask.clone(),
                Kind::List => {
                    open.push(Open::List(Vec::new(), Box::new(value.items()), 0, place));
                    Value::Null
                }
                Kind::Object => {
                    open.push(Open::Object(Vec::new(), String::new(), Box::new(value.entries()), place));
                    Value::Null
                }
                _ => scalar(value),
            };
            self.spend(done.as_str().map_or(0, str::len))?;
            let mut is_opened = value.kind().is_container() && place != Place::Inside;
            loop {
                let Some(innermost) = open.last_mut() else { return Ok(done) };
                let below = match innermost {
                    Open::List(items, rest, index, around) => {
                        if !is_opened {
                            items.push(done);
                        }
                        rest.next().map(|item| {
                            *index += 1;
                            (item, secrets.enter_item(*around, *index - 1))
                        })
                    }
                    Open::Object(entries, name, rest, around) => {
                        if !is_opened {
                            entries.push((std::mem::take(name), done));
                        }
                        match rest.next() {
                            None => None,
                            Some((key, value)) => {
                                self.spend(key.len())?;
                                key.clone_into(name);
                                Some((value, secrets.enter_key(*around, key)))
                            }
                        }
                    }
                };
                match below {
                    Some(below) => {
                        next = below;
                        break;
                    }
                    None => {
                        done = match open.pop() {
                            Some(Open::List(items, ..)) => Value::List(items),
                            Some(Open::Object(entries, ..)) => Value::Object(entries),
                            None => Value::Null,
                        };
                        is_opened = false;
                    }
                }
            }
        }
    }

    fn spend(&self, bytes: usize) -> Result<(), TooLarge> {
        let left = self.left.get().checked_sub(1 + bytes as u64 / BYTES_PER_STEP);
        self.left.set(left.ok_or(TooLarge)?);
        Ok(())
    }
}

fn scalar<'a, N: Node<'a>>(value: N) -> Value {
    let found = match value.kind() {
        Kind::Bool => value.as_bool().map(Value::Bool),
        Kind::Integer => value.as_integer().map(Value::Integer),
        Kind::Float => value.as_float().map(Value::Float),
        Kind::String => value.as_str().map(|text| Value::String(text.to_owned())),
        Kind::Null | Kind::List | Kind::Object => None,
    };
    found.unwrap_or(Value::Null)
}
