//! §14.2 Verifying packages. One walk over the tree, in order of evaluation, checks all rules.

use std::cell::Cell;
use std::collections::HashMap;
use std::ptr;

use super::bodies::Bodies;
use super::conversion::Ty;
use super::listing::Listing;
use super::symbols::{ClassRef, Site, Symbols};
use super::{Finding, Rule, package_rules as rules};
use crate::il::{Class, PackageDialect, SyntaxKind, SyntaxNode, SyntaxWalk, View, WalkEvent};
use crate::limits::MAX_DEPTH;
use crate::limits::MOST_SUGGESTIONS;
use crate::location::Location;
use crate::package::Package;
use crate::suggest::nearest;
use crate::value::Value;

/// All findings in `value`, which should be a package: those of [`verify_package`], if it is an
/// object.
pub fn verify_as_package(value: Value, dependencies: &[&Package]) -> Vec<Finding> {
    match Package::from_value(value) {
        Ok(package) => verify_package(&package, dependencies),
        Err(other) => vec![Finding::new(&rules::TREE_TYPE, "").expected("`object`").found(other.kind_name())],
    }
}

/// All findings in `package`, in the order of a walk over it.
///
/// `dependencies` are packages that tokens may lead into, found by their names. Tokens into a
/// declared dependency that is not given are not checked; a note reports that. In the two oldest
/// dialects names cannot be looked up, so the rules on symbols and types are skipped for them.
///
/// Costs one walk, and memory in proportion to the largest module. Nothing recurses on the depth of
/// the document.
pub fn verify_package(package: &Package, dependencies: &[&Package]) -> Vec<Finding> {
    let mut verifier = Verifier::new(package, dependencies);
    while let Some(step) = verifier.walk.next() {
        match step {
            WalkEvent::Enter(node) => verifier.enter(node),
            WalkEvent::Leave(node) => verifier.leave(node),
        }
    }
    verifier.findings.finish(|more| more)
}

/// The state of one verification.
pub(super) struct Verifier<'a> {
    pub(super) package: &'a Package,
    pub(super) symbols: Symbols<'a>,
    /// The dialect that the package is checked against: the newest that it can be in.
    pub(super) dialect: PackageDialect,
    pub(super) walk: SyntaxWalk<'a>,
    findings: Listing<Finding>,
    suggestions_left: Cell<u32>,
    /// The nodes above the current one, outermost first.
    pub(super) ancestors: Vec<&'a SyntaxNode>,
    /// For the current node and each above it, the nearest source location.
    locations: Vec<Option<&'a Location>>,
    /// The module being walked.
    pub(super) site: Site<'a>,
    /// The class being walked.
    pub(super) class: Option<ClassRef<'a>>,
    pub(super) bodies: Bodies<'a>,
    /// The types of completed expressions and of loaded members, by address, until the module is
    /// left.
    types: HashMap<*const SyntaxNode, Ty<'a>>,
}

impl<'a> Verifier<'a> {
    fn new(package: &'a Package, dependencies: &[&'a Package]) -> Verifier<'a> {
        let symbols = Symbols::new(package, dependencies);
        Verifier {
            package,
            symbols,
            dialect: package.newest_dialect(),
            walk: SyntaxWalk::new(package.root()),
            findings: Listing::default(),
            suggestions_left: Cell::new(MOST_SUGGESTIONS),
            ancestors: Vec::new(),
            locations: Vec::new(),
            site: Site { package: package.name().unwrap_or_default(), module: "" },
            class: None,
            bodies: Bodies::default(),
            types: HashMap::new(),
        }
    }

    fn enter(&mut self, node: &'a SyntaxNode) {
        let around = self.locations.last().copied().flatten();
        self.locations.push(node.location().or(around));
        if self.walk.passes(MAX_DEPTH) {
            self.report_depth(&[]);
        }
        self.check_fields(node);
        let name = self.walk.name();
        match node.kind() {
            SyntaxKind::Module => self.site.module = name,
            SyntaxKind::Class => {
                self.class = Class::of(node).map(|class| ClassRef { class, name, site: self.site });
            }
            _ => {}
        }
        self.check_names(node);
        self.check_definition(node, name);
        self.enter_body(node, name);
        self.ancestors.push(node);
    }

    fn leave(&mut self, node: &'a SyntaxNode) {
        self.ancestors.pop();
        self.leave_body(node);
        self.locations.pop();
        match node.kind() {
            SyntaxKind::Module => {
                self.site.module = "";
                self.types.clear();
            }
            SyntaxKind::Class => self.class = None,
            _ => {}
        }
    }

    /// Whether tokens of this package are looked up (§14.4).
    pub(super) fn resolves(&self) -> bool {
        self.symbols.resolves_from(self.site)
    }

    /// A violation of `rule` by the value at `keys` below the current node, or by the node itself
    /// if `keys` is empty.
    pub(super) fn finding(&self, rule: &'static Rule, keys: &[&str]) -> Finding {
        let mut pointer = self.walk.pointer().clone();
        for key in keys {
            pointer.push_key(key);
        }
        Finding::new(rule, &pointer).from_source(self.locations.last().copied().flatten())
    }

    /// Adds a finding to the list, within its limit.
    pub(super) fn report(&mut self, finding: Finding) {
        self.findings.add(|| finding);
    }

    /// A hint with the name that was probably intended.
    pub(super) fn suggest<'k>(&self, wanted: &str, names: impl Iterator<Item = &'k str>) -> Option<String> {
        self.suggestions_left.set(self.suggestions_left.get().checked_sub(1)?);
        // Among equally near names the first one counts, but the order of a hash map varies.
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        nearest(wanted, names.into_iter()).map(|name| format!("did you mean `{name}`?"))
    }

    /// Whether [`suggest`](Verifier::suggest) still searches.
    pub(super) fn may_suggest(&self) -> bool {
        self.suggestions_left.get() > 0
    }

    /// The type of a completed expression; unknown for `None` and for other nodes.
    pub(super) fn type_of(&self, expression: Option<&SyntaxNode>) -> Ty<'a> {
        expression.and_then(|node| self.known_type(node)).unwrap_or(Ty::Unseen)
    }

    /// The recorded type of an expression, or of a member of a module or class.
    pub(super) fn known_type(&self, node: &SyntaxNode) -> Option<Ty<'a>> {
        self.types.get(&ptr::from_ref(node)).cloned()
    }

    pub(super) fn set_type(&mut self, node: &'a SyntaxNode, ty: Ty<'a>) {
        self.types.insert(ptr::from_ref(node), ty);
    }

    /// Checks packages, modules, exports, classes and members (§14.6), by kind.
    fn check_definition(&mut self, node: &'a SyntaxNode, name: &'a str) {
        match node.view() {
            View::Package(package) => self.check_package(package),
            View::Export(export) => self.check_export(export),
            View::Import(import) => self.check_import(import),
            View::Class(_) => self.check_class(),
            View::ModuleMethod(function) => self.check_module_function(function, name),
            View::ClassProperty(property) => self.check_property(property, name),
            View::ClassMethod(method) => self.check_method(method, name),
            View::LambdaExpression(lambda) => self.check_lambda(lambda),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
