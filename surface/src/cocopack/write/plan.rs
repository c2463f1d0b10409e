//! The plan of a package: all classes and functions with their names, module by module. Only one
//! module is planned at a time, to save memory.
//!
//! Anonymous objects become records, named by the path to them. A record is planned for each use.
//! Two uses of one stored value are two records, so the result does not depend on how the source is
//! stored.

use crate::model::{Definition, Direction, Facets, Member, Members, Package, Role, Type, TypeId};
use crate::write::finding::{ConvertError, TranslationFinding, TranslationFindingKind};
use crate::write::legal::{legal_name, pascal};
use crate::write::named::Named;
use crate::write::names::Names;
use crate::write::numbers::Numbers;
use crate::write::taken::Taken;
use crate::write::type_text::{Typed, Types};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// The maximum number of properties and parameters in a package. The largest real provider has
/// 200,000.
pub(crate) const MOST_MEMBERS: usize = 1 << 22;

/// A class or a function of the package.
pub(crate) struct Planned<'p, 'a> {
    pub(crate) name: Rc<str>,
    pub(crate) form: Form,
    /// The definition from which it comes.
    pub(crate) definition: Option<&'p Definition<'a>>,
    /// The number of the definition from which it, or the object that contains it, comes.
    pub(crate) number: usize,
    pub(crate) properties: Vec<Property<'p, 'a>>,
    /// The type for which a record stands, or the result of a function.
    pub(crate) value: Option<Typed>,
    /// The record used to look up resources of the class.
    pub(crate) state: Option<String>,
    /// The names of methods, each with its function.
    pub(crate) methods: Vec<(&'a str, String)>,
}

impl<'p, 'a> Planned<'p, 'a> {
    /// A record for which the schema has no definition.
    fn record(named: Named, number: usize, properties: Vec<Property<'p, 'a>>) -> Planned<'p, 'a> {
        let (definition, value, state, methods) = Default::default();
        Planned {
            name: named.name,
            form: Form::Record,
            definition,
            number,
            properties,
            value,
            state,
            methods,
        }
    }
}

/// The form in which a definition is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Class,
    Record,
    Function,
}

/// A property or a parameter.
pub(crate) struct Property<'p, 'a> {
    /// The legal name.
    pub(crate) name: Cow<'a, str>,
    /// Its attributes; those for giving if there are both.
    pub(crate) member: &'p Member<'a>,
    pub(crate) direction: Direction,
    pub(crate) is_computed: bool,
    pub(crate) typed: Typed,
    pub(crate) facets: Option<&'p Facets<'a>>,
    /// The part that is read, if it is a separate member, with its type if that differs.
    pub(crate) output: Option<(&'p Member<'a>, Option<Typed>)>,
}

/// An object that becomes a record.
struct Inline {
    named: Named,
    members: Members,
    /// Whether the object that contains it is given, read or both.
    usage: Direction,
    number: usize,
}

/// The maximum number of parts in all types of a package, with names for types expanded.
const MOST_PARTS: usize = 1 << 24;

/// The state of planning: the known facts about all definitions.
pub(crate) struct Planner {
    package_name: String,
    names: Names,
    members_left: usize,
    parts_left: usize,
    /// Findings about names of definitions, followed by those of each definition with its number.
    names_found: Vec<TranslationFinding>,
    found: Vec<(usize, TranslationFinding)>,
}

/// A state of planning that can be restored.
pub(crate) struct Mark {
    names: usize,
    members_left: usize,
    parts_left: usize,
    found: usize,
}

impl Planner {
    pub(crate) fn new(package: &Package<'_>, package_name: &str) -> Planner {
        let mut names_found = Vec::new();
        let names = Names::of(package, &mut names_found);
        let package_name = package_name.to_owned();
        let (members_left, parts_left) = (MOST_MEMBERS, MOST_PARTS);
        Planner { package_name, names, members_left, parts_left, names_found, found: Vec::new() }
    }

