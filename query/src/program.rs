//! Compilation of filters from their text, and messages about malformed filters.

use super::value::{self, Val};
use super::view::Source;
use super::{escapes, landmarks, natives};
use coconut_format::suggest::near_keys;
use coconut_format::truncated::Truncated;
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use jaq_core::compile::Undefined;
use jaq_core::data::{DataT, HasLut};
use jaq_core::load::parse::Def;
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Lut};
use std::fmt::{self, Write as _};
use std::rc::Rc;

/// The kind of data that our filters process.
pub(crate) struct Data;

impl DataT for Data {
    type V<'a> = Val;
    type Data<'a> = &'a Scope<'a>;
}

/// A compiled filter.
#[derive(Default)]
pub(crate) struct Program(pub(crate) jaq_core::Filter<Data>);

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Program")
    }
}

/// A message of a filter to its user, by `debug` or `stderr`.
#[derive(Clone, Copy, Debug)]
pub enum Note<'n> {
    /// A text of the filter, which may hold anything.
    Text(&'n str),
    /// JSON with a line end.
    Json(&'n str),
}

/// A function of the language that is implemented in Rust.
pub(super) type Function = jaq_core::native::Fun<Data>;

/// The context of functions, in addition to their input.
pub(crate) struct Scope<'a> {
    pub(crate) functions: &'a Lut<Data>,
    /// The document, unless there is none.
    pub(crate) source: Option<Rc<Source>>,
    /// Whether secrets may be shown.
    pub(crate) reveal: bool,
    /// Receives the messages of the filter.
    pub(crate) notes: &'a dyn Fn(Note<'_>),
}

impl<'a> HasLut<'a, Data> for &'a Scope<'a> {
    fn lut(&self) -> &'a Lut<Data> {
        self.functions
    }
}

/// Functions that are not available to filters: a filter sees only the document.
const REFUSED: &[(&str, &str)] = &[
    ("env", "a filter does not see the environment; pass a value with `--arg NAME VALUE`"),
    ("$ENV", "a filter does not see the environment; pass a value with `--arg NAME VALUE`"),
    ("input", "a filter has one document at a time; give several files, or use `--each`"),
    ("inputs", "a filter has one document at a time; give several files, or use `--each`"),
    ("input_line_number", "documents have no lines; `find` and `get` show places"),
    ("$__loc__", "a filter has no file"),
    ("modulemeta", "there are no modules; put definitions before the filter"),
    ("get_search_list", "there are no modules; put definitions before the filter"),
];

/// Compiles the text of a filter that can use these variables, whose names begin with `$`.
pub(crate) fn compile(text: &str, variables: &[String]) -> Result<Program, Failure> {
    let text = &*escapes::joined(text);
    let arena = Arena::default();
    let loader = Loader::new(definitions());
    let unread = |errors: load::Errors<&str, ()>| {
        let error = errors.into_iter().find_map(|(_, error)| fault_of(error));
        failure(text, error.unwrap_or_else(|| Fault::without_place("the filter cannot be read")))
    };
    let modules = loader.load(&arena, File { code: text, path: () }).map_err(unread)?;
    // The values of such imports would be additional variables.
    load::import(&modules, |_| Err(String::new())).map_err(unread)?;
    let compiler =
        Compiler::default().with_funs(functions()).with_global_vars(variables.iter().map(String::as_str));
    compiler.compile(modules).map(Program).map_err(|errors| {
        let mut errors = errors.into_iter().flat_map(|(_, errors)| errors);
        failure(
            text,
            errors.next().map_or_else(
                || Fault::without_place("the filter cannot be compiled"),
                |(name, kind)| undefined(name, &kind, variables),
            ),
        )
    })
}

