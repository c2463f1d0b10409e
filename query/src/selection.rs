//! The landmarks for which a filter runs.

use crate::steps;
use crate::value::Val;
use crate::view::{Open, Source};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::secrets::{HiddenKeys, Redaction, SECRET};
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::pointer;
use coconut_report::failure::Failure;
use coconut_report::glob::Glob;
use coconut_report::name_filter::NameFilter;
use coconut_report::place::for_each_landmark;
use coconut_report::select::{
    Classes, KeyNumbers, Need, Selected, landmarks_named, numbered, select_all, type_of,
};
use std::collections::HashSet;
use std::rc::Rc;

/// The selection of landmarks for a filter, each with its value as the input.
#[derive(Debug)]
pub struct Wanted {
    keys: Vec<Key>,
    types: NameFilter,
    conditions: Vec<Condition>,
}

#[derive(Debug)]
enum Key {
    Whole(String),
    Pattern(Glob),
}

/// A value below a landmark, and the pattern that its text must match.
#[derive(Debug)]
struct Condition {
    pointer: String,
    pattern: Glob,
}

/// An input of a filter, with the values of its variables `$key` and `$ordinal`.
#[derive(Debug)]
pub struct Input {
    /// The input.
    pub value: Val,
    /// The key of the landmark.
    pub key: Val,
    /// Its number in the document.
    pub ordinal: Val,
}

impl Input {
    /// An input that is not one of several landmarks.
    pub fn only(value: Val) -> Input {
        Input { value, key: Val::Null, ordinal: Val::number(0) }
    }
}

/// The selected landmarks of a document.
#[derive(Debug)]
pub struct Chosen {
    /// The document.
    pub source: Rc<Source>,
    /// The inputs, in document order.
    pub inputs: std::vec::IntoIter<Result<Input, Failure>>,
    /// Whether a landmark has a selected key and type.
    pub is_any: bool,
}

impl Wanted {
    /// Landmarks with one of these keys and one of these types, or all. Of these, each that has a
    /// value that fits every condition `POINTER=GLOB`.
    pub fn of(keys: &[String], types: &[String], conditions: &[String]) -> Result<Wanted, Failure> {
        let key = |text: &String| match text.contains(['*', '?', '{']) {
            true => Glob::new(text).map(Key::Pattern),
            false => Ok(Key::Whole(text.clone())),
        };
        Ok(Wanted {
            keys: keys.iter().map(key).collect::<Result<_, _>>()?,
            types: NameFilter::of_types(types)?,
            conditions: conditions.iter().map(|text| Condition::of(text)).collect::<Result<_, _>>()?,
        })
    }

    /// Whether the landmark is found by an index.
    pub fn is_lookup(&self) -> bool {
        matches!(self.keys[..], [Key::Whole(_)])
    }

    /// The inputs of the filter. If it sees only its input, only the secrets around a single
    /// landmark must be known.
    pub fn inputs(
        &self,
        opened: &Rc<dyn Open>,
        name: &str,
        sees_all: bool,
        reveal: bool,
        most_steps: u64,
    ) -> Result<Chosen, Failure> {
        steps::begin(most_steps);
        let document = opened.view();
        let source = |redaction| Rc::new(Source::new(Rc::clone(opened), name, redaction));
        let mut numbers = KeyNumbers::default();
        if let [Key::Whole(key)] = &self.keys[..] {
            let found: Vec<Selected<'_>> =
                select_all(document, key, Classes::ALL, Need::Way)?.collect::<Result<_, _>>()?;
            let redaction = match (&found[..], sees_all) {
                ([only], false) => Redaction::of_value_in(document, only.landmark, &only.way, reveal)?,
                _ => Redaction::of_document(document, reveal)?,
            };
            let source = source(redaction);
            let (mut inputs, mut is_any) = (Vec::new(), false);
            for selected in &found {
                let place = source.redaction().place_of(&selected.way);
                let value = source.met(selected.value, place)?;
                let is_of_type = match selected.landmark {
                    Some(landmark) => self.types.is_all() || self.types.has(&type_of(landmark)?),
                    None => self.types.is_all(),
                };
                is_any |= is_of_type;
                if is_of_type && self.holds(&value)? {
                    let ordinal = selected.landmark.map(|landmark| landmark.ordinal()).transpose()?;
                    let key = match selected.landmark {
                        // The caller has named it.
                        Some(landmark) => {
                            let key = landmark.key()?;
                            Val::text(numbered(&key, numbers.of(landmark, &key)?))
                        }
                        None => Val::Null,
                    };
                    let ordinal = ordinal.map(|ordinal| Val::from(ordinal as usize)).unwrap_or_default();
                    inputs.push(Ok(Input { value, key, ordinal }));
                }
            }
            return Ok(Chosen { source, inputs: inputs.into_iter(), is_any });
        }
        let named = self.named(document)?;
        let source = source(Redaction::of_document(document, reveal)?);
        let (mut inputs, mut is_any) = (Vec::new(), false);
        let mut chosen = HashSet::new();
        each(&source, |landmark, key, place| {
            if !self.fits(landmark, key, &named)? || has_above(landmark, &chosen)? {
                return Ok(());
            }
            is_any = true;
            let value = source.met(landmark.value()?, place)?;
            if self.holds(&value)? {
                let ordinal = landmark.ordinal()?;
                chosen.insert(ordinal);
                let number = if key == SECRET { None } else { numbers.of(landmark, key)? };
                let key = Val::text(numbered(key, number));
                inputs.push(Ok(Input { value, key, ordinal: Val::from(ordinal as usize) }));
            }
            Ok(())
        })?;
        // All landmarks of a document without any are a valid result.
        let is_any = is_any || self.keys.is_empty() && self.types.is_all();
        Ok(Chosen { source, inputs: inputs.into_iter(), is_any })
    }

