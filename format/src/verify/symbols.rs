//! §14.4 Symbols. The targets of tokens, in the package and in its dependencies.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ptr;

use crate::il::{Class, Export, Module, NodeView, PackageDialect, SyntaxKind, SyntaxNode};
use crate::limits::MAX_STEPS;
use crate::names::{PackageName, TokenParts};
use crate::package::Package;

/// The place of a token, from which names are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Site<'a> {
    pub(super) package: &'a str,
    pub(super) module: &'a str,
}

/// The target of a token.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol<'a> {
    Module,
    /// A variable, function or class of a module.
    Member(Member<'a>),
    /// A property or method, and the class that declares it.
    ClassMember(Member<'a>, ClassRef<'a>),
    /// A target in a package that was not given, or below an unknown base class.
    Unseen,
}

/// A definition, its name, and the site from which its own tokens are looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    pub(super) node: &'a SyntaxNode,
    pub(super) name: &'a str,
    pub(super) site: Site<'a>,
}

/// A class. Two are equal if they are the same node.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassRef<'a> {
    pub(super) class: Class<'a>,
    pub(super) name: &'a str,
    pub(super) site: Site<'a>,
}

impl PartialEq for ClassRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.class.node(), other.class.node())
    }
}

impl fmt::Display for ClassRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.site.package, self.site.module, self.name)
    }
}

impl<'a> Member<'a> {
    /// The member as a class, if it is one.
    pub(super) fn as_class(self) -> Option<ClassRef<'a>> {
        Some(ClassRef { class: Class::of(self.node)?, name: self.name, site: self.site })
    }
}

/// The reasons why a token has no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    /// The package is neither this one nor a declared dependency.
    Package,
    Module,
    Member,
    /// The module has the member, but does not export it.
    NotExported,
    ClassMember,
    /// The export refers to itself, through any number of others.
    Cycle,
}

/// The classes from one up to its farthest base.
pub(super) struct Lineage<'a> {
    /// The class itself, then its base, and so on.
    pub(super) classes: Vec<ClassRef<'a>>,
    pub(super) end: LineageEnd,
}

/// The end of a lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineageEnd {
    /// At a class without a base.
    Root,
    /// At a class whose base is unknown here, or after too many classes.
    Unseen,
    /// At a class that is its own base.
    Cycle,
}

/// All modules and members that can be named, by name.
pub(super) struct Symbols<'a> {
    home: &'a str,
    packages: HashMap<&'a str, PackageSymbols<'a>>,
    /// The declared dependencies, given or not.
    declared: HashSet<&'a str>,
    /// The members of every class, by the address of the class and by name.
    class_members: HashMap<*const SyntaxNode, HashMap<&'a str, &'a SyntaxNode>>,
    /// Exports with longer chains than are followed, and whether they lead to a cycle.
    long_exports: LongChains,
    /// The same for classes and their bases.
    long_bases: LongChains,
}

/// Nodes with very long chains, by address, and whether these lead to a cycle. So each step of a
/// long chain is followed once, wherever a search begins.
type LongChains = RefCell<HashMap<*const SyntaxNode, bool>>;

struct PackageSymbols<'a> {
    modules: HashMap<&'a str, ModuleSymbols<'a>>,
    aliases: HashMap<&'a str, &'a str>,
    /// Whether its tokens follow the grammar by which exports are found, as from P3 on.
    has_exports: bool,
}

/// A module that was found, and the site from which its own tokens are looked up.
struct SeenModule<'s, 'a> {
    site: Site<'a>,
    symbols: &'s ModuleSymbols<'a>,
}

struct ModuleSymbols<'a> {
    members: HashMap<&'a str, &'a SyntaxNode>,
    exports: HashMap<&'a str, &'a SyntaxNode>,
}

