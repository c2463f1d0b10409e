//! §5 Prints a file as bytes: offset, hexadecimal digits, and meaning.

use coconut_codec::event::EventSink;
use coconut_codec::event::push;
use coconut_codec::read::regions::{Piece, dissect};
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_report::failure::Failure;
use coconut_report::json::{FORMAT_VERSION, number, object, text};
use coconut_shell::console::{BAD, Console, DIM, visible};
use coconut_shell::open::{Storage, open_bytes};
use std::fmt::Write as _;

/// Bytes per line.
const WIDTH: usize = 16;

/// Prints every byte of the file, for people.
///
/// Omits all strings and numbers if the document may contain secrets. Their bytes do not show to
/// which value they belong.
pub(crate) fn print(data: &[u8], console: &mut Console) -> Result<(), Failure> {
    let hides = hides_content(data, console);
    let mut last_fault = None;
    let fault = dissect(data, &mut |piece| {
        if piece.fault != last_fault {
            print_fault(piece.fault.as_ref(), console)?;
            last_fault.clone_from(&piece.fault);
        }
        print_piece(data, &piece, hides, console)
    })?;
    match fault == last_fault {
        true => Ok(()),
        false => print_fault(fault.as_ref(), console),
    }
}

/// Prints a line about the following bytes, or about the whole file at its end.
fn print_fault(fault: Option<&DecodeError>, console: &mut Console) -> Result<(), Failure> {
    let Some(fault) = fault else { return Ok(()) };
    let line = console.paint(BAD, &format!("{:>8}  {fault}", "!"));
    console.line(&line)
}

fn print_piece(data: &[u8], piece: &Piece, hides: bool, console: &mut Console) -> Result<(), Failure> {
    let bytes = &data[piece.span.clone()];
    let is_hidden = hides && piece.is_content;
    let mut meaning = format!("{:1$}{2}", "", 2 * piece.level.min(32) as usize, piece.meaning);
    if let Some(content) = &piece.content {
        let shown = if hides { SECRET } else { content };
        let _ = write!(meaning, " {shown}");
    }
    for (number, line) in bytes.chunks(WIDTH).enumerate() {
        let offset = console.paint(DIM, &format!("{:08x}", piece.span.start + number * WIDTH));
        let digits: Vec<String> = line.iter().map(|byte| digits_of(*byte, is_hidden)).collect();
        let digits = digits.join(" ");
        let line = match number {
            0 => format!("{offset}  {digits:<47}  {}", visible(&meaning)),
            _ => format!("{offset}  {digits}"),
        };
        console.line(line.trim_end())?;
    }
    Ok(())
}

fn digits_of(byte: u8, is_hidden: bool) -> String {
    match is_hidden {
        true => "··".to_owned(),
        false => format!("{byte:02x}"),
    }
}

/// Prints every byte of the file, for machines. The schema is `schemas/dump-wire.json`.
pub(crate) fn print_report(data: &[u8], name: &str, console: &mut Console) -> Result<(), Failure> {
    let hides = hides_content(data, console);
    let mut printer = Printer::new(console.json_output(), JsonStyle::Minified).with_final_newline();
    let head = [("format_version", number(FORMAT_VERSION)), ("command", text("dump")), ("file", text(name))];
    printer.begin_object()?;
    for (key, value) in &head {
        printer.key(key)?;
        push(value, &mut printer)?;
    }
    printer.key("pieces")?;
    printer.begin_list()?;
    let fault = dissect(data, &mut |piece| push(&row(data, &piece, hides), &mut printer))?;
    printer.end_list()?;
    printer.key("fault")?;
    push(&fault.map_or(Value::Null, |fault| text(fault.to_string())), &mut printer)?;
    printer.end_object()?;
    printer.finish()?;
    Ok(())
}

fn row(data: &[u8], piece: &Piece, hides: bool) -> Value {
    let content = piece.content.as_deref().map(|content| text(if hides { SECRET } else { content }));
    let bytes = match hides && piece.is_content {
        true => Value::Null,
        false => text(coconut_format::numerals::hex(&data[piece.span.clone()])),
    };
    object([
        ("offset", number(piece.span.start as u64)),
        ("bytes", number(piece.span.len() as u64)),
        ("level", number(u64::from(piece.level))),
        ("meaning", text(&piece.meaning)),
        ("content", content.unwrap_or(Value::Null)),
        ("hex", bytes),
        ("fault", piece.fault.as_ref().map_or(Value::Null, |fault| text(fault.to_string()))),
    ])
}

/// The reason for omitting strings and numbers of a file that may not contain secrets.
const UNREADABLE: &str = "secrets cannot be looked for in a file that cannot be read whole: all strings and numbers that are values are left \
                          out without `--reveal`";

/// Whether the document contains secrets, or may contain some. A damaged document cannot be
/// searched for secrets or for the words that mark them: the damage may have changed one of these
/// words.
fn hides_content(data: &[u8], console: &mut Console) -> bool {
    if console.reveal {
        return false;
    }
    let redaction = open_bytes(Storage::new(Vec::from(data)), "", false)
        .map(|opened| Redaction::of_document(opened.view(), false).map(|redaction| !redaction.is_empty()));
    match redaction {
        Ok(Ok(has_secrets)) => has_secrets,
        _ => {
            console.warn(None, UNREADABLE);
            true
        }
    }
}
