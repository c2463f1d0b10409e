//! Files to modules: each file once, after those that it imports.

use crate::fault::{Fault, FaultCode};
use crate::ids::{ModuleId, ModuleRef};
use crate::manifest::{Manifest, Project};
use crate::packages::{ForeignPackages, Unfound};
use crate::source::{LARGEST_FILE, Source, too_deep};
use crate::target::Target;
use crate::unit::{Module, Unit};
use oxc_allocator::Allocator;
use oxc_ast::ast::{self, Statement};
use oxc_parser::Parser;
use oxc_span::{SourceType, Span};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// The name of the module of helpers, which no file can have.
const LIBRARY: &str = ".lib";

/// Reads the program in `folder`. The faults are in the result.
pub(crate) fn load<'a>(
    arena: &'a Allocator,
    folder: &Path,
    manifest: &Manifest,
    target: Target,
    packages: ForeignPackages,
) -> Unit<'a> {
    let project = Project::read(folder, manifest);
    let unit = Unit::new(arena, target, &manifest.name, project.is_modern, packages);
    let dependencies = manifest.dependencies().map(str::to_owned).collect();
    let mut loader = Loader {
        unit,
        folder,
        dependencies,
        known: HashMap::new(),
        imports: Vec::new(),
        foreign: Vec::new(),
    };
    for file in &project.files {
        let path = normal(file).unwrap_or_else(|| file.clone());
        if !loader.exists(&path) {
            let message = format!("there is no file `{}`", path.display());
            let help = "create it, or list the files of the program under `files` in `tsconfig.json`";
            loader.fault(&path, FaultCode::Read, message, Some(help));
            continue;
        }
        loader.module(&path);
    }
    if !target.is_compatible() {
        loader.library();
    }
    loader.finish()
}

struct Loader<'f, 'a> {
    unit: Unit<'a>,
    folder: &'f Path,
    /// The packages that the manifest names.
    dependencies: Vec<String>,
    /// The modules of files. Those that cannot be loaded, and those being loaded, have none.
    known: HashMap<PathBuf, Option<ModuleId>>,
    /// The files that specifiers name. Some are loaded only after the module that names them.
    imports: Vec<(ModuleId, &'a str, PathBuf)>,
    /// The modules of other packages that specifiers name.
    foreign: Vec<(ModuleId, &'a str, ModuleRef)>,
}

/// A path without `.` and `..`. `None` if it leads out of the package.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.pop() => {}
            Component::Normal(name) => normal.push(name),
            _ => return None,
        }
    }
    Some(normal)
}

