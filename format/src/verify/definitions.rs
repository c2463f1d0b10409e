//! §14.6 Packages, modules and exports.

use super::conversion::TypeMiss;
use std::collections::HashSet;

use super::package::Verifier;
use super::package_rules as rules;
use super::structure::name_finding;
use super::symbols::{Miss, Symbol};
use crate::il::{self, Export, Import, SyntaxNode};
use crate::names::{PackageName, PackageUrl, TokenParts};
use crate::value::Value;

impl<'a> Verifier<'a> {
    /// Checks name, dependencies, aliases and default module.
    pub(super) fn check_package(&mut self, package: il::Package<'a>) {
        if let Some(Err(error)) = package.name().map(PackageName::parse) {
            let finding = self.finding(&rules::PKG_NAME, &["name"]);
            self.report(name_finding(finding, &error));
        }
        self.check_dependencies(package);
        let modules: HashSet<&str> = package.modules().map(|(name, _)| name).collect();
        for (alias, target) in self.package.aliases() {
            if !modules.contains(target) {
                let finding = self.finding(&rules::PKG_ALIAS, &["aliases", alias]);
                let finding = finding.expected("the name of a module").found(format!("`{target}`"));
                self.report(finding.perhaps(self.suggest(target, modules.iter().copied())));
            }
        }
        if let Some(default) = package.default_module().filter(|default| !modules.contains(default)) {
            let finding = self.finding(&rules::PKG_DEFAULT, &["default"]);
            self.report(finding.expected("the name of a module").found(format!("`{default}`")));
        }
    }

    fn check_dependencies(&mut self, package: il::Package<'a>) {
        let dependencies = package.dependencies().and_then(Value::as_object).unwrap_or_default();
        for (name, url) in dependencies {
            match PackageName::parse(name) {
                Err(error) => {
                    let finding = self.finding(&rules::PKG_DEPENDENCY, &["dependencies", name]);
                    self.report(name_finding(finding, &error));
                }
                Ok(name) if !self.symbols.has_package(&name) => {
                    let finding = self.finding(&rules::PKG_ABSENT, &["dependencies", name.as_str()]);
                    self.report(finding.found(format!("`{name}`")));
                }
                Ok(_) => {}
            }
            let Some(url) = url.as_str() else { continue };
            if let Err(error) = PackageUrl::parse(url) {
                let finding = name_finding(self.finding(&rules::PKG_URL, &["dependencies", name]), &error);
                let version = url.trim_start_matches(['^', '~', '>', '=', ' ']);
                self.report(match version.starts_with(|first: char| first.is_ascii_digit()) {
                    true => finding.hint(format!(
                        "a version alone is not a reference: write `{name}#>={version}`, or `*`"
                    )),
                    false => finding,
                });
            }
        }
    }

    /// Checks that the target of an export exists, through any number of modules.
    pub(super) fn check_export(&mut self, export: Export<'a>) {
        self.check_token("referent", export.referent());
    }

    /// Checks that the target of an import exists.
    pub(super) fn check_import(&mut self, import: Import<'a>) {
        self.check_token("referent", import.referent());
    }

    /// Returns the target of a qualified token, or reports that it does not exist.
    ///
    /// Malformed tokens and those of older dialects name an unseen target.
    pub(super) fn check_token(&mut self, key: &str, token: Option<&'a str>) -> Symbol<'a> {
        // A load may name a member of a class whose name is any text.
        let of_text = |token| if key == "name" { TokenParts::of_class_member(token) } else { None };
        let parsed = token.and_then(|token| TokenParts::parse(token).ok().or_else(|| of_text(token)));
        let Some(parts) = parsed.filter(|_| self.resolves()) else { return Symbol::Unseen };
        match self.symbols.resolve(parts, self.site) {
            Ok(symbol) => symbol,
            Err(miss) => {
                self.report_miss(miss, key, parts, token.unwrap_or_default());
                Symbol::Unseen
            }
        }
    }

    fn report_miss(&mut self, miss: Miss, key: &str, parts: TokenParts<'a>, token: &str) {
        let rule = match miss {
            Miss::Package => &rules::SYM_PACKAGE,
            Miss::Module => &rules::SYM_MODULE,
            Miss::Member => &rules::SYM_MEMBER,
            Miss::NotExported => &rules::SYM_EXPORT,
            Miss::ClassMember => &rules::SYM_CLASS_MEMBER,
            Miss::Cycle => &rules::SYM_CYCLE,
        };
        let hint = match miss {
            Miss::Package => Some("declare it in `dependencies`".to_owned()),
            Miss::NotExported => Some("add it to the `exports` of its module".to_owned()),
            Miss::Module | Miss::Member | Miss::ClassMember if self.may_suggest() => {
                let (wanted, names) = self.symbols.alternatives(miss, parts, self.site);
                self.suggest(wanted, names.into_iter())
            }
            _ => None,
        };
        let finding = self.finding(rule, &[key]).found(format!("`{token}`"));
        self.report(finding.perhaps(hint));
    }

    /// Checks that the type of a type token node exists and can be named from here.
    pub(super) fn check_type_token(&mut self, node: &'a SyntaxNode) {
        let Some(token) = node.text("tok") else { return };
        let hint = match self.symbols.resolve_type(token, self.site) {
            Ok(_) | Err(TypeMiss::Syntax(_)) => return,
            Err(TypeMiss::Symbol(Miss::Package)) => "its package is not among the `dependencies`",
            Err(TypeMiss::Symbol(Miss::Module)) => "its package has no such module",
            Err(TypeMiss::Symbol(Miss::NotExported)) => "its module does not export it",
            Err(TypeMiss::Symbol(Miss::Cycle)) => "its module exports it as itself",
            Err(TypeMiss::Symbol(Miss::Member | Miss::ClassMember)) => "its module has no such class",
            Err(TypeMiss::NoPrimitive) => "a class is named by package, module and name",
            Err(TypeMiss::NoClass) => "it names something that is not a class",
        };
        let finding = self.finding(&rules::SYM_TYPE, &["tok"]);
        self.report(finding.found(format!("`{token}`")).hint(hint));
    }
}
