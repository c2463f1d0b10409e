//! `coco recover`: writes the undamaged parts of a document.

mod rebuilding;

use crate::destination::{Destination, WriteOptions};
use crate::form::{Form, FormOptions, Layout, Maker, note_dropped, rewritten};
use clap::Args;
use coconut_codec::compile::CompileOptions;
use coconut_codec::event::push;
use coconut_format::Value;
use coconut_format::numerals::grouped;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::open::{is_document, name_of, open_checked, read};
use rebuilding::{Gap, LostLandmark, Rebuilt, rebuild};
use std::path::PathBuf;
use std::slice;

/// Salvage the undamaged parts of a compiled document
///
/// Every value in blocks with the right checksums is written in its old place. Landmarks are found
/// through the index, so a damaged one does not affect those after it. A damaged landmark is
/// omitted, and in a list the later ones move up. If anything is lost, lists it and exits with 1.
///
/// The result contains the secrets of the document. To use it as a document, read the list, correct
/// the text, and compile it again. A file with a damaged header, index or end cannot be opened, so
/// nothing is recovered from it; `dump --as wire` shows its values.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/recover.trycmd"))]
pub(crate) struct Recover {
    /// A compiled document; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    form: FormOptions,
    #[command(flatten)]
    write: WriteOptions,
}

impl Recover {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let destination = Destination::of_argument(&self.output)?;
        destination.check_report(console)?;
        destination.check_sources(slice::from_ref(&self.file), self.write)?;
        let form = Maker::of_every("coco recover").form(&destination, self.form.form)?;
        destination.check(form.content(), self.write)?;
        let (name, bytes) = (name_of(&self.file), read(&self.file)?);
        if !is_document(&name, &bytes) {
            let failure = Failure::usage("a source has no parts that could be recovered").in_file(&name);
            return Err(failure.with_hint("name a compiled document"));
        }
        let opened = open_checked(bytes, &name, console.reveal)?;
        let rebuilt = rebuild(opened.view()).map_err(|failure| failure.in_file(&name))?;
        let document_type = Some(opened.view().header().document_type.clone());
        let options = CompileOptions { document_type, ..CompileOptions::default() };
        match form {
            // The text may be larger than the memory.
            Form::Text(language) => destination.write(form.content(), self.write, |out| {
                language.print(out, Layout::default(), |printer| Ok(push(&rebuilt.value, printer)?))
            }),
            Form::Compiled => {
                // A damaged part is lost.
                let kept = opened.view().kept().unwrap_or_default().of_changed();
                note_dropped(&name, &kept, true, console);
                let bytes = rewritten(&rebuilt.value, &options, kept)?;
                destination.write_bytes(form.content(), self.write, None, &bytes)
            }
        }?;
        match console.json {
            true => console.print_json(&to_report(&rebuilt, &name, &destination))?,
            false => show(&rebuilt, &name, &destination, console),
        }
        Ok(if rebuilt.is_whole() { Exit::Good } else { Exit::Negative })
    }
}

/// The maximum number of lost landmarks and gaps shown as text.
const SHOWN: usize = 20;

/// Shows the result on standard error, because the value may go to standard output.
fn show(rebuilt: &Rebuilt, name: &str, destination: &Destination, console: &mut Console) {
    let Rebuilt { landmarks, lost, gaps, .. } = rebuilt;
    let whole = landmarks.saturating_sub(lost.len() as u64);
    let counts = format!("{} of {} landmarks are whole", grouped(whole), grouped(*landmarks));
    console.note(&format!("{name} -> {}: {counts}", destination.name()));
    let of_gap = |gap: &Gap| {
        let place = if gap.pointer.is_empty() { "the root" } else { &gap.pointer };
        format!("more in {place}: {}, at byte {}", gap.fault.kind(), gap.fault.offset())
    };
    let lines: Vec<String> = lines_of(lost).into_iter().chain(gaps.iter().map(of_gap)).collect();
    if lines.is_empty() {
        return;
    }
    let mut message = "something is lost:".to_owned();
    for line in lines.iter().take(SHOWN) {
        message.push_str(&format!("\n    {}", visible(line)));
    }
    if let Some(more @ 1..) = lines.len().checked_sub(SHOWN) {
        message.push_str(&format!("\n    ... {more} more; --json lists all"));
    }
    console.warn(None, &message);
}

/// One line for each fault, with the landmarks lost by it.
fn lines_of(lost: &[LostLandmark]) -> Vec<String> {
    let of_fault = lost.chunk_by(|one, other| one.fault.offset() == other.fault.offset());
    let line = |lost: &[LostLandmark]| {
        let fault =
            lost.first().map(|lost| format!("{}, at byte {}", lost.fault.kind(), lost.fault.offset()));
        let mut names: Vec<&str> = lost.iter().filter_map(|lost| lost.key.as_deref()).collect();
        let unknown = lost.len().saturating_sub(names.len());
        let others = match unknown {
            1 => "1 landmark whose key cannot be read".to_owned(),
            _ => format!("{} landmarks whose keys cannot be read", grouped(unknown as u64)),
        };
        if unknown > 0 {
            names.push(&others);
        }
        format!("{}: {}", names.join(", "), fault.unwrap_or_default())
    };
    of_fault.map(line).collect()
}

fn to_report(rebuilt: &Rebuilt, name: &str, destination: &Destination) -> Value {
    let fault = |fault: &coconut_format::DecodeError| {
        [
            ("offset", number(fault.offset())),
            ("code", text(fault.kind().code())),
            ("message", text(fault.kind().to_string())),
        ]
    };
    let lost = list(&rebuilt.lost, |lost| {
        let [offset, code, message] = fault(&lost.fault);
        let key = ("key", optional(lost.key.as_deref()));
        let ordinal = ("ordinal", number(u64::from(lost.ordinal)));
        object([ordinal, key, offset, code, message])
    });
    let gaps = list(&rebuilt.gaps, |gap| {
        let [offset, code, message] = fault(&gap.fault);
        object([("pointer", text(&gap.pointer)), offset, code, message])
    });
    let members = [
        ("file", text(name)),
        ("output", text(destination.name())),
        ("complete", Value::Bool(rebuilt.is_whole())),
        ("landmarks", number(rebuilt.landmarks)),
        ("lost", lost),
        ("gaps", gaps),
    ];
    report("recover", members)
}