    /// The landmarks named by several keys, by number. An error if there are none, and no pattern.
    fn named(&self, document: DocumentView<'_>) -> Result<HashSet<u32>, Failure> {
        let mut named = HashSet::new();
        let mut wanted = Vec::new();
        for key in &self.keys {
            let Key::Whole(key) = key else { continue };
            wanted.push(key);
            let meaning = document.named(key, |_| Ok(true))?;
            for landmark in
                meaning.filter(|meaning| meaning.pointer.is_empty()).iter().flat_map(|m| &m.landmarks)
            {
                named.insert(landmark.ordinal()?);
            }
        }
        match wanted[..] {
            [first, ..] if named.is_empty() && wanted.len() == self.keys.len() => {
                landmarks_named(document, first, Classes::ALL)?;
                let message = "several keys name landmarks; query a value within one of them separately";
                Err(Failure::usage(message))
            }
            _ => Ok(named),
        }
    }

    fn holds(&self, value: &Val) -> Result<bool, Failure> {
        let holds = self.conditions.iter().all(|condition| condition.holds(value));
        steps::check().map(|()| holds)
    }

    fn fits(&self, landmark: LandmarkView<'_>, key: &str, named: &HashSet<u32>) -> Result<bool, DecodeError> {
        let has_key = self.keys.is_empty()
            || named.contains(&landmark.ordinal()?)
            || self.keys.iter().any(|wanted| match wanted {
                Key::Whole(_) => false,
                Key::Pattern(pattern) => pattern.matches(key),
            });
        Ok(has_key && (self.types.is_all() || self.types.has(&type_of(landmark)?)))
    }
}

/// Whether a landmark around this one was selected.
fn has_above(landmark: LandmarkView<'_>, chosen: &HashSet<u32>) -> Result<bool, DecodeError> {
    let mut above = landmark.parent()?;
    while let Some(parent) = above {
        if chosen.contains(&parent.ordinal()?) {
            return Ok(true);
        }
        above = parent.parent()?;
    }
    Ok(false)
}

/// Calls `visit` with each landmark, its key in the form that can be shown, and its place.
fn each(
    source: &Rc<Source>,
    mut visit: impl FnMut(LandmarkView<'_>, &str, Place) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let document: DocumentView<'_> = source.document();
    let redaction = source.redaction();
    if redaction.is_empty() {
        // Finding the place of a landmark requires no earlier part of the document.
        let mut keys = document.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            visit(landmark, key, redaction.places().root())?;
        }
        return Ok(());
    }
    let (hidden, mut along) = (HiddenKeys::of(document, redaction)?, redaction.of_landmarks());
    for_each_landmark::<Failure>(document, |landmark, key, way| {
        let place = along.place_of(way);
        visit(landmark, hidden.shown(landmark, key)?, place)
    })
}

impl Condition {
    fn of(text: &str) -> Result<Condition, Failure> {
        match text.split_once('=') {
            Some((pointer, pattern)) if pointer.is_empty() || pointer.starts_with('/') => {
                Ok(Condition { pointer: pointer.to_owned(), pattern: Glob::new(pattern)? })
            }
            _ => {
                let message = format!("expected POINTER=GLOB, found `{text}`");
                Err(Failure::usage(message)
                    .with_hint("write, for instance, `--where '/outputs/region=eu-*'`"))
            }
        }
    }

    /// Whether the text of the value matches. Lists and objects have no text.
    fn holds(&self, value: &Val) -> bool {
        let Some(keys) = pointer::keys(&self.pointer) else { return false };
        let mut value = value.clone();
        for key in keys {
            match value.step(&key) {
                Some(next) => value = next,
                None => return false,
            }
        }
        match value {
            Val::String(text) => self.pattern.matches(&text),
            Val::List(_) | Val::Object(_) | Val::View(_) => false,
            scalar => self.pattern.matches(&scalar.to_string()),
        }
    }
}