/// The definitions of the language, with ours replacing those of the same name.
fn definitions() -> Vec<Def<&'static str>> {
    let own = |text| load::parse(text, |parser| parser.defs()).unwrap_or_default();
    let mut all = Vec::new();
    let before = own(include_str!("before.jq"));
    let is_replaced = |def: &Def<&str>| {
        before.iter().any(|own| own.name == def.name && own.args.len() == def.args.len())
            || NATIVE.contains(&(def.name, def.args.len()))
    };
    let theirs: Vec<_> = jaq_core::defs().chain(jaq_std::defs()).filter(|def| !is_replaced(def)).collect();
    // Definitions can use earlier ones.
    let kinds = ["isboolean", "isnumber", "isstring", "isarray", "isobject"];
    let (first, rest): (Vec<_>, Vec<_>) = theirs.into_iter().partition(|def| {
        ["not", "true", "false", "null", "empty", "select"].contains(&def.name) || kinds.contains(&def.name)
    });
    all.extend(first);
    all.extend(before);
    all.extend(rest);
    all.extend(own(include_str!("after.jq")));
    all
}

/// Definitions of the interpreter that are Rust functions here.
const NATIVE: &[(&str, usize)] =
    &[("type", 0), ("nan", 0), ("infinite", 0), ("join", 1), ("keys", 0), ("abs", 0), ("delpaths", 1)];

fn functions() -> impl Iterator<Item = Function> {
    let own: Vec<Function> = natives::functions().chain(landmarks::functions()).collect();
    let names: Vec<(&str, usize)> = own.iter().map(|(name, arguments, _)| (*name, arguments.len())).collect();
    let is_ours = move |name: &str, arguments: usize| name == "env" || names.contains(&(name, arguments));
    let theirs = jaq_core::funs::<Data>().chain(jaq_std::funs::<Data>());
    let theirs = theirs.filter(move |(name, arguments, _)| !is_ours(name, arguments.len()));
    theirs.chain(own)
}

/// The names available to filters, without those for internal use.
fn known_names() -> Vec<String> {
    let defined = definitions().into_iter().map(|def| def.name);
    let native = functions().map(|(name, ..)| name);
    let all = defined.chain(native).filter(|name| is_public(name));
    let mut names: Vec<String> = all.map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names available to filters, each with `/` and its number of arguments.
pub(super) fn builtins() -> Val {
    let defined = definitions().into_iter().map(|def| (def.name, def.args.len()));
    let native = functions().map(|(name, arguments, _)| (name, arguments.len()));
    let mut all: Vec<(&str, usize)> = defined.chain(native).filter(|(name, _)| is_public(name)).collect();
    all.sort_unstable();
    all.dedup();
    Val::list(all.into_iter().map(|(name, count)| Val::text(format!("{name}/{count}"))).collect())
}

fn is_public(name: &str) -> bool {
    !name.starts_with(['_', '!', '@']) && !name.contains("_empty")
}

/// Whether the text of a filter names a function that reads more than its input.
pub(crate) fn sees_landmarks(text: &str) -> bool {
    landmarks::NAMES.iter().any(|name| text.contains(name))
}

/// The fault of a filter.
struct Fault<'s> {
    code: &'static str,
    message: String,
    /// The faulty part of the filter.
    part: Option<&'s str>,
    hint: Option<String>,
}

impl Fault<'_> {
    fn without_place(message: &str) -> Fault<'static> {
        Fault { code: code::QUERY_SYNTAX, message: message.to_owned(), part: None, hint: None }
    }
}

fn fault_of<'s>(error: load::Error<&'s str>) -> Option<Fault<'s>> {
    let expected = |what: &str, part: &'s str| {
        let found = match part.trim() {
            "" => "the end of the filter".to_owned(),
            part => format!("`{}`", Truncated(part.split(char::is_whitespace).next().unwrap_or(part))),
        };
        let message = format!("expected {what}, found {found}");
        Fault { code: code::QUERY_SYNTAX, message, part: Some(part), hint: None }
    };
    match error {
        load::Error::Lex(errors) => errors.first().map(|(what, part)| expected(what.as_str(), part)),
        load::Error::Parse(errors) => errors.first().map(|(what, part)| {
            let what = match what {
                load::parse::Expect::Just(text) => format!("`{text}`"),
                load::parse::Expect::Term => "a filter".to_owned(),
                other => format!("a {}", other.as_str()),
            };
            expected(&what, part)
        }),
        load::Error::Io(errors) => errors.first().map(|(part, _)| Fault {
            code: code::QUERY_SYNTAX,
            message: "a filter cannot load modules".to_owned(),
            part: Some(part),
            hint: Some("put definitions before the filter: `def f: …; f`".to_owned()),
        }),
    }
}

