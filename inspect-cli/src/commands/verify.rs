//! `verify`: checks whether documents are undamaged.

use clap::Args;
use coconut_codec::compile::LandmarkChoice;
use coconut_report::answers::verify::{Depth, Other, Verdict, exit_of, to_report};
use coconut_report::failure::{Exit, Failure};
use coconut_shell::console::Console;
use coconut_shell::open::{
    Opened, is_document, name_of, open_bytes, open_checked, open_source, read, source_format,
};
use coconut_shell::sources::{Source, expanded};
use std::path::{Path, PathBuf};

/// Check that files are undamaged
///
/// Without options, compares all checksums and reads all values. Exits with 1 if a file is damaged
/// or differs from its source. A source has no checksums, so it is only read and compiled.
///
/// Does not check whether the values make sense: names, references, types and cycles. `coco check`
/// checks both.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/verify.trycmd"))]
pub struct Verify {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Check only what every reader checks on opening
    ///
    /// These are the envelope, header, trailer and directory.
    #[arg(long)]
    fast: bool,

    /// Check everything
    ///
    /// Also checks shortest forms, padding, the index against the document, claims, and the
    /// document digest.
    #[arg(long, conflicts_with = "fast")]
    deep: bool,

    /// Compare with a source or with another document
    ///
    /// A source is the JSON or YAML text that the document should denote. Of another document, the
    /// values are compared.
    #[arg(long, value_name = "SOURCE", conflicts_with = "fast")]
    against: Option<PathBuf>,
}

impl Verify {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let mut verdicts = Vec::new();
        for Source { path, fault } in expanded(&self.files, Path::is_dir) {
            let (name, mut verdict) = (name_of(&path), Verdict::default());
            verdict.failure = fault.or_else(|| {
                let failure = self.check(&path, &mut verdict, console).err();
                failure.map(|failure| failure.in_file(&name))
            });
            if !console.json {
                verdict.write_text(&name, &mut console.text())?;
            }
            verdicts.push((name, verdict));
        }
        if console.json {
            console.print_json(&to_report(&verdicts))?;
        }
        Ok(exit_of(&verdicts))
    }

    fn check(&self, path: &Path, verdict: &mut Verdict, console: &mut Console) -> Result<(), Failure> {
        let (name, bytes, reveal) = (name_of(path), read(path)?, console.reveal);
        let is_document = is_document(&name, &bytes);
        let opened = match is_document {
            true => open_bytes(bytes, &name, reveal)?,
            // Whether it can be compiled does not depend on its landmarks.
            false => open_source(&bytes, &name, LandmarkChoice::None, reveal)?,
        };
        opened.warn_of_source(console);
        let depth = match (self.fast, self.deep) {
            (true, _) => Depth::Fast,
            (_, true) => Depth::Deep,
            _ => Depth::Usual,
        };
        match (is_document, opened.is_text()) {
            (false, _) => verdict.compiled(),
            (true, true) => verdict.read_text(opened.check_text())?,
            (true, false) => verdict.check(opened.view(), depth)?,
        }
        self.against.as_deref().map_or(Ok(()), |source| against(&opened, source, reveal, verdict))
    }
}

/// Compares the document with a text or another document.
fn against(opened: &Opened, source: &Path, reveal: bool, verdict: &mut Verdict) -> Result<(), Failure> {
    let name = name_of(source);
    let of_source = |failure: Failure| failure.in_file(&name);
    let bytes = read(source).map_err(of_source)?;
    if is_document(&name, &bytes) {
        let other = open_checked(bytes, &name, reveal).map_err(of_source)?;
        return verdict.check_against(opened.source(), &Other::Document(other.source()), reveal);
    }
    let format = source_format(&name, &bytes, None).map_err(|error| of_source(error.into()))?;
    verdict.check_against(opened.source(), &Other::Text(&name, &bytes, format), reveal)
}
