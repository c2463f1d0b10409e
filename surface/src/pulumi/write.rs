//! Packages as Pulumi schemas, so that Pulumi's tools can use a package.
//!
//! | in a package | in a schema |
//! |---|---|
//! | class | resource; given members are its inputs, read members its properties |
//! | class of the provider | `provider`, or `config` if that is its name |
//! | record, interface | type |
//! | record that stands for an enum | enum type |
//! | function of a module | function; one parameter `args` of a record is its inputs |
//! | method | function with `__self__`, and a method of the resource |
//! | `dynamic` | `pulumi.json#/Any` |
//!
//! Bounds, patterns and sets have no place in a schema.

mod carried;
mod tokens;
mod type_schemas;

use crate::dialect::Dialect;
use crate::literal::Literal;
use crate::model::{Definition, Direction, Member, Members, Package, Role, Scalar, Type, TypeId};
use crate::pulumi::write::tokens::{Tokens, origin};
use crate::write::finding::{ConvertError, TranslationFinding, TranslationFindingKind};
use crate::write::legal::pascal;
use crate::write::type_text::value_of;
use crate::write::writer::Output;
use coconut_codec::event::{EventSink, SinkError};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use type_schemas::write_enum;

/// Pushes a Pulumi schema with the surface of a Coconut 2017 package into `sink`, and returns the
/// necessary changes.
///
/// # Errors
///
/// Fails if the sink fails.
pub fn push_pulumi_schema(
    package: &Package<'_>,
    sink: &mut dyn EventSink,
) -> Result<Vec<TranslationFinding>, ConvertError> {
    let mut schema = Schema::of(package);
    Output(sink).item(|out| schema.write(out))?;
    Ok(schema.findings)
}

/// An anonymous enum of a member.
struct InlineEnum<'a> {
    token: String,
    base: Scalar,
    values: Vec<Literal<'a>>,
}

/// A schema that is being written.
struct Schema<'p, 'a> {
    package: &'p Package<'a>,
    tokens: Tokens<'p>,
    /// Whether the package was made from a Pulumi schema, so that its carried parts have a place.
    is_restored: bool,
    by_token: HashMap<&'p str, &'p Definition<'a>>,
    /// Records that are anonymous in a schema, by their members.
    records: HashMap<Members, &'p Definition<'a>>,
    /// Methods by the token of their class.
    methods: HashMap<&'p str, Vec<(&'p str, String)>>,
    /// Anonymous enums of members, by the most suitable token for each.
    enums: BTreeMap<String, Vec<InlineEnum<'a>>>,
    /// Records that are the arguments or the results of one function, and were not types before.
    bags: HashSet<&'p str>,
    /// Those of these records that are types of members, too.
    referred: HashSet<&'p str>,
    findings: Vec<TranslationFinding>,
    told: HashSet<(String, Option<String>, &'static str)>,
}

impl<'p, 'a> Schema<'p, 'a> {
    fn of(package: &'p Package<'a>) -> Schema<'p, 'a> {
        let definitions = package.definitions.iter();
        let by_token = definitions.clone().map(|definition| (&*definition.token, definition)).collect();
        let records = definitions.filter(|one| one.role == Role::Type && one.origin.is_none());
        let records = records.map(|definition| (definition.members, definition)).collect();
        let (methods, enums, bags, referred, mut findings, told) = Default::default();
        let tokens = Tokens::of(package, &mut findings);
        let is_restored = package.made_of.is_some_and(|(dialect, _)| dialect == Dialect::Pulumi);
        Schema {
            package,
            tokens,
            is_restored,
            by_token,
            records,
            methods,
            enums,
            bags,
            referred,
            findings,
            told,
        }
    }

    fn lost(&mut self, definition: &Definition<'a>, member: Option<&str>, what: &'static str) {
        let finding = TranslationFinding {
            kind: TranslationFindingKind::Lost { what },
            token: definition.token.to_string(),
            member: member.map(str::to_owned),
            pointer: self.package.pointer(definition),
        };
        // An input and an output with one name lose the same parts.
        if self.told.insert((finding.token.clone(), finding.member.clone(), what)) {
            self.findings.push(finding);
        }
    }

