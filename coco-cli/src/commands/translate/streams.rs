//! §24.5 Conversion of a document to a stream of Pcore.

use super::{Target, Translate, Translated};
use crate::destination::{Content, Destination};
use coconut_pcore::{Dialect, Encoding, Stream, WriteOptions};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{Access, open};
use coconut_shell::pcore::failure_of;

impl Target {
    /// The lower level, if it is a stream.
    pub(super) fn stream(self) -> Option<Encoding> {
        match self {
            Target::Pcore => Some(Encoding::Msgpack),
            Target::PcoreJson => Some(Encoding::Json),
            _ => None,
        }
    }
}

impl Translate {
    /// Writes the stream of a document. It is read back before anything is written.
    pub(super) fn run_to_stream(
        &self,
        encoding: Encoding,
        destination: &Destination,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let others = [
            ("--as", self.form.form.is_some()),
            ("--name", self.name.is_some()),
            ("--base", self.base.is_some()),
            ("--stack", self.stack.is_some()),
            ("--project", self.project.is_some()),
            ("--mapping", !self.mappings.is_empty()),
        ];
        if let Some((option, _)) = others.iter().find(|(_, is_given)| *is_given) {
            return Err(Failure::usage(format!("{option} has no effect with `--to {}`", self.to.name())));
        }
        let Some(only) = self.only() else {
            return Err(
                Failure::usage("a stream is made from one file").with_hint("convert each file separately")
            );
        };
        let content = if encoding == Encoding::Json { Content::Text } else { Content::Binary };
        destination.check_sources(&self.files, self.write)?;
        destination.check(content, self.write)?;
        let dialect = self.dialect.unwrap_or(Dialect::Ruby54);
        let opened = open(only, Access::Whole, console)?;
        let in_file = |error| failure_of(&error).in_file(&opened.name);
        let tree = opened.view().tree().map_err(|error| Failure::from(error).in_file(&opened.name))?;
        let stream = Stream::from_rich(tree.root(), dialect).map_err(in_file)?;
        let options = WriteOptions { encoding, ..WriteOptions::of(&stream) };
        let bytes = stream.to_bytes(&options).map_err(in_file)?;
        Stream::read(&bytes, Some(dialect)).map_err(in_file)?;
        destination.write(content, self.write, |out| {
            out.write_all(&bytes).map_err(|error| match destination {
                Destination::Stdout => Failure::printing(&error),
                Destination::File(path) => Failure::writing(path, &error),
            })
        })?;
        self.shown(&opened.name, &Translated { from: "document", findings: Vec::new() }, console)
    }
}
