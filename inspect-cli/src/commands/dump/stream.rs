//! §24.4 The tokens of a stream of Pcore: offset, code, slots, meaning.

use super::UNREADABLE;
use coconut_format::Value;
use coconut_format::numerals::hex;
use coconut_pcore::{Code, Envelope, ListedToken, Table, list_tokens};
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{number, object, optional, text};
use coconut_report::safe::visible;
use coconut_report::streamed::Report;
use coconut_report::style::{BAD, DIM};
use coconut_shell::console::Console;
use std::ops::Range;

/// The text in place of a secret.
const HIDDEN: &str = "(secret)";

/// Prints all tokens up to the first fault.
///
/// The texts and numbers of a stream with secrets are left out: a token may repeat the text of a
/// secret by its slot.
pub(super) fn print_tokens(file: &[u8], name: &str, console: &mut Console) -> Result<Exit, Failure> {
    let mut has_secrets = false;
    let fault = list_tokens(file, None, &mut |token| {
        has_secrets |= token.code == Some(Code::SensitiveStart) || token.meaning == "sensitive";
    });
    let hides = !console.reveal && (has_secrets || fault.is_some());
    if hides && !has_secrets {
        console.warn(None, UNREADABLE);
    }
    let envelope = Envelope::read(file).ok().flatten();
    let fault = fault.map(|fault| fault.to_string());
    match console.json {
        true => print_json(file, name, (envelope, fault), hides, console)?,
        false => print_text(file, (envelope, fault), hides, console)?,
    }
    Ok(Exit::Good)
}

/// Calls `show` for each token, until it fails.
fn each_token(file: &[u8], mut show: impl FnMut(&ListedToken) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut result = Ok(());
    list_tokens(file, None, &mut |token| {
        if result.is_ok() {
            result = show(&token);
        }
    });
    result
}

fn print_json(
    file: &[u8],
    name: &str,
    (envelope, fault): (Option<Envelope<'_>>, Option<String>),
    hides: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut report = Report::begin(console, "dump", [("file", text(name))])?;
    report.begin_list("pieces")?;
    if let Some(envelope) = &envelope {
        report.item(&envelope_row(file, envelope))?;
    }
    each_token(file, |token| report.item(&row(token, file, hides)))?;
    report.end_list()?;
    report.member("fault", &optional(fault))?;
    report.end()
}

fn print_text(
    file: &[u8],
    (envelope, fault): (Option<Envelope<'_>>, Option<String>),
    hides: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut out = console.text();
    let heading =
        format!("{:<8}  {:>5}  {:>4}  {:>9}  {:>5}  meaning", "offset", "value", "code", "inner", "outer");
    let heading = out.paint(DIM, &heading);
    out.line(&heading)?;
    if let Some(envelope) = &envelope {
        let offset = out.paint(DIM, "00000000");
        let parameters = envelope.parameters().iter().map(|(name, value)| format!(", {name}={value}"));
        let parameters: String = parameters.collect();
        out.line(&format!("{offset}  envelope: {}{}", envelope.encoding().name(), visible(&parameters)))?;
    }
    each_token(file, |token| {
        let offset = out.paint(DIM, &format!("{:08x}", token.span.start));
        let code = token.code.map_or(String::new(), |code| format!("{:#04x}", code.number()));
        let outer = token.outer.map_or(String::new(), |slot| slot.to_string());
        let inner = slots(&token.inner);
        let indent = 2 * token.level.min(32) as usize;
        let mut meaning = format!("{:indent$}{}", "", token.meaning);
        if let Some(content) = &token.content {
            meaning.push(' ');
            meaning.push_str(if hides { HIDDEN } else { content });
        }
        let line =
            format!("{offset}  {:>5}  {code:>4}  {inner:>9}  {outer:>5}  {}", token.value, visible(&meaning));
        out.line(line.trim_end())
    })?;
    match fault {
        Some(fault) => out.line(&out.paint(BAD, &visible(&fault))),
        None => Ok(()),
    }
}

/// The slots that a token takes: `3`, or `3-5` with those of the segments of its name.
fn slots(inner: &Range<u64>) -> String {
    match inner.end - inner.start {
        0 => String::new(),
        1 => inner.start.to_string(),
        _ => format!("{}-{}", inner.start, inner.end - 1),
    }
}

fn row(token: &ListedToken, file: &[u8], hides: bool) -> Value {
    let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let span = place(token.span.start)..place(token.span.end);
    let content = token.content.as_deref().map(|content| if hides { HIDDEN } else { content });
    let bytes = file.get(span).filter(|_| !(hides && token.content.is_some()));
    let reference = token.reference.map(|(table, slot)| {
        let table = if table == Table::Inner { "inner" } else { "outer" };
        object([("table", text(table)), ("slot", number(slot))])
    });
    let slot = |slot: Option<u64>| slot.map_or(Value::Null, number);
    object([
        ("offset", number(token.span.start)),
        ("bytes", number(token.span.end - token.span.start)),
        ("level", number(u64::from(token.level))),
        ("meaning", text(&token.meaning)),
        ("content", optional(content)),
        ("hex", optional(bytes.map(hex))),
        ("fault", Value::Null),
        ("value", number(u64::from(token.value))),
        ("code", token.code.map_or(Value::Null, |code| number(u64::from(code.number())))),
        ("inner", Value::List(token.inner.clone().map(number).collect())),
        ("outer", slot(token.outer)),
        ("reference", reference.unwrap_or(Value::Null)),
    ])
}

fn envelope_row(file: &[u8], envelope: &Envelope<'_>) -> Value {
    let bytes = file.get(..envelope.length()).unwrap_or_default();
    object([
        ("offset", number(0_u64)),
        ("bytes", number(bytes.len() as u64)),
        ("level", number(0_u64)),
        ("meaning", text(format!("envelope: {}", envelope.encoding().name()))),
        ("content", Value::Null),
        ("hex", text(hex(bytes))),
        ("fault", Value::Null),
    ])
}