    fn write(&mut self, out: &mut Output<'_>) -> Result<(), SinkError> {
        let package = self.package;
        out.text("name", &self.tokens.name)?;
        out.optional("version", package.version)?;
        if !self.has_settings() {
            let format = if self.tokens.drops_part { "(.*)(?:/[^/]*)" } else { "(.*)" };
            out.object("meta", |out| out.text("moduleFormat", format))?;
        }
        self.write_settings(out)?;
        self.write_providers(out)?;
        for definition in package.of_role(Role::Function) {
            self.note_method(definition);
        }
        for definition in package.of_role(Role::Variable) {
            self.lost(definition, None, "the variable");
        }
        out.object("resources", |out| {
            for class in package.of_role(Role::Class) {
                let token = self.tokens.get(&class.token);
                out.object(&token, |out| self.write_resource(out, class))?;
            }
            Ok(())
        })?;
        out.object("functions", |out| {
            for function in package.of_role(Role::Function) {
                if self.is_function(function) {
                    let token = self.tokens.get(&function.token);
                    out.object(&token, |out| self.write_function(out, function))?;
                }
            }
            Ok(())
        })?;
        // Comes last, because members of all other definitions may have anonymous enums.
        out.object("types", |out| {
            self.write_types(out)?;
            for one in std::mem::take(&mut self.enums).into_values().flatten() {
                out.object(&one.token, |out| write_enum(out, one.base, &one.values, &[]))?;
            }
            Ok(())
        })
    }

    /// All records, except those that are only the arguments or the results of a function.
    fn write_types(&mut self, out: &mut Output<'_>) -> Result<(), SinkError> {
        let bags = std::mem::take(&mut self.bags);
        let is_bag = |record: &&'p Definition<'a>| bags.contains(&*record.token);
        for record in self.package.of_role(Role::Type).filter(|record| !is_bag(record)) {
            let token = self.tokens.get(&record.token);
            out.object(&token, |out| self.write_type(out, record))?;
        }
        let mut bags: Vec<&'p Definition<'a>> = self.package.of_role(Role::Type).filter(is_bag).collect();
        // Each written record may refer to others.
        loop {
            let is_type = |record: &&'p Definition<'a>| self.referred.contains(&*record.token);
            let (types, rest): (Vec<_>, Vec<_>) = bags.into_iter().partition(is_type);
            if types.is_empty() {
                return Ok(());
            }
            for record in types {
                let token = self.tokens.get(&record.token);
                out.object(&token, |out| self.write_type(out, record))?;
            }
            bags = rest;
        }
    }

    /// Notes a record whose members are those of a function. If the function comes from a schema in
    /// which the record was not a type, the package has the record only for the function.
    fn note_bag(&mut self, function: &'p Definition<'a>, record: &'p Definition<'a>) {
        if origin(function).is_some() && record.origin.is_none() {
            self.bags.insert(&record.token);
        }
    }

