//! §20.3 Comparing two versions of a package.

mod assign;
pub(crate) mod finding;
mod members;
mod plural;
mod programs;
pub(crate) mod renames;
mod shapes;
mod usage;

use crate::compare::assign::Relations;
use crate::compare::finding::{Change, Place};
use crate::compare::renames::Renames;
use crate::model::{Definition, Direction, Package, Role};
use crate::print::type_text;
use crate::rules::{self, ApiRule, Category, Severity};
use crate::settings::{self, SettingKind};
use coconut_format::verify::Listing;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use usage::Usage;

/// The maximum number of listed changes. Further changes are only counted.
pub const MOST_CHANGES: usize = coconut_format::limits::MOST_FINDINGS;

/// The maximum number of names tried for removed members. Real providers need about 100,000.
const MOST_SEARCHES: u64 = 20_000_000;

/// How strict a comparison is.
pub type Level = Category;

/// The changes from one version of a package to the next.
#[derive(Debug)]
pub struct Comparison {
    /// The changes, in the order of the old document, followed by those of the new one.
    pub changes: Vec<Change>,
    /// The number of further changes.
    pub left_out: usize,
    counts: HashMap<Severity, usize>,
}

impl Comparison {
    /// The number of changes of this severity, including those that are not listed.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or_default()
    }
}

/// All changes from `old` to `new` that count at this level.
///
/// Visits each member a few times. Equal parts are compared once.
pub fn compare<'p>(
    old: &'p Package<'_>,
    new: &'p Package<'_>,
    renames: &'p Renames<'p>,
    level: Level,
) -> Comparison {
    let relations = Relations::new(old, new, renames.with_aliases(new));
    let usage = (Usage::of(&relations.old), Usage::of(&relations.new));
    let (changes, counts) = (Listing::default(), HashMap::new());
    let mut comparer = Comparer { relations, usage, level, changes, counts, searches_left: MOST_SEARCHES };
    comparer.compare_packages();
    comparer.compare_package_settings();
    comparer.compare_modules();
    comparer.compare_definitions();
    let Comparer { changes, counts, .. } = comparer;
    let left_out = changes.left_out();
    Comparison { changes: changes.into_kept(), left_out, counts }
}

/// The state of a comparison.
struct Comparer<'p, 'a, 'b> {
    relations: Relations<'p, 'a, 'b>,
    /// The use of types in both packages.
    usage: (Usage, Usage),
    level: Level,
    changes: Listing<Change>,
    counts: HashMap<Severity, usize>,
    /// The remaining number of names to try when looking for a singular or plural.
    searches_left: u64,
}

/// The current definition, and the place in it.
#[derive(Clone, Copy)]
struct Site<'p, 'a> {
    role: Role,
    token: &'p str,
    /// The definition in the old package, or in the new one if it was added.
    definition: &'p Definition<'a>,
    package: &'p Package<'a>,
}

impl<'p, 'a> Site<'p, 'a> {
    fn of(package: &'p Package<'a>, definition: &'p Definition<'a>) -> Site<'p, 'a> {
        Site { role: definition.role, token: &definition.token, definition, package }
    }

    fn change(&self, rule: &'static ApiRule) -> Change {
        Change {
            rule,
            severity: rule.severity,
            role: Some(self.role),
            token: self.token.to_owned(),
            new_token: None,
            place: Place::Itself,
            member: None,
            new_member: None,
            old: None,
            new: None,
            pointer: self.package.pointer(self.definition),
        }
    }
}

impl<'p> Comparer<'p, '_, '_> {
    /// Adds a change, if its rule counts at this level.
    fn report(&mut self, rule: &'static ApiRule, severity: Severity, make: impl FnOnce() -> Change) {
        if rule.category > self.level {
            return;
        }
        *self.counts.entry(severity).or_default() += 1;
        self.changes.add(|| Change { severity, ..make() });
    }

    /// Compares the properties of the whole package.
    fn compare_packages(&mut self) {
        let (old, new) = (self.relations.old.package, self.relations.new.package);
        if old.name != new.name {
            let rule = &rules::API_NAME;
            let [from, to] = [old, new].map(|package| Some(package.name.to_string()));
            self.report(rule, rule.severity, || Change { old: from, new: to, ..of_whole(rule, &old.name) });
        }
        if old.language != new.language {
            let rule = &rules::API_LANGUAGE;
            self.report(rule, rule.severity, || of_whole(rule, &old.name));
        }
    }

    /// Compares the facts about the package. A program is named by its token.
    fn compare_package_settings(&mut self) {
        let (old, new) = (self.relations.old.package, self.relations.new.package);
        for (rule, from, to) in settings::changes(&old.settings, &new.settings) {
            let setting = from.or(to);
            let token = setting.filter(|setting| setting.kind == SettingKind::Body);
            let token = token.map_or_else(|| old.name.to_string(), |setting| setting.name.to_string());
            let [from, to] = settings::texts(from, to);
            self.report(rule, rule.severity, || Change { old: from, new: to, ..of_whole(rule, &token) });
        }
    }

