//! Several schemas as one: resource types of the CloudFormation registry, and resource definitions
//! of Kubernetes, each in a separate file.

use super::{Shown, compiled};
use coconut_codec::compile::{CompileOptions, LandmarkChoice};
use coconut_codec::event::{EventSink, SinkError, push};
use coconut_codec::write::interner::Interner;
use coconut_format::Value;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{Access, Opened, Storage, open, open_checked};
use coconut_shell::sources::{Source, expanded};
use coconut_surface::Dialect;
use std::path::{Path, PathBuf};

/// One schema, and the origin of its parts.
pub(super) struct Joined {
    pub(super) opened: Opened,
    pub(super) places: Places,
}

/// The origin of each item of the list: the name of the file, and the index there if the file is a
/// list, too.
pub(super) struct Places(Vec<(String, Option<usize>)>);

/// The schemas of several files and folders as a list.
pub(super) fn joined(arguments: &[PathBuf], console: &mut Console) -> Result<Joined, Failure> {
    let mut interner = Interner::new();
    let mut items = Vec::new();
    let mut dialect = None;
    interner.begin_list()?;
    for Source { path, fault } in expanded(arguments, Path::is_dir) {
        if let Some(fault) = fault {
            return Err(fault);
        }
        let opened = open(&path, Access::Whole, console)?;
        let in_file = |failure: Failure| failure.in_file(&opened.name);
        let tree = opened.view().tree().map_err(|error| in_file(error.into()))?;
        let own = Dialect::of(tree.root()).filter(|own| may_be_several(*own));
        let fits = own.is_some() && dialect.is_none_or(|first| Some(first) == own);
        if !fits && arguments.contains(&path) {
            let found = own.map_or("something else", Dialect::described);
            let message = format!("expected {}, found {found}", expected(dialect));
            let failure = Failure::new(Exit::Decode, coconut_format::code::SOURCE, message);
            return Err(in_file(failure).with_hint("only these have several files for one package"));
        }
        if !fits {
            console.note(&format!("{} is of another kind, and is skipped", opened.name));
            continue;
        }
        dialect = own;
        push_all(tree.root().to_value(), &opened.name, &mut items, &mut interner)
            .map_err(|error| in_file(error.into()))?;
    }
    if items.is_empty() {
        return Err(Failure::usage("there are no schemas in the given folders"));
    }
    interner.end_list()?;
    let options = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
    let bytes = compiled(&interner.finish()?, &options)?;
    let name = arguments.first().map_or_else(String::new, |path| path.to_string_lossy().into_owned());
    let opened = open_checked(Storage::new(bytes), &name, true)?;
    Ok(Joined { opened, places: Places(items) })
}

/// Whether a package may contain several schemas of this dialect.
fn may_be_several(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::CloudFormation | Dialect::KubernetesCrd)
}

fn expected(first: Option<Dialect>) -> &'static str {
    first.map_or("resource types of CloudFormation or resource definitions of Kubernetes", Dialect::described)
}

/// Pushes a schema, or those of a list.
fn push_all(
    root: Value,
    name: &str,
    items: &mut Vec<(String, Option<usize>)>,
    sink: &mut Interner,
) -> Result<(), SinkError> {
    let Value::List(several) = root else {
        items.push((name.to_owned(), None));
        return push(&root, sink);
    };
    for (index, one) in several.iter().enumerate() {
        items.push((name.to_owned(), Some(index)));
        push(one, sink)?;
    }
    Ok(())
}

impl Places {
    /// A finding with its place in its own file.
    pub(super) fn placed(&self, mut finding: Shown) -> Shown {
        let mut parts = finding.pointer.splitn(3, '/').skip(1);
        let number = parts.next().and_then(|number| number.parse::<usize>().ok());
        if let Some((name, index)) = number.and_then(|number| self.0.get(number)) {
            let rest = parts.next().map(|rest| format!("/{rest}")).unwrap_or_default();
            finding.file = Some(name.clone());
            finding.pointer = index.map_or_else(|| rest.clone(), |index| format!("/{index}{rest}"));
        }
        finding
    }
}
