//! §16.5 The difference as a patch.

use super::{Diff, Form, api, schemas};
use coconut_codec::event::{EventSink, push};
use coconut_codec::limits;
use coconut_codec::read::tree::TreeValue;
use coconut_codec::secrets::Redaction;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_diff::value::{Operation, Sameness, Strictness, TooMuchWork, merge_patch, operations};
use coconut_diff::{Masks, Side};
use coconut_format::Value;
use coconut_format::graph::Place;
use coconut_format::node::{Kind, Node as _};
use coconut_report::code;
use coconut_report::diff::too_large;
use coconut_report::failure::{Exit, Failure};
use coconut_shell::console::Console;
use coconut_shell::open::Opened;

/// The reasons why there is no patch.
struct NoPatch(Failure);

impl From<TooMuchWork> for NoPatch {
    fn from(TooMuchWork: TooMuchWork) -> NoPatch {
        NoPatch(too_large())
    }
}

impl Diff {
    /// Prints a patch that turns the old document into the new one.
    pub(super) fn print_patch(
        &self,
        old: &Opened,
        new: &Opened,
        schemas: &[Opened],
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let read = |opened: &Opened| -> Result<_, Failure> {
            let hidden = Redaction::of_document(opened.view(), console.reveal);
            hidden.map_err(|error| Failure::from(error).in_file(&opened.name))
        };
        let mut hidden = [read(old)?, read(new)?];
        let side = |opened| {
            Side::read(Opened::view(opened)).map_err(|error| Failure::from(error).in_file(&opened.name))
        };
        let (before, after) = (side(old)?, side(new)?);
        let trees = schemas.iter().map(api::tree).collect::<Result<Vec<_>, _>>()?;
        let described = schemas::described(schemas, &trees)?;
        for (hidden, (side, opened)) in hidden.iter_mut().zip([(&before, old), (&after, new)]) {
            if !schemas.is_empty() && !console.reveal {
                let found = side.secrets_by(&described);
                hidden.hide(found.map_err(|error| Failure::from(error).in_file(&opened.name))?);
            }
        }
        let most = limits::search_budget(old.view().bytes().len() + new.view().bytes().len());
        let mut sameness = Sameness::new(Strictness::VALUES, most);
        let found =
            operations(before.root(), after.root(), &mut sameness).map_err(|error| NoPatch::from(error).0)?;
        for operation in &found {
            if operation.old.is_some() && hidden[0].hides_part_of(&operation.path) {
                return Err(shows_secret(old, hidden[0].cut(&operation.path)));
            }
            if operation.new.is_some() && hidden[1].hides_part_of(&operation.new_path) {
                return Err(shows_secret(new, hidden[1].cut(&operation.new_path)));
            }
        }
        let copies = Masks::without_secrets(most);
        match self.form {
            Form::MergePatch => {
                if after.root().kind() != Kind::Object {
                    return Err(no_object(new));
                }
                // It contains whole lists, with values that are the same on both sides.
                let mut copy = |path: &str, node: TreeValue<'_, '_>| {
                    let sides = hidden.iter().zip([old, new]);
                    match { sides }.find(|(hidden, _)| hidden.hides_part_of(path)) {
                        Some((hidden, opened)) => Err(NoPatch(shows_secret(opened, hidden.cut(path)))),
                        None => copied(&copies, node).map_err(NoPatch),
                    }
                };
                let patch = merge_patch(before.root(), after.root(), &mut sameness, &mut copy);
                let patch = patch.map_err(|NoPatch(failure)| failure)?.map_err(|place| {
                    let text = "a merge patch cannot set an entry to null";
                    let failure = Failure::new(Exit::Decode, code::PATCH_NULL, text);
                    let failure = failure.at_path(hidden[1].cut(&place).to_owned());
                    failure.in_file(&new.name).with_hint("use `--as patch`")
                })?;
                let mut printer = printer(console);
                push(&patch, &mut printer)?;
                printer.finish()?;
            }
            _ => self.print_operations(&found, &copies, console)?,
        }
        Ok(if found.is_empty() { Exit::Good } else { self.exit_of_patch() })
    }

    fn print_operations(
        &self,
        found: &[Operation<TreeValue<'_, '_>, TreeValue<'_, '_>>],
        copies: &Masks,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let mut printer = printer(console);
        printer.begin_list()?;
        for Operation { path, old, new, .. } in found {
            if let (true, Some(old)) = (self.patch_tests, old) {
                print_operation(&mut printer, "test", path, Some(&copied(copies, *old)?))?;
            }
            let value = new.map(|new| copied(copies, new)).transpose()?;
            let op = match (old, new) {
                (None, _) => "add",
                (_, None) => "remove",
                _ => "replace",
            };
            print_operation(&mut printer, op, path, value.as_ref())?;
        }
        printer.end_list()?;
        printer.finish()?;
        Ok(())
    }
}

/// The failure of a patch with a secret at this place.
fn shows_secret(opened: &Opened, place: &str) -> Failure {
    let text = "the patch would show a secret, because it contains all values";
    let failure = Failure::new(Exit::Usage, code::SECRET, text).at_path(place.to_owned());
    failure.in_file(&opened.name).with_hint("use `--reveal` to make it anyway")
}

/// The failure of a merge patch that would not be an object: a list is read as operations.
fn no_object(opened: &Opened) -> Failure {
    let text = "a merge patch can only make an object, and the new document is not one";
    let failure = Failure::new(Exit::Decode, code::PATCH_ROOT, text);
    failure.in_file(&opened.name).with_hint("use `--as patch`")
}

fn printer(console: &mut Console) -> Printer<Box<dyn std::io::Write + '_>> {
    Printer::new(console.json_output(), JsonStyle::Pretty { indent: 2 }).with_final_newline()
}

fn copied(copies: &Masks, node: TreeValue<'_, '_>) -> Result<Value, Failure> {
    copies.old((node, Place::Outside), &Value::Null).map_err(|_| too_large())
}

fn print_operation<S: EventSink>(
    sink: &mut S,
    op: &str,
    path: &str,
    value: Option<&Value>,
) -> Result<(), Failure> {
    sink.begin_object()?;
    sink.key("op")?;
    sink.string(op)?;
    sink.key("path")?;
    sink.string(path)?;
    if let Some(value) = value {
        sink.key("value")?;
        push(value, sink)?;
    }
    Ok(sink.end_object()?)
}