    fn compare_modules(&mut self) {
        let (old, new) = (self.relations.old.package, self.relations.new.package);
        let change = of_whole;
        let (old_modules, new_modules): (HashSet<&str>, HashSet<&str>) =
            (old.modules.iter().copied().collect(), new.modules.iter().copied().collect());
        let exports = |of: &'p Package<'_>| -> HashSet<(&'p str, &'p str)> {
            of.exports.iter().map(|export| (export.module, export.name)).collect()
        };
        let (old_exports, new_exports) = (exports(old), exports(new));
        for module in &old.modules {
            if !new_modules.contains(module) {
                let rule = &rules::API_MODULE_GONE;
                self.report(rule, rule.severity, || change(rule, module));
            }
        }
        // An export of a removed or added definition is reported with that definition.
        let (old_tokens, new_tokens) = (tokens(old), tokens(new));
        let is_reported = |token: &str| old_tokens.contains(token) != new_tokens.contains(token);
        for export in &old.exports {
            if is_reported(export.token) {
                continue;
            }
            if new_modules.contains(export.module) && !new_exports.contains(&(export.module, export.name)) {
                let rule = &rules::API_EXPORT_GONE;
                self.report(rule, rule.severity, || {
                    change(rule, &format!("{}:{}:{}", old.name, export.module, export.name))
                });
            }
        }
        let old_targets: HashMap<(&str, &str), Cow<'_, str>> =
            old.exports.iter().map(|export| ((export.module, export.name), export.target(old))).collect();
        for export in &new.exports {
            let (was, is) = (old_targets.get(&(export.module, export.name)), export.target(new));
            if let Some(was) = was.filter(|was| **was != is) {
                let rule = &rules::API_EXPORT_TARGET;
                self.report(rule, rule.severity, || Change {
                    old: Some(was.to_string()),
                    new: Some(is.to_string()),
                    ..change(rule, &format!("{}:{}:{}", old.name, export.module, export.name))
                });
            }
        }
        for module in &new.modules {
            if !old_modules.contains(module) {
                let rule = &rules::API_MODULE_ADDED;
                self.report(rule, rule.severity, || change(rule, module));
            }
        }
        for export in &new.exports {
            if is_reported(export.token) {
                continue;
            }
            if old_modules.contains(export.module) && !old_exports.contains(&(export.module, export.name)) {
                let rule = &rules::API_EXPORT_ADDED;
                self.report(rule, rule.severity, || {
                    change(rule, &format!("{}:{}:{}", new.name, export.module, export.name))
                });
            }
        }
    }

    fn compare_definitions(&mut self) {
        let (old, new) = (self.relations.old.package, self.relations.new.package);
        let mut matched = vec![false; new.definitions.len()];
        for definition in &old.definitions {
            let site = Site::of(old, definition);
            let role = definition.role;
            if let Some(number) = self.relations.new.index.find(role, &definition.token) {
                matched[number] = true;
                self.compare_definition(site, &new.definitions[number]);
                continue;
            }
            let exists = |token: &str| self.relations.new.index.find(role, token).is_some();
            match self.relations.renames.of(&definition.token, exists) {
                Some(token) => {
                    let rule = &rules::API_RENAMED;
                    self.report(rule, rule.severity, || Change {
                        new_token: Some(token.to_owned()),
                        ..site.change(rule)
                    });
                    // A definition that already had this name is compared with itself.
                    let was_there = self.relations.old.index.find(role, token).is_some();
                    if let Some(number) = self.relations.new.index.find(role, token).filter(|_| !was_there) {
                        matched[number] = true;
                        self.compare_definition(site, &new.definitions[number]);
                    }
                }
                None => {
                    let rule = gone(role);
                    self.report(rule, rule.severity, || site.change(rule));
                }
            }
        }
        for (definition, _) in new.definitions.iter().zip(&matched).filter(|(_, is_matched)| !**is_matched) {
            if self.relations.old.index.find(definition.role, &definition.token).is_none() {
                let site = Site::of(new, definition);
                let rule = added(definition.role);
                self.report(rule, rule.severity, || site.change(rule));
            }
        }
    }

