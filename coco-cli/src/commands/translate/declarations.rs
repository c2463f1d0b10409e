//! Declarations of a package, which are made from it. Schemas are first converted to a package.

use super::{Translate, Translated, failure_of_package, with_model};
use crate::destination::{Content, Destination};
use coconut_codec::event::ValueSink;
use coconut_format::Package as IlPackage;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_surface::Dialect;
use coconut_surface::write::{declarations, push_package};

impl Translate {
    /// Writes declarations in TypeScript.
    pub(super) fn run_to_declarations(
        &self,
        destination: &Destination,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        if self.form.form.is_some() {
            let failure = Failure::usage("--as has no effect with `--to dts`");
            return Err(failure.with_hint("declarations are text; omit it"));
        }
        self.check_options()?;
        destination.check_sources(&self.files, self.write)?;
        destination.check(Content::Text, self.write)?;
        let (opened, _) = self.opened(console)?;
        let ((made, findings), dialect) = with_model(&opened, |model| {
            if model.dialect == Dialect::CocoPack {
                return Ok((None, Vec::new()));
            }
            let mut sink = ValueSink::new();
            let findings =
                push_package(model, self.package_options(), &mut sink).map_err(failure_of_package)?;
            Ok((sink.finish(), findings))
        })?;
        let value = match made {
            Some(value) => value,
            None => opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))?,
        };
        let package = IlPackage::from_value(value)
            .map_err(|_| Failure::usage("the document is not a package").in_file(&opened.name))?;
        let translated = Translated::of(dialect.name(), &findings);
        if !self.is_refused(&translated) {
            let text = declarations(&package);
            destination.write_bytes(Content::Text, self.write, None, text.as_bytes())?;
        }
        self.shown(&opened.name, &translated, console)
    }
}
