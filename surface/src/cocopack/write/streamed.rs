//! A package of a schema that is read in parts: first the outline, then each module.
//!
//! The outline has the names and roles of all definitions. So modules can be written one after
//! another, each with the text of its own members, and the result is that of the whole schema. A
//! large module is read twice in parts, because its exports precede its members.

use crate::cocopack::write::plan::Planner;
use crate::cocopack::write::{About, PackageOptions, Writing};
use crate::dialect::Dialect;
use crate::model::Package;
use crate::read::read_whole;
use crate::write::finding::{ConvertError, TranslationFinding};
use crate::write::numbers::Numbers;
use crate::write::outline::{Given, Outline, Section};
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::event::EventSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The amount of text read at a time, unless one definition is longer.
const BATCH: u64 = 2 << 20;

/// The size counted for a definition without text.
const DEFINITION: u64 = 256;

/// The reasons why a package cannot be written in parts.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError<E> {
    /// The text is not a schema, or is not suitable. Reading it as a whole may give a better error.
    Unfit,
    /// The text cannot be read.
    Read(E),
    /// The error is the same as for a schema that is read as a whole.
    Convert(ConvertError),
}

impl<E, C: Into<ConvertError>> From<C> for StreamError<E> {
    fn from(error: C) -> StreamError<E> {
        StreamError::Convert(error.into())
    }
}

/// Pushes the package of a schema that has an outline. `read` appends the bytes of a part of its
/// text. The events and findings are those of [`push_package`](super::push_package) for the whole
/// schema.
///
/// Needs memory in proportion to the outline and to the largest definition.
///
/// # Errors
///
/// Fails if `read` or the sink fails, and if the text must be read as a whole.
pub fn push_package_by_parts<E>(
    outline: &Outline,
    read: impl FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), E>,
    options: PackageOptions<'_>,
    sink: &mut dyn EventSink,
) -> Result<(Dialect, Vec<TranslationFinding>), StreamError<E>> {
    let (mut parts, Whole { name, about, mut planner, works }) = Parts::of(outline, read, options)?;
    let has_index = works.iter().any(Work::has_index);
    let mut writing = Writing::begin(sink, &name, options)?;
    for work in works {
        match work {
            Work::Modules(modules) => {
                let all: Vec<&[usize]> = modules.iter().map(|(_, numbers)| &**numbers).collect();
                parts.plan(&all.concat(), &mut planner, |planner, package, numbers| {
                    for (module, own) in &modules {
                        let mark = planner.mark();
                        let planned = planner.of(package, numbers).module(own)?;
                        writing.module(module, &planned)?;
                        planner.end_module(&mark);
                    }
                    Ok(())
                })?;
            }
            Work::Large(module, batches) => {
                let mark = planner.mark();
                writing.begin_module(&module)?;
                for own in &batches {
                    parts.plan(own, &mut planner, |planner, package, numbers| {
                        let planned = planner.of(package, numbers).module(own)?;
                        Ok(writing.exports(&module, &planned)?)
                    })?;
                }
                planner.rewind(&mark);
                writing.begin_members()?;
                for own in &batches {
                    parts.plan(own, &mut planner, |planner, package, numbers| {
                        let planned = planner.of(package, numbers).module(own)?;
                        Ok(writing.members(&planned)?)
                    })?;
                }
                planner.end_module(&mark);
                writing.end_module()?;
            }
        }
    }
    writing.end(&about, has_index)?;
    Ok((about.dialect, planner.findings()))
}

/// The known facts about the whole schema.
struct Whole {
    /// The name of the package.
    name: String,
    about: About,
    planner: Planner,
    works: Vec<Work>,
}

/// A group of definitions that is read together, by number.
enum Work {
    /// Modules that are read as a whole.
    Modules(Vec<(Rc<str>, Vec<usize>)>),
    /// A module that is read in several parts.
    Large(Rc<str>, Vec<Vec<usize>>),
}

impl Work {
    fn has_index(&self) -> bool {
        match self {
            Work::Modules(modules) => modules.iter().any(|(module, _)| &**module == "index"),
            Work::Large(module, _) => &**module == "index",
        }
    }
}

/// The number of the first definition of a section, and its members.
type SectionPlace = (usize, Range<usize>);

/// A schema that is read in parts.
struct Parts<'o, R> {
    outline: &'o Outline,
    read: R,
    /// The sections, in the order of their definitions.
    sections: Vec<SectionPlace>,
    /// The numbers of the definitions outside all sections.
    others: Vec<usize>,
}