    fn compare_definition(&mut self, site: Site<'p, '_>, new: &'p Definition<'_>) {
        let old = site.definition;
        if old.deprecated.is_none() && new.deprecated.is_some() {
            let rule = &rules::API_DEPRECATED;
            let reason = new.deprecated.filter(|reason| !reason.is_empty()).map(str::to_owned);
            let exists =
                |token: &str| token != new.token && self.relations.new.index.find(old.role, token).is_some();
            let new_token = self.relations.renames.of(&old.token, exists).map(str::to_owned);
            self.report(rule, rule.severity, || Change { new: reason, new_token, ..site.change(rule) });
        }
        if old.doc != new.doc {
            let rule = &rules::API_DOC;
            self.report(rule, rule.severity, || site.change(rule));
        }
        if old.language != new.language {
            let rule = &rules::API_LANGUAGE;
            self.report(rule, rule.severity, || site.change(rule));
        }
        if old.is_component != new.is_component {
            let rule = &rules::API_COMPONENT;
            let [from, to] = [old.is_component, new.is_component]
                .map(|is_component| Some(if is_component { "component" } else { "resource" }.to_owned()));
            self.report(rule, rule.severity, || Change { old: from, new: to, ..site.change(rule) });
        }
        if old.base != new.base && old.base.is_some() {
            let rule = &rules::API_BASE;
            let text = |base: Option<&str>| Some(base.unwrap_or("none").to_owned());
            self.report(rule, rule.severity, || Change {
                old: text(old.base),
                new: text(new.base),
                ..site.change(rule)
            });
        }
        for (rule, from, to) in settings::changes(&old.settings, &new.settings) {
            let [old, new] = settings::texts(from, to);
            self.report(rule, rule.severity, || Change { old, new, ..site.change(rule) });
        }
        self.compare_aliases(site, new);
        self.compare_signature(site, new);
        self.compare_methods(site, new);
        self.compare_value_names(site, new);
        self.compare_state(site, new);
        let usage = match old.role {
            Role::Class | Role::Provider | Role::Variable => Direction::Both,
            Role::Function => Direction::Out,
            Role::Type => self.usage.0.of_token(old).or(self.usage.1.of_token(new)).direction(),
        };
        match (old.value, new.value) {
            (Some(old), Some(new)) => self.compare_types(site, Place::Itself, None, (old, new), usage),
            (None, None) => {}
            (old_value, new_value) => {
                let old = Some(value_text(self.relations.old.package, old_value));
                let new = Some(value_text(self.relations.new.package, new_value));
                let rule = &rules::API_TYPE;
                self.report(rule, rule.severity, || Change { old, new, ..site.change(rule) });
            }
        }
        let usage = if old.role == Role::Function { Direction::Both } else { usage };
        self.compare_members(site, None, (old.members, new.members), usage);
    }

    /// Whether a function must be called differently.
    fn compare_signature(&mut self, site: Site<'p, '_>, new: &Definition<'_>) {
        if site.role != Role::Function {
            return;
        }
        let inputs = |package: &'p Package<'_>, of: &Definition<'_>| -> Vec<&'p str> {
            let given = package.members(of.members).iter().filter(|member| member.direction.is_in());
            given.map(|member| member.name).collect()
        };
        let old_names = inputs(self.relations.old.package, site.definition);
        let new_names = inputs(self.relations.new.package, new);
        let is_positional = site.definition.is_positional && new.is_positional;
        // Further parameters are allowed; each is checked for being required.
        let is_other_order = is_positional && !new_names.starts_with(&old_names);
        let is_other_form = site.definition.is_positional != new.is_positional;
        let bag_came_or_went = !is_positional && old_names.is_empty() != new_names.is_empty();
        if is_other_order || is_other_form || bag_came_or_went {
            let text = |names: &[&str]| Some(format!("({})", names.join(", ")));
            let rule = &rules::API_SIGNATURE;
            self.report(rule, rule.severity, || Change {
                old: text(&old_names),
                new: text(&new_names),
                ..site.change(rule)
            });
        }
    }
}

/// Reports a change of the package or of a module.
fn of_whole(rule: &'static ApiRule, token: &str) -> Change {
    Change {
        rule,
        severity: Severity::Info,
        role: None,
        token: token.to_owned(),
        new_token: None,
        place: Place::Itself,
        member: None,
        new_member: None,
        old: None,
        new: None,
        pointer: String::new(),
    }
}

fn tokens<'p>(package: &'p Package<'_>) -> HashSet<&'p str> {
    package.definitions.iter().map(|definition| &*definition.token).collect()
}

/// The text of an optional type.
fn value_text(package: &Package<'_>, value: Option<crate::model::TypeId>) -> String {
    value.map_or_else(|| "no type of its own".to_owned(), |value| type_text(package, value))
}

fn gone(role: Role) -> &'static ApiRule {
    match role {
        Role::Class | Role::Provider => &rules::API_CLASS_GONE,
        Role::Function => &rules::API_FUNCTION_GONE,
        Role::Type => &rules::API_TYPE_GONE,
        Role::Variable => &rules::API_EXPORT_GONE,
    }
}

fn added(role: Role) -> &'static ApiRule {
    match role {
        Role::Class | Role::Provider => &rules::API_CLASS_ADDED,
        Role::Function => &rules::API_FUNCTION_ADDED,
        Role::Type => &rules::API_TYPE_ADDED,
        Role::Variable => &rules::API_EXPORT_ADDED,
    }
}
