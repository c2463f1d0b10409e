//! The names of all definitions in the target: legal, and each once in its module.

use super::finding::{Finding, FindingKind};
use super::legal::{legal_module, legal_name};
use super::{cloudformation, kubernetes, pulumi, terraform};
use coconut_format::api::{Definition, Dialect, Package, Role};
use std::collections::HashMap;

/// The module and the name of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Named {
    pub(super) module: String,
    pub(super) name: String,
}

impl Named {
    pub(super) fn of(module: impl AsRef<str>, name: impl AsRef<str>) -> Named {
        Named {
            module: legal_module(module.as_ref()).into_owned(),
            name: legal_name(name.as_ref()).into_owned(),
        }
    }

    /// The name that the dialect suggests.
    fn suggested(dialect: Dialect, definition: &Definition<'_>) -> Named {
        match dialect {
            Dialect::Terraform => terraform::named(definition),
            Dialect::CloudFormation => cloudformation::named(definition),
            Dialect::KubernetesOpenApi => kubernetes::named_in_openapi(definition),
            Dialect::KubernetesCrd => kubernetes::named_resource(definition),
            Dialect::Pulumi | Dialect::CocoPack => pulumi::named(definition),
        }
    }
}

/// The names of the definitions of a package, by number, and those that are taken.
#[derive(Default)]
pub(super) struct Names {
    of: Vec<Named>,
    by_token: HashMap<String, usize>,
    /// How often a name was wanted.
    taken: HashMap<Named, u64>,
}

impl Names {
    /// Names all definitions. Classes come first, so that types give way to them.
    pub(super) fn of(package: &Package<'_>, findings: &mut Vec<Finding>) -> Names {
        let mut names = Names {
            of: vec![Named::of("", ""); package.definitions.len()],
            by_token: HashMap::new(),
            taken: HashMap::new(),
        };
        for role in [Role::Class, Role::Function, Role::Provider, Role::Variable, Role::Type] {
            for (number, definition) in package.definitions.iter().enumerate() {
                if definition.role != role {
                    continue;
                }
                let suggested = Named::suggested(package.dialect, definition);
                let named = names.take(suggested.clone(), if role == Role::Type { "Type" } else { "" });
                if named != suggested {
                    findings.push(Finding {
                        kind: FindingKind::Name { new: format!("{}:{}", named.module, named.name) },
                        token: definition.token.to_string(),
                        member: None,
                        pointer: package.pointer(definition),
                    });
                }
                names.of[number] = named;
                // A class and a type may have one token. Members refer to the type.
                names.by_token.insert(definition.token.to_string(), number);
            }
        }
        names
    }

    pub(super) fn get(&self, number: usize) -> &Named {
        &self.of[number]
    }

    /// The number of the definition that a member refers to by this token.
    pub(super) fn find(&self, token: &str) -> Option<usize> {
        self.by_token.get(token).copied()
    }

    /// Takes a name, or one like it that is not taken: with this ending, and then with a number.
    pub(super) fn take(&mut self, wanted: Named, ending: &str) -> Named {
        if !self.taken.contains_key(&wanted) {
            self.taken.insert(wanted.clone(), 1);
            return wanted;
        }
        let mut named = wanted.clone();
        // The next number of this name, so that many equal names do not try all numbers again.
        let mut number = self.taken.get(&wanted).copied().unwrap_or(1);
        loop {
            let digits = if number == 1 && !ending.is_empty() { String::new() } else { format!("_{number}") };
            named.name = format!("{}{ending}{digits}", wanted.name);
            number += 1;
            if !self.taken.contains_key(&named) {
                break;
            }
        }
        self.taken.insert(wanted, number);
        self.taken.insert(named.clone(), 1);
        named
    }
}
