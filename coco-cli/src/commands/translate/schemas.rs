//! Pulumi schemas, which are made of packages; those of schemas over a package of their own, which
//! has names and records for all that is inline in a schema.
//!
//! Only one of the models is in memory at a time, and a schema in JSON is printed as it is made.

use super::{Content, Shown, Target, Translate, Translated, compiled, failure_of_package};
use super::{pushed_package, same_form, with_model};
use crate::destination::Destination;
use coco_inspect::open::{Opened, Storage, open_checked};
use coco_inspect::{Console, Exit, Failure};
use coconut_codec::compile::{CompileOptions, LandmarkChoice};
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::api::{Dialect, Package};
use coconut_interop::package::{TranslationFinding, push_package, push_pulumi_schema, source_places};
use std::io;

/// The package of a schema, and what its making found.
struct Made {
    package: Opened,
    dialect: Dialect,
    findings: Vec<TranslationFinding>,
}

impl Translate {
    /// Makes a Pulumi schema. `None` if another form is requested.
    pub(super) fn run_to_schema(
        &self,
        destination: &Destination,
        content: Content,
        console: &mut Console,
    ) -> Result<Option<Exit>, Failure> {
        if self.to != Target::PulumiSchema {
            return Ok(None);
        }
        let (opened, places) = self.opened(console)?;
        let made = self.package_of(&opened)?;
        let package = made.as_ref().map_or(&opened, |made| &made.package);
        let is_refused = |more: &[TranslationFinding]| {
            let before = made.as_ref().map_or(0, |made| made.findings.len());
            self.strict && before + more.len() > 0
        };
        let (mut more, _) = match content {
            Content::Text => with_model(package, |model| self.print_schema(model, destination, is_refused))?,
            Content::Binary => {
                let ((document, more), dialect) =
                    with_model(package, |model| pushed_package(|sink| push_pulumi_schema(model, sink)))?;
                if !is_refused(&more) {
                    self.put(&document, destination, content)?;
                }
                (more, dialect)
            }
        };
        if made.is_some() && !more.is_empty() {
            self.place_in_source(&opened, &mut more)?;
        }
        let (from, mut findings) =
            made.map_or((Dialect::CocoPack, Vec::new()), |made| (made.dialect, made.findings));
        findings.extend(more);
        let findings = findings.iter().map(Shown::from);
        let findings = match &places {
            Some(places) => findings.map(|finding| places.placed(finding)).collect(),
            None => findings.collect(),
        };
        self.shown(&opened.name, &Translated { from: from.name(), findings }, console).map(Some)
    }

    /// The package of a schema; `None` for a document that is a package.
    fn package_of(&self, opened: &Opened) -> Result<Option<Made>, Failure> {
        let (made, dialect) = with_model(opened, |package| match package.dialect {
            Dialect::CocoPack => Ok(None),
            Dialect::Pulumi => Err(same_form("Pulumi schema")),
            _ => pushed_package(|sink| push_package(package, self.package_options(), sink)).map(Some),
        })?;
        let Some((document, findings)) = made else { return Ok(None) };
        let options = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
        let bytes = compiled(&document, &options)?;
        drop(document);
        let package = open_checked(Storage::new(bytes), "the package", true)?;
        Ok(Some(Made { package, dialect, findings }))
    }

    /// Prints a schema, unless what is found in the making refuses it.
    fn print_schema(
        &self,
        package: &Package<'_>,
        destination: &Destination,
        is_refused: impl Fn(&[TranslationFinding]) -> bool,
    ) -> Result<Vec<TranslationFinding>, Failure> {
        if self.strict {
            // What was printed cannot be taken back.
            let found = push(package, &mut Printer::new(io::sink(), JsonStyle::Minified))?;
            if is_refused(&found) {
                return Ok(found);
            }
        }
        let mut found = Vec::new();
        destination.write(Content::Text, self.write, |out| {
            let mut printer = Printer::new(out, JsonStyle::Pretty { indent: 2 }).with_final_newline();
            found = push(package, &mut printer)?;
            let finished = printer.finish().map(drop);
            finished.map_err(|error| Failure::from(SinkError::Output(error.to_string())))
        })?;
        Ok(found)
    }

    /// Gives findings about a package their places in the schema, which is what the user has.
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

fn push<S: EventSink>(package: &Package<'_>, sink: &mut S) -> Result<Vec<TranslationFinding>, Failure> {
    push_pulumi_schema(package, sink).map_err(failure_of_package)
}