fn undefined<'s>(name: &'s str, kind: &Undefined, variables: &[String]) -> Fault<'s> {
    let refused = REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, hint)| (*hint).to_owned());
    let near = |known: Vec<String>| {
        let near = similar(name, known);
        (!near.is_empty()).then(|| format!("similar names: {}", near.join(", ")))
    };
    let (message, hint) = match kind {
        Undefined::Filter(arguments) => {
            let known = known_names();
            let is_known = known.iter().any(|known| known == name);
            let hint = match is_known {
                true => Some(with_arguments(name)),
                false => near(known),
            };
            let message = match *arguments {
                0 => format!("there is no function `{name}` without arguments"),
                1 => format!("there is no function `{name}` with one argument"),
                count => format!("there is no function `{name}` with {count} arguments"),
            };
            let message = if is_known { message } else { format!("there is no function `{name}`") };
            (message, hint)
        }
        Undefined::Var => (format!("there is no variable `{name}`"), near(variables.to_vec())),
        other => (format!("there is no {} `{name}`", other.as_str()), None),
    };
    Fault { code: code::QUERY_NAME, message, part: Some(name), hint: refused.or(hint) }
}

/// The known names that are similar to `name`, in backticks. In short names, two letters are often
/// exchanged.
fn similar(name: &str, known: Vec<String>) -> Vec<String> {
    const MOST: usize = 3;
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let near = near_keys(name, known.iter().cloned());
    let is_near = |known: &String| letters(known) == letters(name) || near.contains(known);
    known.into_iter().filter(is_near).take(MOST).map(|name| format!("`{name}`")).collect()
}

/// The numbers of arguments that a known function accepts.
fn with_arguments(name: &str) -> String {
    let defined = definitions().into_iter().filter(|def| def.name == name).map(|def| def.args.len());
    let native = functions().filter(|(known, ..)| *known == name).map(|(_, arguments, _)| arguments.len());
    let mut counts: Vec<usize> = defined.chain(native).collect();
    counts.sort_unstable();
    counts.dedup();
    let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
    match &counts[..] {
        [count] if count == "0" => "it takes no arguments".to_owned(),
        [count] if count == "1" => "it takes one argument".to_owned(),
        counts => format!("it takes {} arguments, separated by `;`", counts.join(" or ")),
    }
}

/// The failure with the line of the filter and a caret below the faulty part.
fn failure(text: &str, fault: Fault<'_>) -> Failure {
    let failure = Failure::new(Exit::Compile, fault.code, &fault.message);
    let offset = fault.part.and_then(|part| {
        let offset = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        (offset <= text.len()).then_some(offset)
    });
    let Some(offset) = offset else {
        return match fault.hint {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        };
    };
    let before = value::start_of(text, offset);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let (row, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let part = fault.part.unwrap_or_default();
    let width = part.lines().next().unwrap_or_default().trim_end().chars().count().clamp(1, 40);
    let margin = " ".repeat(row.to_string().len());
    let mut shown = format!("{}: {}\n{margin}--> filter:{row}:{column}\n", fault.code, fault.message);
    let _ = writeln!(
        shown,
        "{margin} |\n{row} | {line}\n{margin} | {}{}",
        " ".repeat(column - 1),
        "^".repeat(width)
    );
    if let Some(hint) = &fault.hint {
        let _ = writeln!(shown, "{margin} = {hint}");
    }
    let as_number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let failure =
        failure.at_position(as_number(row), as_number(column)).in_file("filter").with_rendering(shown);
    match fault.hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}
