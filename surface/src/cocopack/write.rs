//! §12 Schemas as Coconut 2017 packages, in dialect P6.
//!
//! | in a schema | in a package |
//! |---|---|
//! | resource | class |
//! | type, anonymous object | record |
//! | data source, function | function of a module, which throws when called |
//! | list, set | `[]T`, a set with a facet |
//! | map | `map[string]T` |
//! | integer, enum, union | the base type, with a facet |

mod facets;
pub(crate) mod plan;
pub(crate) mod streamed;

use crate::cocopack::write::facets::{of_definition, of_parameter, of_property};
use crate::cocopack::write::plan::{Form, Planned, Planner, Property};
use crate::dialect::Dialect;
use crate::model::{Direction, Package};
use crate::write::finding::{ConvertError, TranslationFinding};
use crate::write::legal::legal_package;
use crate::write::numbers::Numbers;
use crate::write::writer::Output;
use coconut_codec::event::{EventSink, SinkError};
use coconut_format::Value;
use coconut_format::package::EXTENSION;
use std::collections::HashMap;

/// Settings of a translation to a package.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackageOptions<'o> {
    /// The name of the package, if it differs from that of the schema.
    pub name: Option<&'o str>,
    /// The base class of all resource classes: a token of another package, which becomes a
    /// dependency.
    pub base: Option<&'o str>,
}

/// Pushes a package with the surface of `package` into `sink`, and returns the necessary changes.
///
/// The same surface gives the same events.
///
/// # Errors
///
/// Fails if the sink fails, or if the surface would become too large.
pub fn push_package(
    package: &Package<'_>,
    options: PackageOptions<'_>,
    sink: &mut dyn EventSink,
) -> Result<Vec<TranslationFinding>, ConvertError> {
    let name = options.name_of(package);
    let mut planner = Planner::new(package, &name);
    let modules = planner.modules(package);
    let mut writing = Writing::begin(sink, &name, options)?;
    for (module, numbers) in &modules {
        let mark = planner.mark();
        let members = planner.of(package, &Numbers::All).module(numbers)?;
        writing.module(module, &members)?;
        planner.end_module(&mark);
    }
    writing.end(&About::of(package), modules.contains_key("index"))?;
    Ok(planner.findings())
}

/// For each definition in the package of a schema, by its token there: the definition of the schema
/// from which it comes, as a token and a JSON pointer.
///
/// # Errors
///
/// Fails if the surface would become too large.
pub fn source_places(
    package: &Package<'_>,
    options: PackageOptions<'_>,
) -> Result<HashMap<String, (String, String)>, ConvertError> {
    let name = options.name_of(package);
    let mut planner = Planner::new(package, &name);
    let mut places = HashMap::new();
    for (module, numbers) in &planner.modules(package) {
        let mark = planner.mark();
        for planned in planner.of(package, &Numbers::All).module(numbers)? {
            let definition = &package.definitions[planned.number];
            let place = (definition.token.to_string(), package.pointer(definition));
            places.insert(format!("{name}:{module}:{}", planned.name), place);
        }
        planner.end_module(&mark);
    }
    Ok(places)
}

impl PackageOptions<'_> {
    /// The legal name of the package.
    pub(crate) fn name_of(&self, package: &Package<'_>) -> String {
        let wanted = self.name.unwrap_or(&package.name);
        legal_package(if wanted.is_empty() { package.dialect.name() } else { wanted }).into_owned()
    }
}

/// A package that is being written, module by module.
pub(crate) struct Writing<'w> {
    out: Output<'w>,
    name: &'w str,
    options: PackageOptions<'w>,
}

impl<'w> Writing<'w> {
    pub(crate) fn begin(
        sink: &'w mut dyn EventSink,
        name: &'w str,
        options: PackageOptions<'w>,
    ) -> Result<Writing<'w>, SinkError> {
        let mut out = Output(sink);
        out.0.begin_object()?;
        out.text("name", name)?;
        if let Some(dependency) = options.base.and_then(|base| base.split(':').next()) {
            out.object("dependencies", |out| out.text(dependency, "*"))?;
        }
        out.0.key("modules")?;
        out.0.begin_object()?;
        Ok(Writing { out, name, options })
    }

    pub(crate) fn module(&mut self, module: &str, members: &[Planned<'_, '_>]) -> Result<(), SinkError> {
        self.begin_module(module)?;
        self.exports(module, members)?;
        self.begin_members()?;
        self.members(members)?;
        self.end_module()
    }

    /// Begins a module. Its exports come next.
    pub(crate) fn begin_module(&mut self, module: &str) -> Result<(), SinkError> {
        let out = &mut self.out;
        out.0.key(module)?;
        out.0.begin_object()?;
        out.text("kind", "Module")?;
        out.node("name", "Identifier", "ident", module)?;
        out.0.key("exports")?;
        out.0.begin_object()
    }

    pub(crate) fn exports(&mut self, module: &str, members: &[Planned<'_, '_>]) -> Result<(), SinkError> {
        let package = self.name;
        for member in members {
            self.out.object(&member.name, |out| {
                out.text("kind", "Export")?;
                out.node("name", "Identifier", "ident", &member.name)?;
                out.node("referent", "Token", "tok", &format!("{package}:{module}:{}", member.name))
            })?;
        }
        Ok(())
    }

    /// Ends the exports of a module. Its members come next.
    pub(crate) fn begin_members(&mut self) -> Result<(), SinkError> {
        self.out.0.end_object()?;
        self.out.0.key("members")?;
        self.out.0.begin_object()
    }

    pub(crate) fn members(&mut self, members: &[Planned<'_, '_>]) -> Result<(), SinkError> {
        let options = self.options;
        for member in members {
            self.out.object(&member.name, |out| match member.form {
                Form::Class | Form::Record => write_class(out, member, options),
                Form::Function => write_function(out, member),
            })?;
        }
        Ok(())
    }

    pub(crate) fn end_module(&mut self) -> Result<(), SinkError> {
        self.out.0.end_object()?;
        self.out.0.end_object()
    }

    pub(crate) fn end(mut self, about: &About, has_index: bool) -> Result<(), SinkError> {
        let (out, name) = (&mut self.out, self.name);
        out.0.end_object()?;
        if has_index {
            out.object("aliases", |out| out.text(".default", "index"))?;
        }
        out.object(EXTENSION, |out| {
            out.text("dialect", about.dialect.name())?;
            out.optional("version", about.version.as_deref())?;
            if *name != *about.name {
                out.text("origin", &about.name)?;
            }
            match &about.rest {
                Some(rest) => out.value("schema", rest),
                None => Ok(()),
            }
        })?;
        out.0.end_object()
    }
}

