//! Compiles programs in a subset of TypeScript to packages.
//!
//! A program is a folder with a manifest, `Coconut.yaml`, and modules. [`build`] reads them, and
//! pushes one package, whose modules are trees of CocoIL.
//!
//! ```
//! use cocojs::{Options, build};
//! use coconut_codec::event::ValueSink;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("Coconut.yaml"), "name: greeting\n")?;
//! std::fs::write(folder.path().join("index.ts"), "export const text: string = \"hello\";\n")?;
//! let mut package = ValueSink::new();
//! build(folder.path(), &Options::default(), &mut package).map_err(|faults| faults[0].clone())?;
//! let package = package.finish().expect("it is a package");
//! assert_eq!(package.get("name").and_then(|name| name.as_str()), Some("greeting"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod annotate;
mod declare;
mod emit;
mod fault;
mod foreign;
mod ids;
mod il;
mod infer;
mod load;
mod lower;
mod manifest;
mod packages;
mod pruning;
mod source;
mod static_type;
mod target;
mod type_names;
mod unit;

pub use fault::{Fault, FaultCode};
pub use source::Position;
pub use target::Target;

use coconut_codec::event::{EventSink, SinkError, ValueSink};
use coconut_codec::loader::SearchPath;
use coconut_format::Value;
use coconut_format::verify::{Finding, Severity, verify_as_package};
use ids::ModuleId;
use manifest::Manifest;
use oxc_allocator::Allocator;
use packages::ForeignPackages;
use std::path::{Path, PathBuf};
use std::thread;
use unit::Unit;

/// The options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The form of the package.
    pub target: Target,
    /// Files of packages that the program uses. Others are found by name.
    pub packages: Vec<PathBuf>,
    /// Refuse packages found by name that `coco.lock` does not have.
    pub is_locked: bool,
}

/// The stack of the compiler, which is recursive: enough for the largest file. Only what is used of
/// it takes memory.
const STACK: usize = 2 << 30;

/// Compiles the program in `folder`, and pushes its package.
///
/// # Errors
///
/// All faults of the program, in the order of their files and places. `sink` may have received a
/// part of the package.
pub fn build<S: EventSink + Send>(folder: &Path, options: &Options, sink: &mut S) -> Result<(), Vec<Fault>> {
    thread::scope(|scope| {
        let compiler =
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || compile(folder, options, sink));
        match compiler.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                Err(vec![whole(folder, FaultCode::Read, format!("cannot start a thread: {error}"))])
            }
        }
    })
}

fn whole(folder: &Path, code: FaultCode, message: String) -> Fault {
    Fault { code, message, file: folder.display().to_string(), range: 0..0, position: None, help: None }
}