/// The path with `/`.
fn shown(path: &Path) -> String {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

impl<'a> Loader<'_, 'a> {
    fn exists(&self, path: &Path) -> bool {
        self.folder.join(path).is_file()
    }

    fn fault(&self, path: &Path, code: FaultCode, message: String, help: Option<&str>) {
        self.unit.faults.borrow_mut().push(Fault {
            code,
            message,
            file: shown(path),
            range: 0..0,
            position: None,
            help: help.map(str::to_owned),
        });
    }

    /// Adds the module of helpers. It is written only if the program uses one.
    fn library(&mut self) {
        let source = Source::new(LIBRARY, include_str!("library.ts"));
        let Some(ast) = self.parse(&source) else { return };
        self.unit.library = Some(ModuleId(self.unit.modules.len()));
        self.unit.modules.push(Module {
            name: LIBRARY,
            token: self.unit.joined(self.unit.package, LIBRARY),
            source,
            ast,
            imports: HashMap::new(),
            values: HashMap::new(),
            types: HashMap::new(),
            exports: Vec::new(),
        });
    }

    /// Loads a file and those that it imports, unless it is known.
    fn module(&mut self, path: &Path) {
        if self.known.contains_key(path) {
            return;
        }
        self.known.insert(path.to_owned(), None);
        let Some(text) = self.text(path) else { return };
        let source = Source::new(self.unit.text(&shown(path)), text);
        let Some(program) = self.parse(&source) else { return };
        let mut specifiers: Vec<(&'a str, Span)> = Vec::new();
        for statement in &program.body {
            let source = match statement {
                Statement::ImportDeclaration(import) => Some(&import.source),
                Statement::ExportNamedDeclaration(export) => export.source.as_ref(),
                Statement::ExportAllDeclaration(export) => Some(&export.source),
                _ => None,
            };
            if let Some(source) = source {
                specifiers.push((source.value.as_str(), source.span));
            }
        }
        let (mut targets, mut foreign) = (Vec::new(), Vec::new());
        for (specifier, span) in specifiers {
            if specifier.starts_with('.') {
                match self.file_of(path, specifier) {
                    Some(file) => {
                        self.module(&file);
                        targets.push((specifier, file));
                    }
                    None => {
                        let message = format!("there is no module `{specifier}`");
                        self.fault_in(&source, span, message, "create the file, or correct the path");
                    }
                }
            } else {
                match self.foreign_of(specifier) {
                    Ok(module) => foreign.push((specifier, module)),
                    Err((message, help)) => self.fault_in(&source, span, message, &help),
                }
            }
        }
        let name = self.unit.text(&shown(&path.with_extension("")));
        let id = ModuleId(self.unit.modules.len());
        self.known.insert(path.to_owned(), Some(id));
        self.foreign.extend(foreign.into_iter().map(|(specifier, module)| (id, specifier, module)));
        self.imports.extend(targets.into_iter().map(|(specifier, file)| (id, specifier, file)));
        self.unit.modules.push(Module {
            name,
            token: self.unit.joined(self.unit.package, name),
            source,
            ast: program,
            imports: HashMap::new(),
            values: HashMap::new(),
            types: HashMap::new(),
            exports: Vec::new(),
        });
    }

    fn finish(mut self) -> Unit<'a> {
        for (module, specifier, file) in self.imports {
            if let Some(Some(target)) = self.known.get(&file) {
                self.unit.modules[module.0].imports.insert(specifier, ModuleRef::Own(*target));
            }
        }
        for (module, specifier, target) in self.foreign {
            self.unit.modules[module.0].imports.insert(specifier, target);
        }
        self.unit
    }

    /// The module of another package that a specifier names: `aws`, `@scope/aws` or `aws/ec2`.
    fn foreign_of(&self, specifier: &str) -> Result<ModuleRef, (String, String)> {
        let unscoped =
            specifier.strip_prefix('@').and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
        let within = |name: &str, package: &str| {
            let rest = name.strip_prefix(package)?;
            match rest.strip_prefix('/') {
                Some(module) => Some(module.to_owned()),
                None => rest.is_empty().then(|| ".default".to_owned()),
            }
        };
        let mut matches: Vec<(&str, String)> = Vec::new();
        for package in &self.dependencies {
            for name in [Some(specifier), unscoped].into_iter().flatten() {
                matches.extend(within(name, package).map(|module| (package.as_str(), module)));
            }
        }
        matches.sort_by_key(|(package, _)| std::cmp::Reverse(package.len()));
        let Some((package, module)) = matches.into_iter().next() else {
            let name = unscoped.unwrap_or(specifier);
            let package = name.split('/').next().unwrap_or(name);
            let help = format!("add `{package}: \"*\"` under `dependencies` in the manifest");
            return Err((format!("`{specifier}` is not a module of a dependency"), help));
        };
        if let Some(module) = self.unit.foreign_module(package, &module) {
            return Ok(module);
        }
        let help = "give its file with `--with`, or put it below `.coconut/packs`".to_owned();
        Err(match self.unit.packages.package(package) {
            Ok(_) => (format!("package `{package}` has no module `{module}`"), help),
            Err(Unfound::Nowhere) => (format!("package `{package}` is not found"), help),
            Err(Unfound::Refused(reason)) => {
                let help = "or give its file with `--with`".to_owned();
                (format!("package `{package}` cannot be used: {reason}"), help)
            }
        })
    }

    fn text(&self, path: &Path) -> Option<&'a str> {
        let read = File::open(self.folder.join(path)).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(LARGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => {
                self.fault(path, FaultCode::Read, format!("cannot read: {error}"), None);
                return None;
            }
        };
        if bytes.len() > LARGEST_FILE {
            let message = format!("the file has more than {LARGEST_FILE} bytes");
            self.fault(path, FaultCode::Read, message, Some("divide it into modules"));
            return None;
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Some(self.unit.text(text)),
            Err(_) => {
                self.fault(
                    path,
                    FaultCode::Read,
                    "the file is not UTF-8".to_owned(),
                    Some("save it as UTF-8"),
                );
                None
            }
        }
    }

    fn fault_in(&self, source: &Source<'a>, span: Span, message: String, help: &str) {
        let code = FaultCode::Module;
        self.unit.faults.borrow_mut().push(located(source, code, span, message, Some(help.to_owned())));
    }

    fn parse(&self, source: &Source<'a>) -> Option<&'a ast::Program<'a>> {
        if let Some(deep) = too_deep(source.text) {
            let at = u32::try_from(deep).unwrap_or(u32::MAX);
            let message = "the program is nested too deeply here".to_owned();
            let help = Some("use variables for parts of it".to_owned());
            let fault = located(source, FaultCode::Depth, Span::new(at, at + 1), message, help);
            self.unit.faults.borrow_mut().push(fault);
            return None;
        }
        let parsed = Parser::new(self.unit.arena, source.text, SourceType::ts()).parse();
        if parsed.errors.is_empty() && !parsed.panicked {
            return Some(self.unit.arena.alloc(parsed.program));
        }
        for error in &parsed.errors {
            let label = error.labels.as_ref().and_then(|labels| labels.first());
            let end = u32::try_from(source.text.len()).unwrap_or(u32::MAX);
            let at = |offset: usize| u32::try_from(offset).unwrap_or(end).min(end);
            let (start, length) = label.map_or((0, 0), |label| (label.offset(), label.len()));
            let span = Span::new(at(start), at(start + length));
            let mut message = error.message.to_string();
            if let Some(first) = message.get(..1) {
                let lower = first.to_lowercase();
                // An abbreviation keeps its letters.
                if message.chars().nth(1).is_some_and(char::is_lowercase) {
                    message.replace_range(..1, &lower);
                }
            }
            let message = message.trim_end_matches('.').to_owned();
            let help = error.help.as_ref().map(ToString::to_string);
            self.unit.faults.borrow_mut().push(located(source, FaultCode::Syntax, span, message, help));
        }
        None
    }

    /// The file that a relative specifier names.
    fn file_of(&self, from: &Path, specifier: &str) -> Option<PathBuf> {
        let folder = from.parent().unwrap_or(Path::new(""));
        let path = normal(&folder.join(specifier))?;
        let stem = specifier.strip_suffix(".js").or(specifier.strip_suffix(".ts"));
        let stem = stem.and_then(|stem| normal(&folder.join(stem)));
        let with = |path: &Path, ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let mut candidates = vec![];
        if !path.as_os_str().is_empty() && !specifier.ends_with('/') {
            candidates.push(with(&path, ".ts"));
        }
        candidates.extend(stem.map(|stem| with(&stem, ".ts")));
        candidates.push(path.join("index.ts"));
        candidates.into_iter().find(|candidate| self.exists(candidate))
    }
}

fn located(source: &Source<'_>, code: FaultCode, span: Span, message: String, help: Option<String>) -> Fault {
    Fault {
        code,
        message,
        file: source.path.to_owned(),
        range: span.start as usize..span.end as usize,
        position: Some(source.position(span.start)),
        help,
    }
}