    /// The token for the anonymous enum of a member. Enums with the same values share one.
    fn enum_token(
        &mut self,
        definition: &'p Definition<'a>,
        name: &str,
        (base, values): (Scalar, &'p [Literal<'a>]),
    ) -> String {
        let wanted = format!("{}{}", self.tokens.get(&definition.token), pascal(name));
        let known = self.enums.entry(wanted.clone()).or_default();
        if let Some(same) = known.iter().find(|one| one.base == base && one.values == values) {
            return same.token.clone();
        }
        let token = self.tokens.take(Role::Type, wanted.clone());
        known.push(InlineEnum { token: token.clone(), base, values: values.to_vec() });
        if token != wanted {
            self.findings.push(TranslationFinding {
                kind: TranslationFindingKind::Name { new: token.clone() },
                token: definition.token.to_string(),
                member: Some(name.to_owned()),
                pointer: self.package.pointer(definition),
            });
        }
        token
    }

    /// The configuration and the provider. A schema has one of each.
    fn write_providers(&mut self, out: &mut Output<'_>) -> Result<(), SinkError> {
        let package = self.package;
        let is_restored = self.is_restored;
        // Another class may already use the name.
        let is_config = |one: &&'p Definition<'a>| match one.origin {
            Some(origin) if is_restored => origin == "config",
            _ => one.token.rsplit(':').next() == Some("Config"),
        };
        let mut configs = package.of_role(Role::Provider).filter(is_config);
        if let Some(config) = configs.next() {
            out.object("config", |out| {
                self.bag(out, config, ("variables", "defaults"), Direction::In)?;
                self.write_rest(out, config)
            })?;
        }
        let mut providers = package.of_role(Role::Provider).filter(|one| !is_config(one));
        if let Some(provider) = providers.next() {
            out.object("provider", |out| self.write_resource(out, provider))?;
        }
        for other in configs.chain(providers) {
            self.lost(other, None, "the configuration");
        }
        Ok(())
    }

    /// The class of a method, and its name.
    fn method_of(&self, function: &'p Definition<'a>) -> Option<(&'p str, &'p str)> {
        let (class, method) = function.token.rsplit_once(':')?;
        let (class, _) = self.by_token.get_key_value(class)?;
        Some((class, method))
    }

    /// Constructors and initializers belong to their class.
    fn is_function(&self, function: &'p Definition<'a>) -> bool {
        !function.token.rsplit(':').next().is_some_and(|name| name.starts_with('.'))
    }

    fn note_method(&mut self, function: &'p Definition<'a>) {
        if !self.is_function(function) {
            return self.lost(function, None, "the body");
        }
        if let Some((class, method)) = self.method_of(function) {
            let token = self.tokens.get(&function.token);
            self.methods.entry(class).or_default().push((method, token));
        }
    }

    fn write_resource(&mut self, out: &mut Output<'_>, class: &'p Definition<'a>) -> Result<(), SinkError> {
        out.optional("description", class.doc)?;
        out.optional("deprecationMessage", deprecation(class.deprecated))?;
        self.bag(out, class, ("properties", "required"), Direction::Out)?;
        self.bag(out, class, ("inputProperties", "requiredInputs"), Direction::In)?;
        if !class.aliases.is_empty() && self.carried(class, "aliases").is_none() {
            out.0.key("aliases")?;
            out.0.begin_list()?;
            for alias in &class.aliases {
                out.item(|out| out.text("type", alias))?;
            }
            out.0.end_list()?;
        }
        self.write_state(out, class)?;
        let mut methods = self.methods.remove(&*class.token).unwrap_or_default();
        methods.extend(class.methods.iter().map(|(name, token)| (*name, self.tokens.of_function(token))));
        if !methods.is_empty() {
            out.object("methods", |out| methods.iter().try_for_each(|(name, token)| out.text(name, token)))?;
        }
        self.write_rest(out, class)
    }

    fn write_type(&mut self, out: &mut Output<'_>, record: &'p Definition<'a>) -> Result<(), SinkError> {
        out.optional("description", record.doc)?;
        out.optional("deprecationMessage", deprecation(record.deprecated))?;
        let package = self.package;
        let is_carried = ["type", "enum"].iter().any(|key| self.carried(record, key).is_some());
        match record.value.map(|value| package.type_of(value)) {
            _ if is_carried => {}
            Some(Type::Enum(base, values)) => {
                write_enum(out, *base, package.values(values), &record.named_values)?;
                return self.write_rest(out, record);
            }
            Some(_) => {
                self.lost(record, None, "the type for which it stands");
                out.text("type", "object")?;
            }
            None => out.text("type", "object")?,
        }
        if record.value.is_none() || !is_carried {
            self.bag(out, record, ("properties", "required"), Direction::Both)?;
        }
        self.write_rest(out, record)
    }

    fn write_function(
        &mut self,
        out: &mut Output<'_>,
        function: &'p Definition<'a>,
    ) -> Result<(), SinkError> {
        out.optional("description", function.doc)?;
        out.optional("deprecationMessage", deprecation(function.deprecated))?;
        let package = self.package;
        let inputs = package.members(function.members);
        let class = self.method_of(function).map(|(class, _)| class);
        // One parameter `args` of a record is a bag of inputs.
        let bag = match inputs {
            [one] if one.name == "args" && class.is_none() && !self.is_positional(function) => {
                self.record_of(one.type_id)
            }
            _ => None,
        };
        match bag {
            Some(record) => {
                self.note_bag(function, record);
                self.write_bag(out, function, "inputs", Some(record))?;
            }
            None if class.is_some() || !inputs.is_empty() => {
                out.object("inputs", |out| {
                    self.write_inputs(out, function, class)?;
                    self.write_rest_of_bag(out, function, "inputs")
                })?;
                if self.carried(function, "multiArgumentInputs").is_none() {
                    let own = class.map(|_| "__self__").into_iter();
                    let names = inputs.iter().map(|member| self.name_of(member));
                    out.texts("multiArgumentInputs", own.chain(names))?;
                }
            }
            None => self.write_bag(out, function, "inputs", None)?,
        }
        let record = function.value.and_then(|result| self.record_of(result));
        let key = if self.carried(function, "returnType").is_some() { "returnType" } else { "outputs" };
        match (record, function.value) {
            (Some(record), _) if self.is_made(function, record) => {
                self.note_bag(function, record);
                self.write_bag(out, function, key, Some(record))?;
            }
            (_, Some(result)) if self.carried(function, key).is_none() => {
                out.object("outputs", |out| self.write_type_of(out, function, "Result", result))?;
            }
            _ => self.write_bag(out, function, key, None)?,
        }
        self.write_rest(out, function)
    }

    fn write_inputs(
        &mut self,
        out: &mut Output<'_>,
        function: &'p Definition<'a>,
        class: Option<&'p str>,
    ) -> Result<(), SinkError> {
        let members = self.package.members(function.members);
        out.object("properties", |out| {
            if let Some(class) = class {
                let reference = format!("#/resources/{}", escaped(&self.tokens.get(class)));
                out.object("__self__", |out| out.text("$ref", &reference))?;
            }
            for member in members {
                out.object(self.name_of(member), |out| self.write_member(out, function, member))?;
            }
            Ok(())
        })?;
        let required = members.iter().filter(|member| member.is_required).map(|member| self.name_of(member));
        out.texts("required", class.map(|_| "__self__").into_iter().chain(required))
    }

    /// The record to which a type refers.
    fn record_of(&self, id: TypeId) -> Option<&'p Definition<'a>> {
        match self.package.type_of(id) {
            Type::Reference(token) => {
                let definition = self.by_token.get(&**token)?;
                (definition.role == Role::Type && definition.value.is_none()).then_some(definition)
            }
            _ => None,
        }
    }

    /// The members in one direction and the names of the required ones, unless these are carried.
    fn bag(
        &mut self,
        out: &mut Output<'_>,
        definition: &'p Definition<'a>,
        (key, required): (&str, &str),
        direction: Direction,
    ) -> Result<(), SinkError> {
        let is_carried = self.carried(definition, required).is_some();
        self.bag_of(out, definition, (key, Some(required).filter(|_| !is_carried)), direction)
    }

    fn bag_of(
        &mut self,
        out: &mut Output<'_>,
        definition: &'p Definition<'a>,
        (key, required): (&str, Option<&str>),
        direction: Direction,
    ) -> Result<(), SinkError> {
        let members: Members = definition.members;
        let members = self.package.members(members).iter();
        let goes = |member: &&Member<'a>| match direction {
            Direction::In => member.direction.is_in(),
            Direction::Out => member.direction.is_out(),
            Direction::Both => true,
        };
        let members: Vec<Cow<'p, Member<'a>>> =
            members.filter(goes).map(|one| as_goes(one, direction)).collect();
        if !members.is_empty() {
            out.object(key, |out| {
                for member in &members {
                    out.object(self.name_of(member), |out| {
                        self.write_member(out, definition, member)?;
                        let is_carried = self.is_restored
                            && ["replaceOnChanges", "willReplaceOnChanges"]
                                .iter()
                                .any(|key| member.rest(key).is_some());
                        out.flag("willReplaceOnChanges", member.replaces && !is_carried)
                    })?;
                }
                Ok(())
            })?;
        }
        let Some(required) = required else { return Ok(()) };
        let is_there = |member: &&Cow<'p, Member<'a>>| {
            member.is_required || (direction == Direction::Out && member.is_computed)
        };
        out.texts(required, members.iter().filter(is_there).map(|member| self.name_of(member)))
    }

    fn write_member(
        &mut self,
        out: &mut Output<'_>,
        definition: &'p Definition<'a>,
        member: &Member<'a>,
    ) -> Result<(), SinkError> {
        if !self.has_type(member) {
            self.write_type_of(out, definition, member.name, member.type_id)?;
        }
        out.optional("description", member.doc)?;
        out.optional("deprecationMessage", deprecation(member.deprecated))?;
        out.flag("secret", member.is_secret)?;
        out.flag("plain", member.is_plain)?;
        let Some(facets) = member.facets.as_deref() else { return Ok(()) };
        if self.is_restored {
            self.write_rest_of_member(out, facets)?;
        }
        match &facets.default {
            None => {}
            Some(_) if self.is_restored && member.rest("default").is_some() => {}
            Some(Literal::Composite(_) | Literal::Null) => {
                self.lost(definition, Some(member.name), "the default");
            }
            Some(default) => out.value("default", &value_of(default))?,
        }
        let bounds = (facets.value, facets.length, facets.items);
        if bounds != Default::default() || facets.pattern.is_some() {
            self.lost(definition, Some(member.name), "a bound");
        }
        Ok(())
    }
}

/// A member as given or as read. If it is both, it may have separate attributes when read.
fn as_goes<'p, 'a>(member: &'p Member<'a>, direction: Direction) -> Cow<'p, Member<'a>> {
    match direction == Direction::Out && member.direction.is_in() {
        true => Cow::Owned(member.as_read()),
        false => Cow::Borrowed(member),
    }
}

/// A reason that is never empty, since an empty one would mean that there is none.
fn deprecation(reason: Option<&str>) -> Option<&str> {
    reason.map(|reason| if reason.is_empty() { "deprecated" } else { reason })
}

/// A token as it is written in a reference.
fn escaped(token: &str) -> String {
    token.replace('%', "%25").replace('/', "%2F")
}
