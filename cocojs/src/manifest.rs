//! Manifests of packages, and the files that a program begins with.

use crate::fault::{Fault, FaultCode};
use crate::source::{LARGEST_FILE, too_deep};
use coconut_codec::event::ValueSink;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_format::Value;
use coconut_format::names::PackageUrl;
use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, ObjectExpression, ObjectPropertyKind};
use oxc_parser::Parser;
use oxc_span::SourceType;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of manifests, without their endings.
const NAMES: [&str; 3] = ["Coconut", "Lumi", "Nut"];
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// The manifest of a package.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    /// All entries in their order.
    pub(crate) entries: Vec<(String, Value)>,
}

impl Manifest {
    /// Reads the manifest in `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Manifest, Box<Fault>> {
        let found = NAMES.iter().flat_map(|name| ENDINGS.map(|ending| format!("{name}.{ending}")));
        let Some(file) = found.map(|name| folder.join(name)).find(|file| file.is_file()) else {
            let message = format!("there is no manifest in `{}`", folder.display());
            let help = "create a file `Coconut.yaml` with the line `name: PACKAGE`";
            return Err(fault(folder, message, help));
        };
        let text = fs::read(&file).map_err(|error| fault(&file, format!("cannot read: {error}"), ""))?;
        let format = match file.extension().is_some_and(|ending| ending == "json") {
            true => SourceFormat::Json,
            false => SourceFormat::Yaml,
        };
        let value = read_value(&text, format).map_err(|message| fault(&file, message, ""))?;
        let Value::Object(entries) = value else {
            return Err(fault(&file, "a manifest must be an object".to_owned(), ""));
        };
        let name = entries.iter().find(|(key, _)| key == "name").and_then(|(_, name)| name.as_str());
        match name.map(str::to_owned) {
            Some(name) if !name.is_empty() => Ok(Manifest { name, entries }),
            _ => {
                let message = "the manifest has no name of the package".to_owned();
                Err(fault(&file, message, "add the line `name: PACKAGE`"))
            }
        }
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The names of the packages that the program uses, and their references, if they are not `*`.
    pub(crate) fn references(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.entry("dependencies").and_then(Value::as_object).unwrap_or_default();
        let texts = entries.iter().filter_map(|(name, reference)| Some((name.as_str(), reference.as_str()?)));
        texts.filter(|(_, text)| matches!(PackageUrl::parse(text), Ok(PackageUrl::Package(_))))
    }

    /// The names of the packages that the program uses.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = &str> {
        let entries = self.entry("dependencies").and_then(Value::as_object).unwrap_or_default();
        entries.iter().map(|(name, _)| name.as_str())
    }
}

fn fault(file: &Path, message: String, help: &str) -> Box<Fault> {
    Box::new(Fault {
        code: FaultCode::Manifest,
        message,
        file: file.display().to_string(),
        range: 0..0,
        position: None,
        help: Some(help.to_owned()).filter(|help| !help.is_empty()),
    })
}

/// The value of a JSON or YAML text.
pub(crate) fn read_value(text: &[u8], format: SourceFormat) -> Result<Value, String> {
    let mut sink = ValueSink::new();
    match format {
        SourceFormat::Json => {
            json::read(text, &mut sink, &JsonOptions::default()).map_err(|error| error.to_string())?;
        }
        SourceFormat::Yaml => {
            yaml::read(text, &mut sink, &YamlOptions::default()).map_err(|error| error.to_string())?;
        }
    }
    sink.finish().ok_or_else(|| "the file is empty".to_owned())
}

/// The settings of a TypeScript project that matter for packages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Project {
    /// The files that the program begins with.
    pub(crate) files: Vec<PathBuf>,
    /// Whether the library of the language is that of 2015 or later.
    pub(crate) is_modern: bool,
}

impl Project {
    /// Reads `tsconfig.json` in `folder`. Without a list of files there, the program begins with
    /// those of the manifest, or with `index.ts`.
    pub(crate) fn read(folder: &Path, manifest: &Manifest) -> Project {
        let mut project = Project::default();
        if let Ok(text) = fs::read_to_string(folder.join("tsconfig.json")) {
            project.read_settings(&text);
        }
        if project.files.is_empty() {
            let files = manifest.entry("files").and_then(Value::as_list).unwrap_or_default();
            project.files = files.iter().filter_map(Value::as_str).map(PathBuf::from).collect();
        }
        if project.files.is_empty() {
            project.files.push(PathBuf::from("index.ts"));
        }
        project
    }

    /// The text is JSON with comments and commas, which is an expression of the language.
    fn read_settings(&mut self, text: &str) {
        if text.len() > LARGEST_FILE || too_deep(text).is_some() {
            return;
        }
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, SourceType::ts()).parse_expression();
        let Ok(Expression::ObjectExpression(settings)) = parsed else { return };
        if let Some(Expression::ArrayExpression(files)) = property(&settings, "files") {
            let names = files.elements.iter().filter_map(|file| match file.as_expression() {
                Some(Expression::StringLiteral(name)) => Some(PathBuf::from(name.value.as_str())),
                _ => None,
            });
            self.files = names.collect();
        }
        let options = property(&settings, "compilerOptions");
        if let Some(Expression::ObjectExpression(options)) = options
            && let Some(Expression::StringLiteral(target)) = property(options, "target")
        {
            self.is_modern = !matches!(target.value.to_lowercase().as_str(), "es3" | "es5");
        }
    }
}

fn property<'e, 'a>(object: &'e ObjectExpression<'a>, key: &str) -> Option<&'e Expression<'a>> {
    object.properties.iter().find_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(key) => {
            Some(&property.value)
        }
        _ => None,
    })
}
