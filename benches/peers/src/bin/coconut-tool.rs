//! The work of `coco-inspect get` and `dump`, and `coco pack build`, without the rest of those
//! programs: a process to measure.

use anyhow::{Context, Result, bail};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::lookup::Lookup;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::read::stream::Budget;
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Write};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["get", path, key] => {
            let file = open(path)?;
            let Lookup::Found(landmark) = file.view().get_unique(key)? else {
                bail!("`{key}` is not there once")
            };
            let mut printer = Printer::new(io::stdout().lock(), JsonStyle::Minified);
            landmark.value()?.stream(&mut printer, Budget::default())?;
            drop(printer.finish()?);
        }
        ["dump", path] => {
            let file = open(path)?;
            let mut printer = Printer::new(io::stdout().lock(), JsonStyle::Pretty { indent: 2 });
            file.view().stream(&mut printer, Budget::default())?;
            drop(printer.finish()?);
        }
        ["compile", path] => {
            let text = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
            io::stdout().lock().write_all(&compile(&text, &CompileOptions::default())?.bytes)?;
        }
        _ => bail!("usage: coconut-tool get FILE KEY, dump FILE, or compile FILE"),
    }
    Ok(())
}

fn open(path: &str) -> Result<DocumentFile<Mmap>> {
    let file = File::open(path).with_context(|| format!("cannot open {path}"))?;
    // SAFETY: the benchmark's own files are replaced by renaming, never written in place.
    Ok(DocumentFile::from_data(unsafe { Mmap::map(&file) }?)?)
}