/// The package's record of its source.
pub(crate) struct About {
    pub(crate) dialect: Dialect,
    name: String,
    version: Option<String>,
    /// The parts of the schema as a whole for which a package has no field.
    rest: Option<Value>,
}

impl About {
    pub(crate) fn of(package: &Package<'_>) -> About {
        let version = package.version.map(str::to_owned);
        let rest = (!package.rest.is_empty()).then(|| Value::Object(package.rest.clone()));
        About { dialect: package.dialect, name: package.name.clone().into_owned(), version, rest }
    }
}

fn write_class(
    out: &mut Output<'_>,
    class: &Planned<'_, '_>,
    options: PackageOptions<'_>,
) -> Result<(), SinkError> {
    let is_record = class.form == Form::Record;
    out.text("kind", "Class")?;
    out.node("name", "Identifier", "ident", &class.name)?;
    out.optional("description", class.definition.and_then(|definition| definition.doc))?;
    if let Some(base) = options.base.filter(|_| !is_record) {
        out.node("extends", "TypeToken", "tok", base)?;
    }
    out.flag("record", is_record)?;
    out.object("members", |out| {
        for property in &class.properties {
            out.object(&property.name, |out| write_property(out, property, is_record))?;
        }
        Ok(())
    })?;
    write_extension(out, of_definition(class).value())
}

fn write_property(
    out: &mut Output<'_>,
    property: &Property<'_, '_>,
    is_primary: bool,
) -> Result<(), SinkError> {
    out.text("kind", "ClassProperty")?;
    out.node("name", "Identifier", "ident", &property.name)?;
    out.optional("description", property.member.doc)?;
    out.text("access", "public")?;
    out.flag("primary", is_primary)?;
    out.node("type", "TypeToken", "tok", &property.typed.token)?;
    let has_default = property.facets.is_some_and(|facets| facets.default.is_some());
    out.flag("optional", !property.member.is_required || has_default)?;
    // A read-only property is not set by the expression that constructs the object.
    out.flag("readonly", property.direction == Direction::Out && !is_primary)?;
    write_extension(out, of_property(property, is_primary).value())
}

fn write_function(out: &mut Output<'_>, function: &Planned<'_, '_>) -> Result<(), SinkError> {
    out.text("kind", "ModuleMethod")?;
    out.node("name", "Identifier", "ident", &function.name)?;
    out.optional("description", function.definition.and_then(|definition| definition.doc))?;
    out.0.key("parameters")?;
    out.0.begin_list()?;
    // Named arguments form one record.
    let is_positional = function.definition.is_some_and(|definition| definition.is_positional);
    for parameter in &function.properties {
        out.item(|out| {
            out.text("kind", "LocalVariable")?;
            out.node("name", "Identifier", "ident", &parameter.name)?;
            out.optional("description", parameter.member.doc.filter(|_| is_positional))?;
            out.node("type", "TypeToken", "tok", &parameter.typed.token)?;
            match is_positional {
                true => write_extension(out, of_parameter(parameter).value()),
                false => Ok(()),
            }
        })?;
    }
    out.0.end_list()?;
    if let Some(result) = &function.value {
        out.node("returnType", "TypeToken", "tok", &result.token)?;
    }
    // Only the provider can compute the result, not a package.
    out.object("body", |out| {
        out.text("kind", "Block")?;
        out.0.key("statements")?;
        out.0.begin_list()?;
        out.item(|out| {
            out.text("kind", "ThrowStatement")?;
            out.object("expression", |out| {
                out.text("kind", "StringLiteral")?;
                out.text("value", &format!("`{}` is answered by its provider", function.name))
            })
        })?;
        out.0.end_list()
    })?;
    write_extension(out, of_definition(function).value())
}

fn write_extension(out: &mut Output<'_>, extension: Option<Value>) -> Result<(), SinkError> {
    extension.map_or(Ok(()), |extension| out.value(EXTENSION, &extension))
}
