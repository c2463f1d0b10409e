//! Runs a filter on one input after the other.

use super::program::{Data, Program, Scope};
use super::steps;
use super::value::Val;
use super::view::Source;
use crate::code;
use crate::failure::{Exit, Failure};
use coconut_format::truncated::Truncated;
use jaq_core::{Ctx, Vars};
use std::rc::Rc;

/// The end of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// There are no more results.
    Whole,
    /// The receiver accepts no more.
    Stopped,
    /// The filter requests the end of the whole run with this code.
    Halted(Exit),
}

/// A filter, its variables, and the document on which it runs.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    pub(crate) source: Option<Rc<Source>>,
    pub(crate) reveal: bool,
    /// Whether standard error leads to a terminal.
    pub(crate) is_seen: bool,
    /// The name of the file for messages.
    pub(crate) name: &'a str,
}

impl Run<'_> {
    /// Passes each result to `receive`, which returns whether it accepts more.
    pub(crate) fn on(
        &self,
        input: Val,
        variables: Vec<Val>,
        mut receive: impl FnMut(Val) -> Result<bool, Failure>,
    ) -> Result<Ended, Failure> {
        let scope = Scope {
            functions: &self.program.lut,
            source: self.source.clone(),
            reveal: self.reveal,
            is_seen: self.is_seen,
        };
        let context = Ctx::<Data>::new(&scope, Vars::new(variables));
        for result in self.program.id.run((context, input)) {
            steps::are_exceeded(1);
            if let Some(failure) = steps::failure(self.name) {
                return Err(failure);
            }
            match result {
                Ok(value) => {
                    let wants_more = receive(value)?;
                    // Printing decodes the values that no filter has read.
                    if let Some(failure) = steps::failure(self.name) {
                        return Err(failure);
                    }
                    if !wants_more {
                        return Ok(Ended::Stopped);
                    }
                }
                Err(exception) => {
                    return match exception.get_err() {
                        Ok(error) => Err(self.failure(&error.into_val())),
                        Err(exception) => Ok(Ended::Halted(halted(exception.get_halt().unwrap_or(5)))),
                    };
                }
            }
        }
        steps::failure(self.name).map_or(Ok(Ended::Whole), Err)
    }

    /// The failure of a filter that did not catch this error.
    pub(crate) fn failure(&self, error: &Val) -> Failure {
        failure(error).in_file(self.name)
    }
}

/// The failure of a filter that did not catch this error.
pub(crate) fn failure(error: &Val) -> Failure {
    let message = match error {
        Val::String(text) => Truncated(text).to_text().into_owned(),
        other => format!("{} (not a string)", Truncated(&other.to_string()).to_text()),
    };
    let is_name_in_list = message.starts_with(NAME_IN_LIST);
    let failure = Failure::new(Exit::Run, code::QUERY_ERROR, message);
    match is_name_in_list {
        true => failure
            .with_hint("`.[]` yields the items of a list, and `--each` runs the filter for each landmark"),
        false => failure,
    }
}

/// The beginning of the error when a filter for an object is applied to a list, such as that of a
/// YAML stream.
const NAME_IN_LIST: &str = "Cannot index array with string";

/// The exit code of `halt`. Numbers that have another meaning here are the code of a failed filter.
fn halted(number: i32) -> Exit {
    match number {
        0 => Exit::Good,
        1 => Exit::Negative,
        _ => Exit::Run,
    }
}
