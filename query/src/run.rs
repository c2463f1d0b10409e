//! Runs a filter on one input after the other.

use super::ended::{Ended, failure};
use super::filter::{Filter, Way};
use super::program::{Data, Note, Program, Scope};
use super::steps;
use super::value::Val;
use super::view::Source;
use coconut_report::failure::{Exit, Failure};
use jaq_core::{Ctx, Vars};
use std::rc::Rc;

/// A filter, its variables, and the document on which it runs.
pub struct Run<'a> {
    /// The filter.
    pub filter: &'a Filter,
    /// The document, for questions about its landmarks.
    pub source: Option<Rc<Source>>,
    /// Whether secrets may be shown.
    pub reveal: bool,
    /// Receives the messages of the filter.
    pub notes: &'a dyn Fn(Note<'_>),
    /// Maximum number of steps for each input.
    pub most_steps: u64,
    /// The name of the file for messages.
    pub name: &'a str,
}

impl Run<'_> {
    /// Runs the filter. Its variables have these values, in the order of their names.
    ///
    /// Passes each result to `receive`, which returns whether it accepts more.
    pub fn on(
        &self,
        input: Val,
        variables: Vec<Val>,
        receive: impl FnMut(Val) -> Result<bool, Failure>,
    ) -> Result<Ended, Failure> {
        // Each input has the whole number of steps, whatever the others took.
        steps::begin(self.most_steps);
        match &self.filter.way {
            Way::Direct(direct) => direct.on(input, self.name, receive),
            Way::Compiled(program) => self.interpret(program, input, variables, receive),
        }
    }

    fn interpret(
        &self,
        program: &Program,
        input: Val,
        variables: Vec<Val>,
        mut receive: impl FnMut(Val) -> Result<bool, Failure>,
    ) -> Result<Ended, Failure> {
        let scope = Scope {
            functions: &program.0.lut,
            source: self.source.clone(),
            reveal: self.reveal,
            notes: self.notes,
        };
        let context = Ctx::<Data>::new(&scope, Vars::new(variables));
        for result in program.0.id.run((context, input)) {
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
    fn failure(&self, error: &Val) -> Failure {
        failure(error).in_file(self.name)
    }
}

/// The exit code of `halt`. Numbers that have another meaning here are the code of a failed filter.
fn halted(number: i32) -> Exit {
    match number {
        0 => Exit::Good,
        1 => Exit::Negative,
        _ => Exit::Run,
    }
}
