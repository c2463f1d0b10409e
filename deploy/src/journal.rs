//! §25.2 The journal: the records of a deployment, one line each.
//!
//! ```text
//! 8 hexadecimal digits: CRC-32 of the text ─┐        ┌─ a JSON object
//!                                  1c291ca3 {"done":1,"state":{…}} LF
//! ```

mod read;
mod write;

pub(crate) use read::{Replay, head, replay};
pub(crate) use write::{WriteError, Writer, remove};

use crate::intent::{Entry, Intent};
use crate::state::{ResourceState, State, Unresolved};
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_format::Value;

/// The version of the journal.
pub(crate) const VERSION: u64 = 1;

/// A record of a journal, after the head.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// A call is about to be made.
    Begin {
        /// The number of the operation in the journal, from 1.
        seq: u64,
        /// The operation.
        intent: Intent,
    },
    /// The call has succeeded.
    Done {
        /// The number of the operation.
        seq: u64,
        /// The resource afterwards. Absent if it does not exist any more.
        state: Option<ResourceState>,
    },
    /// The call has failed, and had no effect.
    Failed {
        /// The number of the operation.
        seq: u64,
        /// The message of the provider.
        message: String,
    },
    /// The call has failed, and may have had an effect.
    Open {
        /// The number of the operation.
        seq: u64,
        /// The message of the provider, or of the connection to it.
        message: String,
    },
    /// A resource changes in the state alone.
    Set {
        /// The resource.
        state: ResourceState,
    },
    /// A resource leaves the state without a call.
    Forget {
        /// The resource.
        entry: Entry,
    },
    /// An unresolved operation of an earlier run is resolved.
    Settle {
        /// The operation.
        intent: Intent,
        /// The resource. Absent if it does not exist.
        state: Option<ResourceState>,
    },
    /// A run has ended in order.
    End,
}

impl Record {
    /// The record as JSON. Values of properties are in it.
    pub fn to_value(&self) -> Value {
        let state =
            |state: &Option<ResourceState>| state.as_ref().map_or(Value::Null, ResourceState::to_value);
        let numbered = |key: &str, seq: u64, message: &str| {
            Value::from_iter([(key, seq.into()), ("message", Value::from(message))])
        };
        match self {
            Record::Begin { seq, intent } => {
                let mut fields = vec![("begin".to_owned(), (*seq).into())];
                fields.extend(intent.fields());
                Value::Object(fields)
            }
            Record::Done { seq, state: after } => {
                Value::from_iter([("done", (*seq).into()), ("state", state(after))])
            }
            Record::Failed { seq, message } => numbered("failed", *seq, message),
            Record::Open { seq, message } => numbered("open", *seq, message),
            Record::Set { state } => Value::from_iter([("set", state.to_value())]),
            Record::Forget { entry } => Value::from_iter([("forget", Value::from_iter(entry.fields()))]),
            Record::Settle { intent, state: after } => {
                Value::from_iter([("settle", Value::Object(intent.fields())), ("state", state(after))])
            }
            Record::End => Value::from_iter([("end", Value::from(true))]),
        }
    }

    /// The record of a JSON object. `None` if it is not one.
    pub(crate) fn from_value(value: &Value) -> Option<Record> {
        let (key, first) = value.as_object()?.first()?;
        let number = || match first {
            Value::Integer(number) => number.as_u64(),
            _ => None,
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let state = || match value.get("state")? {
            Value::Null => Some(None),
            found => ResourceState::from_value(found.clone()).map(Some),
        };
        Some(match key.as_str() {
            "begin" => Record::Begin { seq: number()?, intent: Intent::from_value(value)? },
            "done" => Record::Done { seq: number()?, state: state()? },
            "failed" => Record::Failed { seq: number()?, message: text("message")? },
            "open" => Record::Open { seq: number()?, message: text("message")? },
            "set" => Record::Set { state: ResourceState::from_value(first.clone())? },
            "forget" => Record::Forget { entry: Entry::from_value(first)? },
            "settle" => Record::Settle { intent: Intent::from_value(first)?, state: state()? },
            "end" => Record::End,
            _ => return None,
        })
    }
}

/// A line without its LF.
fn line_of(value: &Value) -> String {
    let text = value.to_string();
    format!("{:08x} {text}", crc32fast::hash(text.as_bytes()))
}

/// The object of a line without its LF. `None` if the line is damaged.
fn value_of(line: &[u8]) -> Option<Value> {
    let (sum, text) = line.split_at_checked(8)?;
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    let text = text.strip_prefix(b" ")?;
    if crc32fast::hash(text) != sum {
        return None;
    }
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &JsonOptions::default()).ok()?;
    sink.finish()
}

/// The effect of the records on a state. Operations without an end are unresolved in it.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) state: State,
    begun: Vec<(u64, Intent)>,
    /// The number of the last operation.
    pub(crate) last: u64,
}

impl Progress {
    pub(crate) fn new(state: State) -> Progress {
        Progress { state, begun: Vec::new(), last: 0 }
    }

    /// Applies a record. Returns the reason if it contradicts those before it.
    pub(crate) fn apply(&mut self, record: Record) -> Result<(), &'static str> {
        match record {
            Record::Begin { seq, intent } => {
                if seq <= self.last {
                    return Err("the number of an operation does not grow");
                }
                self.last = seq;
                self.begun.push((seq, intent));
            }
            Record::Done { seq, state } => {
                let intent = self.ended(seq)?;
                self.state.end(&intent, state);
            }
            Record::Failed { seq, .. } => {
                self.ended(seq)?;
            }
            Record::Open { seq, message } => {
                let intent = self.ended(seq)?;
                self.state.unresolved.push(Unresolved { intent, message: Some(message) });
            }
            Record::Set { state } => self.state.set(state),
            Record::Forget { entry } => self.state.forget(&entry),
            Record::Settle { intent, state } => {
                // The run that wrote it had replayed the operations that were begun before.
                self.close();
                self.state.settle(&intent, state);
            }
            Record::End => self.close(),
        }
        Ok(())
    }

    fn ended(&mut self, seq: u64) -> Result<Intent, &'static str> {
        let at = self.begun.iter().position(|(begun, _)| *begun == seq);
        at.map(|at| self.begun.swap_remove(at).1).ok_or("an operation ends that has not begun")
    }

    /// Turns the operations without an end into unresolved ones.
    fn close(&mut self) {
        self.begun.sort_by_key(|(seq, _)| *seq);
        let open = self.begun.drain(..).map(|(_, intent)| Unresolved { intent, message: None });
        self.state.unresolved.extend(open);
    }

    /// The state after the last record.
    pub(crate) fn finish(mut self) -> (State, u64) {
        self.close();
        (self.state, self.last)
    }
}
