//! Large schemas as packages, with only parts of their text in memory.

use super::{Form, Target, Translate, Translated, failure_of_package};
use crate::destination::Destination;
use crate::form::{Language, Layout};
use coconut_codec::event::EventSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::write::interner::Interner;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_surface::write::{
    Outline, Outliner, PackageOptions, StreamError, TranslationFinding, push_package_by_parts,
};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Texts of at least this many bytes are read in parts.
const FROM: u64 = 8 << 20;

/// The number of bytes read at a time to build an outline.
const PIECE: usize = 64 << 10;

/// A large schema in JSON.
pub(super) struct LargeText {
    path: PathBuf,
    file: File,
    metadata: Metadata,
    outline: Outline,
}

/// The result for a large text.
pub(super) enum Pushed {
    Findings(&'static str, Vec<TranslationFinding>),
    /// It has to be read as a whole.
    Unfit,
}

impl LargeText {
    /// The text at a path; `None` if it is small, or must be read as a whole to determine its kind.
    pub(super) fn at(path: &Path) -> Option<LargeText> {
        if !path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() >= FROM) {
            return None;
        }
        let mut file = File::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        let (mut outliner, mut piece) = (Outliner::new(), vec![0; PIECE]);
        let mut is_first = true;
        loop {
            let length = match file.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return None,
            };
            let bytes = piece.get(..length)?;
            // A compiled document and a compressed file begin differently.
            if std::mem::take(&mut is_first) && bytes.trim_ascii_start().first() != Some(&b'{') {
                return None;
            }
            outliner.feed(bytes);
        }
        let outline = outliner.finish()?;
        Some(LargeText { path: path.to_owned(), file, metadata, outline })
    }

    fn append(&self, range: Range<u64>, to: &mut Vec<u8>) -> io::Result<()> {
        let length = range.end.saturating_sub(range.start);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(range.start))?;
        match file.take(length).read_to_end(to)? as u64 == length {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    pub(super) fn push(
        &self,
        options: PackageOptions<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<Pushed, Failure> {
        let append = |range: Range<u64>, to: &mut Vec<u8>| self.append(range, to);
        let pushed = push_package_by_parts(&self.outline, append, options, sink);
        let after = self.file.metadata().map_err(|error| Failure::reading(&self.path, &error))?;
        let stamp = |metadata: &Metadata| (metadata.len(), metadata.modified().ok());
        if stamp(&after) != stamp(&self.metadata) {
            let error = io::Error::other("the file was changed while it was read");
            return Err(Failure::reading(&self.path, &error));
        }
        match pushed {
            Ok((dialect, findings)) => Ok(Pushed::Findings(dialect.name(), findings)),
            Err(StreamError::Unfit) => Ok(Pushed::Unfit),
            Err(StreamError::Read(error)) => Err(Failure::reading(&self.path, &error)),
            Err(StreamError::Convert(error)) => Err(failure_of_package(error)),
            Err(_) => Ok(Pushed::Unfit),
        }
    }
}

impl Translate {
    /// Builds the package of a large text. `None` if the source is something else.
    pub(super) fn run_by_parts(
        &self,
        destination: &Destination,
        form: Form,
        console: &mut Console,
    ) -> Result<Option<Exit>, Failure> {
        let [path] = &self.files[..] else { return Ok(None) };
        let Some(text) = (self.to == Target::Cocopack).then(|| LargeText::at(path)).flatten() else {
            return Ok(None);
        };
        let name = path.to_string_lossy();
        let options = self.package_options();
        let made = match form {
            Form::Compiled => self.compile_parts(text, options, destination),
            Form::Text(language) => self.print_parts(&text, options, destination, language),
        };
        let Some(translated) = made.map_err(|failure| failure.in_file(&name))? else { return Ok(None) };
        self.shown(&name, &translated, console).map(Some)
    }

    fn compile_parts(
        &self,
        text: LargeText,
        options: PackageOptions<'_>,
        destination: &Destination,
    ) -> Result<Option<Translated>, Failure> {
        let mut interner = Interner::new();
        let Pushed::Findings(from, findings) = text.push(options, &mut interner)? else { return Ok(None) };
        let translated = Translated::of(from, &findings);
        // The document takes most of the available memory.
        drop((text, findings));
        if !self.is_refused(&translated) {
            self.put(&interner.finish()?, destination, Form::Compiled)?;
        }
        Ok(Some(translated))
    }

    fn print_parts(
        &self,
        text: &LargeText,
        options: PackageOptions<'_>,
        destination: &Destination,
        language: Language,
    ) -> Result<Option<Translated>, Failure> {
        let mut pushed = Pushed::Findings("", Vec::new());
        // The findings are known only at the end, when nothing may have been written. And printed
        // text cannot be withdrawn.
        if self.strict || *destination == Destination::Stdout {
            pushed = text.push(options, &mut Printer::new(io::sink(), JsonStyle::Minified))?;
        }
        let translated = match &pushed {
            Pushed::Unfit => return Ok(None),
            Pushed::Findings(from, findings) => Translated::of(from, findings),
        };
        if self.is_refused(&translated) {
            return Ok(Some(translated));
        }
        let written = destination.write(Form::Text(language).content(), self.write, |out| {
            language.print(out, Layout::default(), |printer| {
                pushed = text.push(options, printer)?;
                match pushed {
                    Pushed::Unfit => Err(Failure::usage("the text must be read at once")),
                    Pushed::Findings(..) => Ok(()),
                }
            })
        });
        match pushed {
            Pushed::Unfit => Ok(None),
            Pushed::Findings(from, findings) => written.map(|()| Some(Translated::of(from, &findings))),
        }
    }
}