    /// The modules, each with the numbers of its definitions.
    pub(crate) fn modules(&self, package: &Package<'_>) -> BTreeMap<Rc<str>, Vec<usize>> {
        let mut modules: BTreeMap<Rc<str>, Vec<usize>> = BTreeMap::new();
        for (number, definition) in package.definitions.iter().enumerate() {
            // Only Coconut 2017 packages have variables.
            if definition.role != Role::Variable {
                modules.entry(Rc::clone(&self.names.get(number).module)).or_default().push(number);
            }
        }
        modules
    }

    /// Begins to plan the definitions of a package, or of a part of it.
    pub(crate) fn of<'s, 'p, 'a>(
        &'s mut self,
        package: &'p Package<'a>,
        numbers: &'s Numbers,
    ) -> Planning<'s, 'p, 'a> {
        Planning { planner: self, package, numbers, planned: Vec::new(), pending: Vec::new() }
    }

    /// Saves the state before a module.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            names: self.names.mark(),
            members_left: self.members_left,
            parts_left: self.parts_left,
            found: self.found.len(),
        }
    }

    /// Restores a state, to plan the same definitions again.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        self.names.rewind(mark.names);
        self.members_left = mark.members_left;
        self.parts_left = mark.parts_left;
        self.found.truncate(mark.found);
    }

    /// Forgets the names of records since a state. No other module uses them.
    pub(crate) fn end_module(&mut self, mark: &Mark) {
        self.names.rewind(mark.names);
    }

    /// The findings, in the order of the definitions.
    pub(crate) fn findings(mut self) -> Vec<TranslationFinding> {
        self.found.sort_by_key(|(number, _)| *number);
        self.names_found.extend(self.found.into_iter().map(|(_, finding)| finding));
        self.names_found
    }
}

/// The definitions being planned. Their numbers are those in the whole package.
pub(crate) struct Planning<'s, 'p, 'a> {
    planner: &'s mut Planner,
    package: &'p Package<'a>,
    numbers: &'s Numbers,
    planned: Vec<Planned<'p, 'a>>,
    pending: Vec<Inline>,
}