fn compile<S: EventSink>(folder: &Path, options: &Options, sink: &mut S) -> Result<(), Vec<Fault>> {
    let manifest = Manifest::read(folder).map_err(|fault| vec![*fault])?;
    let arena = Allocator::default();
    let search = SearchPath::for_user(folder);
    let search = if options.is_locked { search.locked() } else { search };
    let packages = ForeignPackages::new(search, &options.packages, &manifest)
        .map_err(|message| vec![whole(folder, FaultCode::Module, message)])?;
    let mut unit = load::load(&arena, folder, &manifest, options.target, packages);
    declare::declare_all(&mut unit);
    let own = || (0..unit.modules.len()).map(ModuleId).filter(|id| unit.library != Some(*id));
    if !options.target.is_compatible() {
        own().for_each(|id| type_names::check(&unit, id));
    }
    let mut modules: Vec<_> = own().map(|id| (id, lower::lower_module(&unit, id))).collect();
    if let Some(library) = unit.library.filter(|_| unit.uses_helpers.get()) {
        let mut lowered = lower::lower_module(&unit, library);
        let own: Vec<_> = modules.iter().map(|(_, module)| module).collect();
        pruning::prune(&mut lowered, &own, &format!("{}:", unit.module(library).token));
        modules.push((library, lowered));
    }
    let mut faults = unit.faults.take();
    if !faults.is_empty() {
        faults.sort_by_cached_key(|fault| {
            let module = unit.modules.iter().position(|module| module.source.path == fault.file);
            (module, fault.range.start)
        });
        return Err(faults);
    }
    let mut push_to_sink = || {
        push(&manifest, &unit, &modules, sink).map_err(|error| {
            vec![whole(folder, FaultCode::Depth, format!("the package cannot be written: {error}"))]
        })
    };
    if options.target.is_compatible() {
        return push_to_sink();
    }
    let mut package = ValueSink::new();
    let pushed = push(&manifest, &unit, &modules, &mut package);
    let package = pushed.ok().and_then(|()| package.finish());
    // Verification takes about as long as writing, and needs nothing but the package.
    let (findings, result) = thread::scope(|scope| {
        let verification =
            scope.spawn(move || package.map(|package| verify_as_package(package, &[])).unwrap_or_default());
        let result = push_to_sink();
        match verification.join() {
            Ok(findings) => (findings, result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    let faults = faults_of(&unit, findings);
    if faults.is_empty() { result } else { Err(faults) }
}

/// The errors that verification found in a package, in the order of their places.
fn faults_of(unit: &Unit<'_>, findings: Vec<Finding>) -> Vec<Fault> {
    let errors = findings.into_iter().filter(|finding| finding.severity() == Severity::Error);
    let fault = |finding: Finding| {
        let place = finding.location.as_ref().and_then(|location| {
            let file = location.file.as_deref()?;
            let source =
                unit.modules.iter().map(|module| &module.source).find(|source| source.path == file)?;
            let position = Position { line: location.start.line, column: location.start.column };
            Some((source, position, source.offset(position) as usize))
        });
        Fault {
            code: FaultCode::Rule(finding.rule.id),
            message: finding.message(),
            file: place.as_ref().map_or_else(|| finding.path.clone(), |(source, ..)| source.path.to_owned()),
            range: place.as_ref().map_or(0..0, |(.., offset)| *offset..*offset),
            position: place.map(|(_, position, _)| position),
            help: finding.hint,
        }
    };
    errors.map(fault).collect()
}

/// Pushes the manifest, the modules and their aliases.
fn push<S: EventSink>(
    manifest: &Manifest,
    unit: &Unit<'_>,
    modules: &[(ModuleId, il::Node<'_>)],
    sink: &mut S,
) -> Result<(), SinkError> {
    let library = unit.target.library();
    let is_added = unit.uses_library.get() && manifest.dependencies().all(|name| name != library);
    sink.begin_object()?;
    for (key, value) in &manifest.entries {
        sink.key(key)?;
        match (key.as_str(), value) {
            ("dependencies", Value::Object(entries)) if is_added => {
                sink.begin_object()?;
                for (name, value) in entries {
                    sink.key(name)?;
                    coconut_codec::event::push(value, sink)?;
                }
                sink.key(library)?;
                sink.string("*")?;
                sink.end_object()?;
            }
            _ => coconut_codec::event::push(value, sink)?,
        }
    }
    if is_added && manifest.entry("dependencies").is_none() {
        sink.key("dependencies")?;
        sink.begin_object()?;
        sink.key(library)?;
        sink.string("*")?;
        sink.end_object()?;
    }
    sink.key("modules")?;
    sink.begin_object()?;
    for (id, node) in modules {
        let module = unit.module(*id);
        sink.key(module.name)?;
        emit::push_node(node, &module.source, sink)?;
    }
    sink.end_object()?;
    sink.key("aliases")?;
    sink.begin_object()?;
    for module in &unit.modules {
        let alias = match module.name {
            "index" => Some(".default"),
            name => name.strip_suffix("/index"),
        };
        if let Some(alias) = alias {
            sink.key(alias)?;
            sink.string(module.name)?;
        }
    }
    sink.end_object()?;
    sink.end_object()
}
