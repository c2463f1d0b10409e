//! The names of all definitions in the target: legal, and unique in their module.

use crate::dialect::Dialect;
use crate::model::{Definition, Package, Role, Scalar, Type};
use crate::write::finding::{TranslationFinding, TranslationFindingKind};
use crate::write::named::Named;
use crate::{cloudformation::names as cloudformation, kubernetes::names as kubernetes};
use crate::{pulumi::names as pulumi, terraform::names as terraform};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The names of the definitions of a package by number, and the used names.
#[derive(Default)]
pub(crate) struct Names {
    of: Vec<Named>,
    by_token: HashMap<Box<str>, usize>,
    /// The targets of names that stand for a scalar, or for an enum of scalars.
    scalars: HashMap<usize, Scalar>,
    /// The number of times each name was requested.
    taken: HashMap<Named, u64>,
    /// The names taken recently, with their previous state.
    taken_of_late: Vec<(Named, Option<u64>)>,
}

impl Names {
    /// Names all definitions. Classes come first and have priority over types.
    pub(crate) fn of(package: &Package<'_>, findings: &mut Vec<TranslationFinding>) -> Names {
        let nothing = Named::of("", "");
        let mut names = Names { of: vec![nothing; package.definitions.len()], ..Names::default() };
        let mut modules: HashSet<Rc<str>> = HashSet::new();
        for role in [Role::Class, Role::Function, Role::Provider, Role::Variable, Role::Type] {
            for (number, definition) in package.definitions.iter().enumerate() {
                if definition.role != role {
                    continue;
                }
                let mut suggested = suggested(package.dialect, definition);
                match modules.get(&suggested.module) {
                    Some(known) => suggested.module = Rc::clone(known),
                    None => drop(modules.insert(Rc::clone(&suggested.module))),
                }
                let named = names.take(suggested.clone(), if role == Role::Type { "Type" } else { "" });
                if named != suggested {
                    findings.push(TranslationFinding {
                        kind: TranslationFindingKind::Name {
                            new: format!("{}:{}", named.module, named.name),
                        },
                        token: definition.token.to_string(),
                        member: None,
                        pointer: package.pointer(definition),
                    });
                }
                names.of[number] = named;
                // A class and a type may share a token. Members refer to the type.
                names.by_token.insert((*definition.token).into(), number);
                let value = definition.value.filter(|_| role == Role::Type);
                if let Some(Type::Scalar(scalar) | Type::Enum(scalar, _)) =
                    value.map(|id| package.type_of(id))
                {
                    names.scalars.insert(number, *scalar);
                }
            }
        }
        names.taken_of_late = Vec::new();
        names
    }

    pub(crate) fn get(&self, number: usize) -> &Named {
        &self.of[number]
    }

    /// The scalar for which a name stands, if it does.
    pub(crate) fn scalar(&self, number: usize) -> Option<Scalar> {
        self.scalars.get(&number).copied()
    }

    /// The number of names taken after those of the definitions.
    pub(crate) fn mark(&self) -> usize {
        self.taken_of_late.len()
    }

    /// Releases the names taken since a mark.
    pub(crate) fn rewind(&mut self, mark: usize) {
        for (named, before) in self.taken_of_late.drain(mark..).rev() {
            match before {
                Some(count) => self.taken.insert(named, count),
                None => self.taken.remove(&named),
            };
        }
    }

    /// The number of the definition to which a member refers by this token.
    pub(crate) fn find(&self, token: &str) -> Option<usize> {
        self.by_token.get(token).copied()
    }

    /// Takes a name, or a similar unused one: with this suffix, and then with a number.
    pub(crate) fn take(&mut self, wanted: Named, ending: &str) -> Named {
        if !self.taken.contains_key(&wanted) {
            self.note(wanted.clone(), 1);
            return wanted;
        }
        let mut named = wanted.clone();
        // The next number for this name, so that many equal names do not try all numbers again.
        let mut number = self.taken.get(&wanted).copied().unwrap_or(1);
        loop {
            let digits = if number == 1 && !ending.is_empty() { String::new() } else { format!("_{number}") };
            named.name = format!("{}{ending}{digits}", wanted.name).into();
            number += 1;
            if !self.taken.contains_key(&named) {
                break;
            }
        }
        self.note(wanted, number);
        self.note(named.clone(), 1);
        named
    }

    fn note(&mut self, named: Named, count: u64) {
        let before = self.taken.insert(named.clone(), count);
        self.taken_of_late.push((named, before));
    }
}

/// The name suggested by the dialect.
fn suggested(dialect: Dialect, definition: &Definition<'_>) -> Named {
    match dialect {
        Dialect::Terraform => terraform::named(definition),
        Dialect::CloudFormation => cloudformation::named(definition),
        Dialect::KubernetesOpenApi => kubernetes::named_in_openapi(definition),
        Dialect::KubernetesCrd => kubernetes::named_resource(definition),
        Dialect::Pulumi | Dialect::CocoPack => pulumi::named(definition),
    }
}