impl<'p, 'a> Planning<'_, 'p, 'a> {
    /// The classes and functions of a module, or of a part of it.
    pub(crate) fn module(&mut self, numbers: &[usize]) -> Result<Vec<Planned<'p, 'a>>, ConvertError> {
        for &number in numbers {
            self.definition(number)?;
            // The contents of an object belong to its module.
            while let Some(inline) = self.pending.pop() {
                self.inline(inline)?;
            }
        }
        Ok(std::mem::take(&mut self.planned))
    }

    fn get(&self, number: usize) -> &'p Definition<'a> {
        let own = self.numbers.own(number).expect("planned definitions are in the document");
        &self.package.definitions[own]
    }

    fn definition(&mut self, number: usize) -> Result<(), ConvertError> {
        let definition = self.get(number);
        let named = self.planner.names.get(number).clone();
        match definition.role {
            Role::Class | Role::Provider => self.class(number, named, Form::Class),
            Role::Type => self.class(number, named, Form::Record),
            Role::Function => self.function(number, named),
            Role::Variable => Ok(()),
        }
    }

    fn class(&mut self, number: usize, named: Named, form: Form) -> Result<(), ConvertError> {
        let definition = self.get(number);
        let value = definition.value.map(|value| self.typed(value, &named, Direction::Both, number));
        let value = value.transpose()?;
        let properties = self.properties(definition.members, &named, Direction::Both, number)?;
        let state = self.state(definition.state, &named, number)?;
        let methods = definition.methods.iter().map(|(name, token)| (*name, self.function_token(token)));
        let methods = methods.collect();
        self.add(Planned {
            name: named.name,
            form,
            definition: Some(definition),
            number,
            properties,
            value,
            state,
            methods,
        });
        Ok(())
    }

    /// The token of a function in the package; that of another package is kept.
    fn function_token(&self, token: &str) -> String {
        let named = self.planner.names.find(token).map(|number| self.planner.names.get(number));
        named.map_or_else(|| token.to_owned(), |named| self.token_of(named))
    }

    /// Plans the record used to look up resources of a class, and returns its token.
    fn state(
        &mut self,
        members: Members,
        class: &Named,
        number: usize,
    ) -> Result<Option<String>, ConvertError> {
        if members.is_empty() {
            return Ok(None);
        }
        let record = self.take_record(class, "State");
        let token = self.token_of(&record);
        let properties = self.properties(members, &record, Direction::In, number)?;
        self.add(Planned::record(record, number, properties));
        Ok(Some(token))
    }

    /// A name for a record of a class or of a function.
    fn take_record(&mut self, of: &Named, ending: &str) -> Named {
        let name = format!("{}{ending}", pascal(&of.name));
        self.planner.names.take(Named { module: Rc::clone(&of.module), name: name.into() }, "")
    }

    /// A function that takes positional parameters or a record, and may return a record.
    fn function(&mut self, number: usize, named: Named) -> Result<(), ConvertError> {
        let definition = self.get(number);
        let value = definition.value.map(|value| self.typed(value, &named, Direction::Out, number));
        let mut value = value.transpose()?;
        let mut parameters = Vec::new();
        if definition.is_positional {
            parameters = self.properties(definition.members, &named, Direction::In, number)?;
        }
        let records = [("Args", Direction::In), ("Result", Direction::Out)];
        for (ending, usage) in records.into_iter().skip(usize::from(definition.is_positional)) {
            let is_used = |member: &Member<'_>| goes(member.direction, usage).is_some();
            if !self.package.members(definition.members).iter().any(is_used) {
                continue;
            }
            let record = self.take_record(&named, ending);
            let token = self.token_of(&record);
            let properties = self.properties(definition.members, &record, usage, number)?;
            self.add(Planned::record(record, number, properties));
            match usage {
                Direction::In => parameters.push(Property {
                    name: Cow::Borrowed("args"),
                    member: &self.package.members(definition.members)[0],
                    direction: Direction::In,
                    is_computed: false,
                    typed: Typed::of_token(token),
                    facets: None,
                    output: None,
                }),
                Direction::Out | Direction::Both => value = Some(Typed::of_token(token)),
            }
        }
        let (form, definition, properties) = (Form::Function, Some(definition), parameters);
        let (state, methods) = Default::default();
        self.add(Planned { name: named.name, form, definition, number, properties, value, state, methods });
        Ok(())
    }

    fn inline(&mut self, inline: Inline) -> Result<(), ConvertError> {
        let Inline { named, members, usage, number } = inline;
        let properties = self.properties(members, &named, usage, number)?;
        self.add(Planned::record(named, number, properties));
        Ok(())
    }

    fn add(&mut self, planned: Planned<'p, 'a>) {
        self.planned.push(planned);
    }

    fn token_of(&self, named: &Named) -> String {
        format!("{}:{}:{}", self.planner.package_name, named.module, named.name)
    }

    /// Plans a type. Objects inside it become records.
    fn typed(
        &mut self,
        id: TypeId,
        named: &Named,
        usage: Direction,
        number: usize,
    ) -> Result<Typed, ConvertError> {
        let Planner { names, package_name, parts_left, .. } = &mut *self.planner;
        let pending = &mut self.pending;
        let mut record = |members: Members, names: &mut Names| {
            let record = names.take(named.clone(), "");
            let token = format!("{package_name}:{}:{}", record.module, record.name);
            pending.push(Inline { named: record, members, usage, number });
            token
        };
        let (package, numbers) = (self.package, self.numbers);
        let mut types = Types { package, numbers, package_name, names, parts_left, record: &mut record };
        types.typed(id).ok_or(ConvertError::TooManyParts { limit: MOST_PARTS })
    }

    /// The properties for members in this direction. An input and an output with the same name
    /// become one property.
    fn properties(
        &mut self,
        members: Members,
        named: &Named,
        usage: Direction,
        number: usize,
    ) -> Result<Vec<Property<'p, 'a>>, ConvertError> {
        let members = self.package.members(members);
        let left = &mut self.planner.members_left;
        *left = left.checked_sub(members.len()).ok_or(ConvertError::TooLarge { limit: MOST_MEMBERS })?;
        let mut outputs: HashMap<&str, &Member<'a>> = HashMap::new();
        for member in members.iter().filter(|member| member.direction == Direction::Out) {
            outputs.insert(member.name, member);
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let mut taken = Taken::default();
        let mut properties = Vec::with_capacity(members.len());
        for member in members {
            let Some(mut narrowed) = goes(member.direction, usage) else { continue };
            if !seen.insert(member.name) {
                continue;
            }
            let output = outputs.get(member.name).copied().filter(|_| member.direction == Direction::In);
            let output = output.filter(|_| usage == Direction::Both);
            // The contents of a record have their own direction there, wherever the record is used.
            let mut direction = member.direction;
            if output.is_some() {
                (direction, narrowed) = (Direction::Both, Direction::Both);
            }
            let name = self.property_name(member.name, &mut taken, number);
            let of = Named {
                module: Rc::clone(&named.module),
                name: format!("{}{}", named.name, pascal(&name)).into(),
            };
            let typed = self.typed(member.type_id, &of, narrowed, number)?;
            let output_typed = match output.filter(|output| !self.has_type_of(member, output)) {
                Some(output) => Some(self.typed(output.type_id, &of, Direction::Out, number)?),
                None => None,
            };
            // A property that the provider always fills is optional.
            let is_filled = output.is_some_and(|output| output.is_required && !member.is_required);
            properties.push(Property {
                name,
                member,
                direction,
                is_computed: member.is_computed || is_filled,
                typed,
                facets: member.facets.as_deref(),
                output: output.map(|output| (output, output_typed)),
            });
        }
        Ok(properties)
    }

    /// Whether input and output have the same type.
    fn has_type_of(&self, given: &Member<'a>, read: &Member<'a>) -> bool {
        let pairs = Cell::new(MOST_PAIRS);
        is_same_type(self.package, given.type_id, read.type_id, MOST_LEVELS, &pairs)
    }

    fn property_name(&mut self, name: &'a str, taken: &mut Taken<'a>, number: usize) -> Cow<'a, str> {
        let unique = taken.take(legal_name(name));
        if unique != name {
            let definition = self.get(number);
            self.planner.found.push((
                number,
                TranslationFinding {
                    kind: TranslationFindingKind::Name { new: unique.clone().into_owned() },
                    token: definition.token.to_string(),
                    member: Some(name.to_owned()),
                    pointer: self.package.pointer(definition),
                },
            ));
        }
        unique
    }
}

