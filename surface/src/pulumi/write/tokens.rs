//! The tokens of definitions in a Pulumi schema: unique in each section, and the original ones if
//! the package was made from a schema.

use crate::dialect::Dialect;
use crate::model::{Definition, Package, Role};
use crate::write::finding::{TranslationFinding, TranslationFindingKind};
use crate::write::legal::{legal_module, legal_package};
use crate::write::taken::Taken;
use std::borrow::Cow;
use std::collections::HashMap;

/// The tokens of a schema.
pub(crate) struct Tokens<'p> {
    /// The name of the schema.
    pub(crate) name: String,
    /// Whether the last part of a module stands for one of its members.
    pub(crate) drops_part: bool,
    package_name: &'p str,
    /// Whether the package has another name than its original schema.
    pub(crate) is_renamed: bool,
    /// The tokens in the schema by those in the package.
    of: HashMap<&'p str, String>,
    /// The tokens of resources, of functions and of types.
    taken: [Taken<'static>; 3],
}

impl<'p> Tokens<'p> {
    /// Names all definitions. Definitions with an original token keep it, and others get another
    /// one.
    pub(crate) fn of(package: &'p Package<'_>, findings: &mut Vec<TranslationFinding>) -> Tokens<'p> {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let name = package.name.chars().map(|c| if is_legal(c) { c } else { '-' }).collect();
        let drops_part = package.definitions.iter().any(|one| has_part_of_its_own(package, one));
        let is_of_package = |[of, ..]: [&str; 3]| legal_package(of) == package.name;
        let schema = package.made_of.filter(|(dialect, _)| *dialect == Dialect::Pulumi).map(|(_, name)| name);
        let is_renamed = match schema {
            Some(schema) => legal_package(schema) != package.name,
            None => !package.definitions.iter().filter_map(origin).any(is_of_package),
        };
        let (of, taken) = Default::default();
        let package_name = &*package.name;
        // Names in schemas may have characters that are not allowed in packages.
        let name = schema.filter(|_| !is_renamed).map_or(name, str::to_owned);
        let mut tokens = Tokens { name, drops_part, package_name, is_renamed, of, taken };
        let with_origin = package.definitions.iter().filter(|one| origin(one).is_some());
        let others = package.definitions.iter().filter(|one| origin(one).is_none());
        for definition in with_origin.chain(others) {
            let known = definition.origin.filter(|_| schema.is_some() && !is_renamed);
            let token = match (known, origin(definition)) {
                (Some(token), _) => token.to_owned(),
                (None, Some(parts)) => tokens.restored(parts),
                (None, None) => tokens.plain(&definition.token),
            };
            let wanted = definition.origin.filter(|_| known.is_some() || origin(definition).is_some());
            let wanted = wanted.map_or_else(|| token.clone(), str::to_owned);
            let token = tokens.take(definition.role, token);
            if token != wanted && is_written(definition) {
                findings.push(TranslationFinding {
                    kind: TranslationFindingKind::Name { new: token.clone() },
                    token: definition.token.to_string(),
                    member: None,
                    pointer: package.pointer(definition),
                });
            }
            tokens.of.insert(&definition.token, token);
        }
        tokens
    }

    /// The token of a definition in the schema.
    pub(crate) fn get(&self, token: &str) -> String {
        self.of.get(token).map_or_else(|| self.plain(token), String::clone)
    }

    /// The token of a method in the schema; that of another package is kept.
    pub(crate) fn of_function(&self, token: &str) -> String {
        self.of.get(token).map_or_else(|| token.to_owned(), String::clone)
    }

    /// Takes a token, or a similar one with a number.
    pub(crate) fn take(&mut self, role: Role, token: String) -> String {
        let [classes, functions, types] = &mut self.taken;
        let taken = match role {
            Role::Class => classes,
            Role::Function => functions,
            Role::Type => types,
            Role::Provider | Role::Variable => return token,
        };
        taken.take(Cow::Owned(token)).into_owned()
    }

    /// The token in the original schema: unchanged, unless the package has another name now.
    fn restored(&self, [package, module, member]: [&str; 3]) -> String {
        // Modules common to all packages, such as `pulumi:providers`, keep their name.
        match self.is_renamed && package != "pulumi" {
            true => format!("{}:{module}:{member}", self.name),
            false => format!("{package}:{module}:{member}"),
        }
    }

    /// The package by its name in the schema, and a method as a name with a part.
    fn plain(&self, token: &str) -> String {
        let rest = token.strip_prefix(self.package_name).unwrap_or(token);
        let mut parts = rest.trim_start_matches(':').splitn(3, ':');
        let (module, member, method) = (parts.next(), parts.next(), parts.next());
        let legal = |part: &str| part.replace("..", ".").trim_start_matches('.').to_owned();
        let module = module.unwrap_or("index");
        let mut member = member.map(legal).unwrap_or_default();
        if let Some(method) = method {
            member = format!("{member}/{}", legal(method));
        }
        // Otherwise the last part of the module would be treated as that of a member.
        match self.drops_part && module.contains('/') {
            true => format!("{}:{module}/{member}:{member}", self.name),
            false => format!("{}:{module}:{member}", self.name),
        }
    }
}

/// The parts of the token that a definition had in its Pulumi schema, if there was one. The module
/// may be empty.
pub(crate) fn origin<'a>(definition: &Definition<'a>) -> Option<[&'a str; 3]> {
    let mut parts = definition.origin?.split(':');
    let three = [parts.next()?, parts.next()?, parts.next()?];
    (parts.next().is_none() && !three[0].is_empty() && !three[2].is_empty()).then_some(three)
}

/// Constructors and initializers belong to their class, and variables have no place.
fn is_written(definition: &Definition<'_>) -> bool {
    match definition.role {
        Role::Function => !definition.token.rsplit(':').next().is_some_and(|name| name.starts_with('.')),
        Role::Class | Role::Type => true,
        Role::Provider | Role::Variable => false,
    }
}

/// Whether the module of a definition lacks the last part that it had in a schema.
fn has_part_of_its_own(package: &Package<'_>, definition: &Definition<'_>) -> bool {
    let Some([_, module, _]) = origin(definition) else { return false };
    let rest = definition.token.strip_prefix(&*package.name).and_then(|rest| rest.strip_prefix(':'));
    let own = rest.and_then(|rest| rest.split(':').next());
    let shortened = module.rsplit_once('/').map(|(module, _)| legal_module(module));
    own.is_some() && shortened.as_deref() == own
}
