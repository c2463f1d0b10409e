//! A package of a schema that is read by the part: the outline, and then module after module.
//!
//! The outline has the names of all definitions, and what each is. So the modules can be written
//! one after another, each with the text of its own members, and the result is that of the whole
//! schema.

use super::cocopack::{PackageOptions, Writing};
use super::finding::{ConvertError, Finding};
use super::outline::Outline;
use super::plan::Planner;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::event::EventSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use coconut_format::api::{self, Dialect, Package};
use std::collections::HashMap;
use std::ops::Range;

/// How much text is read at a time, unless one module has more.
const BATCH: u64 = 2 << 20;

/// Why a package cannot be made by the part.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError<E> {
    /// The text is no schema, or not fit for this. Reading the whole of it may tell more.
    Unfit,
    /// The text cannot be read.
    Read(E),
    /// As for a schema that is read at once.
    Convert(ConvertError),
}

/// Modules that are read together, with the numbers of their members in the outline.
#[derive(Default)]
struct Batch {
    modules: Vec<(String, Vec<usize>)>,
    members: Vec<usize>,
    bytes: u64,
}

/// Pushes the package of a schema of which there is an outline. `read` appends the bytes of a part
/// of its text. The events and the findings are those of [`push_package`](super::push_package) for
/// the whole schema.
///
/// Takes memory in proportion to the outline and to the largest module.
///
/// # Errors
///
/// Those of `read` and of the sink, and a text that has to be read at once.
pub fn push_package_by_parts<S: EventSink, E>(
    outline: &Outline,
    mut read: impl FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), E>,
    options: PackageOptions<'_>,
    sink: &mut S,
) -> Result<(Dialect, Vec<Finding>), StreamError<E>> {
    let text = outline.with(&[], &mut read).map_err(StreamError::Read)?;
    let document = document(text).ok_or(StreamError::Unfit)?;
    let tree = document.view().tree().map_err(|_| StreamError::Unfit)?;
    let package = api::read(tree.root()).map_err(|_| StreamError::Unfit)?;
    let convert = |error: ConvertError| StreamError::Convert(error);
    let name = options.name_of(&package);
    let mut planner = Planner::new(&package, &name);
    let batches = batches(outline, &package, &planner).ok_or(StreamError::Unfit)?;
    let has_index = batches.iter().flat_map(|batch| &batch.modules).any(|(module, _)| module == "index");
    let mut writing = Writing::begin(sink, &name, options).map_err(|error| convert(error.into()))?;
    for batch in &batches {
        let text = outline.with(&batch.members, &mut read).map_err(StreamError::Read)?;
        let document = self::document(text).ok_or(StreamError::Unfit)?;
        let tree = document.view().tree().map_err(|_| StreamError::Unfit)?;
        let part = api::read(tree.root()).map_err(|_| StreamError::Unfit)?;
        if part.definitions.len() != package.definitions.len() {
            return Err(StreamError::Unfit);
        }
        let mut of_part = planner.with_members(&part);
        for (module, numbers) in &batch.modules {
            let planned = of_part.module(numbers).map_err(convert)?;
            writing.module(module, &planned).map_err(|error| convert(error.into()))?;
        }
        planner.go_on_from(of_part);
    }
    writing.end(&package, has_index).map_err(|error| convert(error.into()))?;
    Ok((package.dialect, planner.findings()))
}

/// The document in a text; `None` for any fault. Compiled, it takes a small part of the memory of
/// owned values.
fn document(text: Vec<u8>) -> Option<DocumentFile<Vec<u8>>> {
    let format = Some(SourceFormat::Json);
    let options = CompileOptions { format, landmarks: LandmarkChoice::None, ..CompileOptions::default() };
    let compiled = compile(&text, &options).ok()?;
    drop(text);
    DocumentFile::from_data(compiled.bytes).ok()
}

/// All modules in order; `None` if a member is no definition.
fn batches(outline: &Outline, package: &Package<'_>, planner: &Planner<'_, '_>) -> Option<Vec<Batch>> {
    let members = outline.members();
    let mut by_pointer: HashMap<&str, usize> =
        members.iter().enumerate().map(|(number, member)| (&*member.pointer, number)).collect();
    if by_pointer.len() != members.len() {
        return None;
    }
    let mut batches: Vec<Batch> = Vec::new();
    for (module, numbers) in planner.modules() {
        let own: Vec<usize> = numbers
            .iter()
            .filter_map(|&number| by_pointer.remove(&*package.pointer(&package.definitions[number])))
            .collect();
        let bytes: u64 =
            own.iter().map(|&number| members[number].range.end - members[number].range.start).sum();
        if batches.last().is_none_or(|last| last.bytes.saturating_add(bytes) > BATCH) {
            batches.push(Batch::default());
        }
        if let Some(last) = batches.last_mut() {
            last.modules.push((module, numbers));
            last.members.extend(own);
            last.bytes = last.bytes.saturating_add(bytes);
        }
    }
    for batch in &mut batches {
        batch.members.sort_unstable();
    }
    by_pointer.is_empty().then_some(batches)
}