/// The maximum depth when comparing two types, and the maximum number of compared pairs. Beyond
/// these, types count as different.
const MOST_LEVELS: u32 = 64;
const MOST_PAIRS: u32 = 1 << 12;

/// Whether two types of a package are equivalent.
fn is_same_type(package: &Package<'_>, one: TypeId, other: TypeId, levels: u32, pairs: &Cell<u32>) -> bool {
    if one == other {
        return true;
    }
    if levels == 0 || pairs.get() == 0 {
        return false;
    }
    pairs.set(pairs.get() - 1);
    let same = |one: &TypeId, other: &TypeId| is_same_type(package, *one, *other, levels - 1, pairs);
    match (package.type_of(one), package.type_of(other)) {
        (Type::List(one), Type::List(other))
        | (Type::Set(one), Type::Set(other))
        | (Type::Map(one), Type::Map(other)) => same(one, other),
        (Type::Union(one), Type::Union(other)) => {
            let (one, other) = (package.union(one), package.union(other));
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Type::Enum(one, values), Type::Enum(other, others)) => {
            one == other && package.values(values) == package.values(others)
        }
        (Type::Object(one), Type::Object(other)) => {
            let (one, other) = (package.members(*one), package.members(*other));
            let is_same = |one: &Member<'_>, other: &Member<'_>| {
                (one.name, one.is_required, one.is_secret) == (other.name, other.is_required, other.is_secret)
                    && same(&one.type_id, &other.type_id)
            };
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (one, other) => one == other,
    }
}

/// The direction of a member inside an object with one direction; `None` if it does not occur
/// there.
fn goes(member: Direction, usage: Direction) -> Option<Direction> {
    match (member.is_in() && usage.is_in(), member.is_out() && usage.is_out()) {
        (true, true) => Some(Direction::Both),
        (true, false) => Some(Direction::In),
        (false, true) => Some(Direction::Out),
        (false, false) => None,
    }
}
