//! Pulumi schemas, which are made from packages. Other schemas are first converted to a package,
//! which has names and records for everything that is inline in a schema.
//!
//! Only one of the models is in memory at a time, and a schema in JSON is printed while it is
//! built.

use super::parts::{LargeText, Pushed};
use super::{Form, Shown, Target, Translate, Translated, compiled, failure_of_package};
use super::{pushed_package, same_form, with_model};
use crate::destination::Destination;
use crate::form::{Language, Layout};
use coconut_codec::compile::{CompileOptions, LandmarkChoice};
use coconut_codec::event::EventSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::write::interner::{Interned, Interner};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{Opened, Storage, open_checked};
use coconut_surface::write::{TranslationFinding, push_package, push_pulumi_schema, source_places};
use coconut_surface::{Dialect, Package};
use std::io;

/// The package of a schema, and the findings of its conversion.
struct Made {
    package: Opened,
    dialect: Dialect,
    findings: Vec<TranslationFinding>,
}

impl Translate {
    /// Builds a Pulumi schema. `None` if another form is requested.
    pub(super) fn run_to_schema(
        &self,
        destination: &Destination,
        form: Form,
        console: &mut Console,
    ) -> Result<Option<Exit>, Failure> {
        if self.to != Target::PulumiSchema {
            return Ok(None);
        }
        let (mut opened, mut places) = (None, None);
        let made = match self.package_of_large()? {
            Some(made) => Some(made),
            None => {
                let (source, of_parts) = self.opened(console)?;
                places = of_parts;
                self.package_of(opened.insert(source))?
            }
        };
        let (package, from, mut findings) = match made {
            Some(Made { package, dialect, findings }) => (Some(package), dialect, findings),
            None => (None, Dialect::CocoPack, Vec::new()),
        };
        let is_refused = |more: &[TranslationFinding]| self.strict && findings.len() + more.len() > 0;
        let package_or_source = package.as_ref().or(opened.as_ref());
        let Some(document) = package_or_source else { return Ok(None) };
        let (mut more, _) = match form {
            Form::Text(language) => {
                with_model(document, |model| self.print_schema(model, destination, language, is_refused))?
            }
            Form::Compiled => {
                let ((schema, more), dialect) =
                    with_model(document, |model| pushed_package(|sink| push_pulumi_schema(model, sink)))?;
                if !is_refused(&more) {
                    self.put(&schema, destination, form)?;
                }
                (more, dialect)
            }
        };
        if package.is_some() && !more.is_empty() {
            drop(package);
            let source = match opened.take() {
                Some(source) => source,
                None => self.opened(console)?.0,
            };
            self.place_in_source(&source, &mut more)?;
        }
        findings.extend(more);
        let findings = findings.iter().map(Shown::from);
        let findings = match &places {
            Some(places) => findings.map(|finding| places.placed(finding)).collect(),
            None => findings.collect(),
        };
        let name = match (&opened, self.files.first()) {
            (None, Some(path)) => path.to_string_lossy().into_owned(),
            (opened, _) => opened.as_ref().map(|opened| opened.name.clone()).unwrap_or_default(),
        };
        self.shown(&name, &Translated { from: from.name(), findings }, console).map(Some)
    }

    /// The package of a large text; `None` if it is small, or has to be read as a whole.
    fn package_of_large(&self) -> Result<Option<Made>, Failure> {
        let Some(text) = self.only().and_then(|path| LargeText::at(path)) else { return Ok(None) };
        let mut interner = Interner::new();
        let pushed = text.push(self.package_options(), &mut interner)?;
        let Pushed::Findings(dialect, findings) = pushed else { return Ok(None) };
        let dialect = Dialect::ALL.into_iter().find(|known| known.name() == dialect);
        match dialect {
            Some(Dialect::Pulumi) => Err(same_form("Pulumi schema")),
            Some(dialect) => made(&interner.finish()?, dialect, findings).map(Some),
            None => Ok(None),
        }
    }

    /// The package of a schema; `None` for a document that is a package.
    fn package_of(&self, opened: &Opened) -> Result<Option<Made>, Failure> {
        let (pushed, dialect) = with_model(opened, |package| match package.dialect {
            Dialect::CocoPack => Ok(None),
            Dialect::Pulumi => Err(same_form("Pulumi schema")),
            _ => pushed_package(|sink| push_package(package, self.package_options(), sink)).map(Some),
        })?;
        let Some((document, findings)) = pushed else { return Ok(None) };
        made(&document, dialect, findings).map(Some)
    }

    /// Prints a schema, unless a finding of the conversion refuses it.
    fn print_schema(
        &self,
        package: &Package<'_>,
        destination: &Destination,
        language: Language,
        is_refused: impl Fn(&[TranslationFinding]) -> bool,
    ) -> Result<Vec<TranslationFinding>, Failure> {
        if self.strict {
            // Printed text cannot be withdrawn.
            let found = push(package, &mut Printer::new(io::sink(), JsonStyle::Minified))?;
            if is_refused(&found) {
                return Ok(found);
            }
        }
        let mut found = Vec::new();
        destination.write(Form::Text(language).content(), self.write, |out| {
            language.print(out, Layout::default(), |printer| {
                found = push(package, printer)?;
                Ok::<_, Failure>(())
            })
        })?;
        Ok(found)
    }

    /// Gives findings about a package their places in the schema, which is the user's file.
    fn place_in_source(&self, opened: &Opened, findings: &mut [TranslationFinding]) -> Result<(), Failure> {
        let (places, _) = with_model(opened, |package| {
            source_places(package, self.package_options()).map_err(failure_of_package)
        })?;
        for finding in findings {
            if let Some((token, pointer)) = places.get(&finding.token) {
                (finding.token, finding.pointer) = (token.clone(), pointer.clone());
            }
        }
        Ok(())
    }
}

fn made(document: &Interned, dialect: Dialect, findings: Vec<TranslationFinding>) -> Result<Made, Failure> {
    let options = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
    let package = open_checked(Storage::new(compiled(document, &options)?), "the package", true)?;
    Ok(Made { package, dialect, findings })
}

fn push(package: &Package<'_>, sink: &mut dyn EventSink) -> Result<Vec<TranslationFinding>, Failure> {
    push_pulumi_schema(package, sink).map_err(failure_of_package)
}