impl<'o, E, R: FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), E>> Parts<'o, R> {
    /// Reads the outline.
    fn of(
        outline: &'o Outline,
        mut read: R,
        options: PackageOptions<'_>,
    ) -> Result<(Parts<'o, R>, Whole), StreamError<E>> {
        let text = outline.with(Given::Stubs, &mut read).map_err(StreamError::Read)?;
        let document = document(text).ok_or(StreamError::Unfit)?;
        let tree = document.view().tree().map_err(|_| StreamError::Unfit)?;
        let package = read_whole(tree.root()).map_err(|_| StreamError::Unfit)?;
        let (sections, others) = places(outline, &package).ok_or(StreamError::Unfit)?;
        let parts = Parts { outline, read, sections, others };
        let name = options.name_of(&package);
        let planner = Planner::new(&package, &name);
        let modules = planner.modules(&package);
        let mut works = Vec::new();
        let mut room = 0;
        for (module, numbers) in modules {
            let mut batches = parts.batches(numbers);
            match (batches.pop(), works.last_mut()) {
                (Some((numbers, size)), Some(Work::Modules(modules)))
                    if batches.is_empty() && size <= room =>
                {
                    modules.push((module, numbers));
                    room -= size;
                }
                (Some((numbers, size)), _) if batches.is_empty() => {
                    works.push(Work::Modules(vec![(module, numbers)]));
                    room = BATCH.saturating_sub(size);
                }
                (last, _) => {
                    let batches = batches.into_iter().chain(last).map(|(numbers, _)| numbers).collect();
                    works.push(Work::Large(module, batches));
                }
            }
        }
        Ok((parts, Whole { name, about: About::of(&package), planner, works }))
    }

    /// Splits the definitions of one module into batches, each with its size.
    fn batches(&self, numbers: Vec<usize>) -> Vec<(Vec<usize>, u64)> {
        let mut batches: Vec<(Vec<usize>, u64)> = Vec::new();
        for number in numbers {
            let length = self.member(number).map_or(0, |member| self.outline.length(member));
            let size = length.saturating_add(DEFINITION);
            match batches.last_mut().filter(|(_, all)| all.saturating_add(size) <= BATCH) {
                Some((batch, all)) => {
                    batch.push(number);
                    *all += size;
                }
                None => batches.push((vec![number], size)),
            }
        }
        batches
    }

    /// The member that contains a definition.
    fn member(&self, number: usize) -> Option<usize> {
        let after = self.sections.partition_point(|(first, _)| *first <= number);
        let (first, members) = self.sections.get(after.checked_sub(1)?)?;
        let member = members.start + (number - first);
        members.contains(&member).then_some(member)
    }

    /// The definitions of some members, and those outside all sections.
    fn numbers(&self, members: &[usize]) -> Vec<usize> {
        let mut numbers = self.others.clone();
        for (first, range) in &self.sections {
            let from = members.partition_point(|&member| member < range.start);
            let own = members[from..].iter().take_while(|&&member| member < range.end);
            numbers.extend(own.map(|member| first + (member - range.start)));
        }
        numbers.sort_unstable();
        numbers
    }

    /// Reads the definitions with these numbers, and plans with them.
    fn plan(
        &mut self,
        own: &[usize],
        planner: &mut Planner,
        plan: impl FnOnce(&mut Planner, &Package<'_>, &Numbers) -> Result<(), ConvertError>,
    ) -> Result<(), StreamError<E>> {
        let outline = self.outline;
        let members = own.iter().filter_map(|&number| self.member(number)).collect();
        let members = outline.with_kept(members);
        let text = outline.with(Given::Only(&members), &mut self.read).map_err(StreamError::Read)?;
        let document = document(text).ok_or(StreamError::Unfit)?;
        let tree = document.view().tree().map_err(|_| StreamError::Unfit)?;
        let package = read_whole(tree.root()).map_err(|_| StreamError::Unfit)?;
        let numbers = self.numbers(&members);
        if numbers.len() != package.definitions.len() {
            return Err(StreamError::Unfit);
        }
        plan(planner, &package, &Numbers::Part(numbers)).map_err(StreamError::Convert)
    }
}

/// The sections in the form of [`Parts`], and the definitions outside them; `None` if a member is
/// not a definition.
fn places(outline: &Outline, package: &Package<'_>) -> Option<(Vec<SectionPlace>, Vec<usize>)> {
    let sections = outline.sections().iter().filter(|section| !section.members.is_empty());
    let by_first: HashMap<String, &Section> =
        sections.map(|section| (outline.pointer(section, section.members.start), section)).collect();
    let (mut places, mut others, mut number) = (Vec::new(), Vec::new(), 0);
    while let Some(definition) = package.definitions.get(number) {
        let Some(section) = by_first.get(&package.pointer(definition)) else {
            others.push(number);
            number += 1;
            continue;
        };
        places.push((number, section.members.clone()));
        for member in section.members.clone() {
            let definition = package.definitions.get(number)?;
            (package.pointer(definition) == outline.pointer(section, member)).then_some(())?;
            number += 1;
        }
    }
    (places.len() == by_first.len()).then_some((places, others))
}

/// The document in a text; `None` on any fault. In compiled form it takes a small part of the
/// memory of owned values.
fn document(text: Vec<u8>) -> Option<DocumentFile<Vec<u8>>> {
    let options = CompileOptions::default().format(SourceFormat::Json).landmarks(LandmarkChoice::None);
    let compiled = compile(&text, &options).ok()?;
    drop(text);
    DocumentFile::from_data(compiled.bytes).ok()
}