impl<'a> Symbols<'a> {
    /// The symbols of `package` and of its given dependencies.
    pub(super) fn new(package: &'a Package, dependencies: &[&'a Package]) -> Symbols<'a> {
        let home = package.name().unwrap_or_default();
        let declared = package.dependencies().map(|(name, _)| name).collect();
        let mut packages = HashMap::new();
        for dependency in dependencies {
            packages.insert(dependency.name().unwrap_or_default(), PackageSymbols::new(dependency));
        }
        packages.insert(home, PackageSymbols::new(package));
        let all = dependencies.iter().copied().chain([package]).flat_map(Package::modules);
        let classes = all.flat_map(|(_, module)| module.members()).filter_map(|(_, node)| Class::of(node));
        let class_members =
            classes.map(|class| (ptr::from_ref(class.node()), class.members().collect())).collect();
        let (long_exports, long_bases) = (LongChains::default(), LongChains::default());
        Symbols { home, packages, declared, class_members, long_exports, long_bases }
    }

    /// Whether tokens of the package are looked up. Those of the two oldest dialects are not: their
    /// parts are joined differently, and exports are members.
    pub(super) fn resolves_from(&self, site: Site<'_>) -> bool {
        self.packages.get(site.package).is_some_and(|package| package.has_exports)
    }

    /// Whether the package was given.
    pub(super) fn has_package(&self, name: &PackageName) -> bool {
        self.packages.contains_key(name.as_str())
    }

    /// The target of a qualified token at `site`.
    pub(super) fn resolve(&self, token: TokenParts<'a>, site: Site<'a>) -> Result<Symbol<'a>, Miss> {
        match token {
            TokenParts::Simple { .. } => Ok(Symbol::Unseen),
            TokenParts::Module { package, module } => {
                let found = self.module(package, module, site)?;
                Ok(if found.is_some() { Symbol::Module } else { Symbol::Unseen })
            }
            TokenParts::ModuleMember { package, module, member } => {
                self.member(package, module, member, site)
            }
            TokenParts::ClassMember { package, module, class, member } => {
                match self.member(package, module, class, site)? {
                    Symbol::Member(class) => self.class_member(class, member),
                    Symbol::Unseen => Ok(Symbol::Unseen),
                    Symbol::Module | Symbol::ClassMember(..) => Err(Miss::ClassMember),
                }
            }
        }
    }

    /// A module by name or alias; `None` if its package is not known.
    fn module(
        &self,
        package: &'a str,
        module: &str,
        site: Site<'a>,
    ) -> Result<Option<SeenModule<'_, 'a>>, Miss> {
        match self.packages.get(package) {
            Some(symbols) if symbols.has_exports => {
                let (module, symbols) = symbols.module(module).ok_or(Miss::Module)?;
                Ok(Some(SeenModule { site: Site { package, module }, symbols }))
            }
            Some(_) => Ok(None),
            // The dependencies of a dependency are irrelevant for this package.
            None if site.package != self.home || self.declared.contains(package) => Ok(None),
            None => Err(Miss::Package),
        }
    }

    /// A member of a module: any member from inside, and exported ones from outside.
    fn member(
        &self,
        package: &'a str,
        module: &'a str,
        name: &'a str,
        site: Site<'a>,
    ) -> Result<Symbol<'a>, Miss> {
        let mut passed = Vec::new();
        let token = TokenParts::ModuleMember { package, module, member: name };
        let result = self.follow(token, site, &mut passed);
        let is_cycle = matches!(result, Err(Miss::Cycle));
        let too_far = (passed.len() + 1).saturating_sub(MAX_STEPS);
        if too_far == 0 {
            return result;
        }
        let long = if is_cycle { &passed[..] } else { &passed[..too_far] };
        self.long_exports.borrow_mut().extend(long.iter().map(|node| (ptr::from_ref(*node), is_cycle)));
        if is_cycle { Err(Miss::Cycle) } else { Ok(Symbol::Unseen) }
    }

    /// Follows exports to their target member. Adds them to `passed`.
    fn follow(
        &self,
        mut token: TokenParts<'a>,
        mut site: Site<'a>,
        passed: &mut Vec<&'a SyntaxNode>,
    ) -> Result<Symbol<'a>, Miss> {
        let mut seen = HashSet::new();
        loop {
            let TokenParts::ModuleMember { package, module, member: name } = token else {
                return match token {
                    TokenParts::ClassMember { .. } => Err(Miss::Member),
                    module_or_package => self.resolve(module_or_package, site),
                };
            };
            let Some(module) = self.module(package, module, site)? else { return Ok(Symbol::Unseen) };
            let member = module.symbols.members.get(name);
            if let Some(node) = member.filter(|_| site == module.site) {
                return Ok(Symbol::Member(Member { node, name, site }));
            }
            let missing = if member.is_some() { Miss::NotExported } else { Miss::Member };
            let export = *module.symbols.exports.get(name).ok_or(missing)?;
            match self.long_exports.borrow().get(&ptr::from_ref(export)) {
                Some(true) => return Err(Miss::Cycle),
                Some(false) => return Ok(Symbol::Unseen),
                None if !seen.insert(ptr::from_ref(export)) => return Err(Miss::Cycle),
                None => passed.push(export),
            }
            let referent = Export::of(export).and_then(Export::referent).ok_or(Miss::Member)?;
            token = TokenParts::parse(referent).map_err(|_| Miss::Member)?;
            site = module.site;
        }
    }

    /// The member that the class itself declares under this name.
    pub(super) fn own_member(&self, class: ClassRef<'a>, name: &str) -> Option<&'a SyntaxNode> {
        self.class_members.get(&ptr::from_ref(class.class.node()))?.get(name).copied()
    }

    /// The part of a token that was not found, and the possible names there.
    pub(super) fn alternatives(
        &self,
        miss: Miss,
        token: TokenParts<'a>,
        site: Site<'a>,
    ) -> (&'a str, Vec<&'a str>) {
        let (package, module, member, class_member) = match token {
            TokenParts::Simple { name } => return (name, Vec::new()),
            TokenParts::Module { package, module } => (package, module, "", ""),
            TokenParts::ModuleMember { package, module, member } => (package, module, member, ""),
            TokenParts::ClassMember { package, module, class, member } => (package, module, class, member),
        };
        let modules = self.packages.get(package);
        let seen = self.module(package, module, site).ok().flatten();
        match miss {
            Miss::Module => (module, modules.map_or_else(Vec::new, PackageSymbols::module_names)),
            Miss::ClassMember => {
                let class = match self.member(package, module, member, site) {
                    Ok(Symbol::Member(class)) => class.as_class(),
                    _ => None,
                };
                let lineage = class.map(|class| self.lineage(class).classes).unwrap_or_default();
                let members = lineage.iter().flat_map(|class| class.class.members());
                (class_member, members.map(|(name, _)| name).collect())
            }
            _ => {
                let names = |seen: SeenModule<'_, 'a>| {
                    let map = if seen.site == site { &seen.symbols.members } else { &seen.symbols.exports };
                    map.keys().copied().collect()
                };
                (member, seen.map_or_else(Vec::new, names))
            }
        }
    }

    fn class_member(&self, member: Member<'a>, wanted: &'a str) -> Result<Symbol<'a>, Miss> {
        let class = member.as_class().ok_or(Miss::ClassMember)?;
        let lineage = self.lineage(class);
        for class in lineage.classes {
            if let Some(node) = self.own_member(class, wanted) {
                return Ok(Symbol::ClassMember(Member { node, name: wanted, site: class.site }, class));
            }
        }
        match lineage.end {
            LineageEnd::Unseen => Ok(Symbol::Unseen),
            LineageEnd::Root | LineageEnd::Cycle => Err(Miss::ClassMember),
        }
    }

    /// The class and all its bases.
    pub(super) fn lineage(&self, class: ClassRef<'a>) -> Lineage<'a> {
        let mut classes = vec![class];
        let mut last = class;
        let end = loop {
            let Some(token) = last.class.extends() else { break LineageEnd::Root };
            match self.class_named(token, last.site) {
                None => break LineageEnd::Unseen,
                Some(base) if classes.contains(&base) => break LineageEnd::Cycle,
                Some(base) if classes.len() == MAX_STEPS => match self.leads_to_cycle(base) {
                    true => break LineageEnd::Cycle,
                    false => break LineageEnd::Unseen,
                },
                Some(base) => {
                    classes.push(base);
                    last = base;
                }
            }
        };
        Lineage { classes, end }
    }

    /// Whether the bases of a class form a cycle, however many they are.
    fn leads_to_cycle(&self, class: ClassRef<'a>) -> bool {
        let (mut passed, mut seen) = (Vec::new(), HashSet::new());
        let mut next = Some(class);
        let is_cycle = loop {
            let Some(class) = next else { break false };
            let node = ptr::from_ref(class.class.node());
            if let Some(&known) = self.long_bases.borrow().get(&node) {
                break known;
            }
            if !seen.insert(node) {
                break true;
            }
            passed.push(node);
            next = class.class.extends().and_then(|token| self.class_named(token, class.site));
        };
        self.long_bases.borrow_mut().extend(passed.into_iter().map(|node| (node, is_cycle)));
        is_cycle
    }

    /// The class that a type token names, if it is known.
    pub(super) fn class_named(&self, type_token: &'a str, site: Site<'a>) -> Option<ClassRef<'a>> {
        match self.resolve(TokenParts::parse(type_token).ok()?, site) {
            Ok(Symbol::Member(member)) => member.as_class(),
            _ => None,
        }
    }

    /// Whether objects of `class` are objects of `wanted`, through bases and interfaces at any
    /// depth. Also true if some of these are unknown, so that it cannot be ruled out.
    pub(super) fn may_derive(&self, class: ClassRef<'a>, wanted: ClassRef<'a>) -> bool {
        let mut seen = vec![class];
        let mut next = 0;
        while let Some(&class) = seen.get(next) {
            if class == wanted {
                return true;
            }
            let interfaces = class.class.implements().filter_map(|node| node.text("tok"));
            for token in class.class.extends().into_iter().chain(interfaces) {
                match self.class_named(token, class.site) {
                    None => return true,
                    Some(_) if seen.len() == MAX_STEPS => return true,
                    Some(above) if seen.contains(&above) => {}
                    Some(above) => seen.push(above),
                }
            }
            next += 1;
        }
        false
    }
}

impl<'a> PackageSymbols<'a> {
    fn new(package: &'a Package) -> PackageSymbols<'a> {
        PackageSymbols {
            modules: package.modules().map(|(name, module)| (name, ModuleSymbols::new(module))).collect(),
            aliases: package.aliases().collect(),
            has_exports: package.newest_dialect() >= PackageDialect::P3,
        }
    }

    fn module_names(&self) -> Vec<&'a str> {
        self.modules.keys().chain(self.aliases.keys()).copied().collect()
    }

    /// The module with this name or alias, and its true name.
    fn module(&self, name: &str) -> Option<(&'a str, &ModuleSymbols<'a>)> {
        let true_name = if self.modules.contains_key(name) { name } else { self.aliases.get(name)? };
        self.modules.get_key_value(true_name).map(|(name, module)| (*name, module))
    }
}

impl<'a> ModuleSymbols<'a> {
    fn new(module: Module<'a>) -> ModuleSymbols<'a> {
        let is_definition = |node: &SyntaxNode| node.kind() != SyntaxKind::Export;
        ModuleSymbols {
            members: module.members().filter(|(_, node)| is_definition(node)).collect(),
            exports: module.exports().collect(),
        }
    }
}
