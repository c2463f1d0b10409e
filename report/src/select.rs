//! §8.5 Finds the value with a given name: a key, a class if the key is ambiguous, a JSON pointer.

use crate::code;
use crate::failure::Failure;
use crate::json::text;
use crate::place::{follow, pointer_of};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::graph::{GraphView, ResourceView};
use coconut_codec::read::lookup::{Keys, LandmarkView};
use coconut_codec::read::lookup::{Named as Meaning, NamedBy, Step, Ways};
use coconut_codec::read::view::{Content, ValueView};
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::landmark::{LandmarkRule, Pattern, Segment, Step as PatternStep};
use coconut_format::pointer::unescape;
use coconut_format::suggest::{COMPARED, near_keys};
use coconut_format::truncated::Truncated;
use std::borrow::Cow;
use std::collections::HashMap;

/// The maximum number of keys shown for an object that lacks the requested key.
const SHOWN: usize = 8;

/// The number of keys that are compared for an error message. More would take too long.
const KEYS: usize = 100_000;

/// The maximum number of landmarks shown with the same key, and of bytes of their pointers.
const CANDIDATES: usize = 1000;
const CANDIDATES_TEXT: usize = 1 << 20;

/// Classes of landmarks, by number or by name.
///
/// The name of a class is its pattern (`/modules/*`), or the last word of the pattern (`modules`),
/// which may match several classes.
#[derive(Clone, Copy, Debug)]
pub struct Classes(u32);

impl Classes {
    /// All classes.
    pub const ALL: Classes = Classes(u32::MAX);

    /// The classes with this name.
    ///
    /// Without a name, the rule of the document is not read.
    pub fn named(document: DocumentView<'_>, name: Option<&str>) -> Result<Classes, Failure> {
        let Some(name) = name else { return Ok(Classes::ALL) };
        Classes::of_rule(document.header().rule()?, name)
    }

    fn of_rule(rule: &LandmarkRule, name: &str) -> Result<Classes, Failure> {
        let mut classes = 0;
        for (class, pattern) in (0u32..).zip(rule.patterns()) {
            let is_meant =
                name == class.to_string() || name == pattern.to_string() || name == word_of(pattern);
            classes |= u32::from(is_meant) << class;
        }
        match classes {
            0 => {
                let known = (0u32..).zip(rule.patterns());
                let known = known.map(|(class, pattern)| format!("{class} {} {pattern}", word_of(pattern)));
                let known: Vec<String> = known.collect();
                let failure = Failure::usage(format!("no class `{}`", Truncated(name)));
                let failure = failure.with_list("classes", known.iter().map(text).collect(), known);
                Err(failure.with_hint("use the number, word or pattern of a class:"))
            }
            classes => Ok(Classes(classes)),
        }
    }

    /// Whether landmarks of this class are selected.
    pub fn contains(self, class: u8) -> bool {
        self.0 >> class & 1 == 1
    }

    /// Whether all classes are selected, so no comparison is needed.
    pub fn is_all(self) -> bool {
        self.0 == u32::MAX
    }
}

/// The last word of a pattern; `root` for the root itself.
pub fn word_of(pattern: &Pattern) -> String {
    let segments = pattern.path().steps().iter().flat_map(|step| match step {
        PatternStep::One(segment) => std::slice::from_ref(segment),
        PatternStep::Repeat(segments) => segments.as_slice(),
    });
    let mut words = segments.filter_map(|segment| match segment {
        Segment::Entry(word) | Segment::OnlyEntry(word) => Some(word.as_str()),
        Segment::Any => None,
    });
    words.next_back().unwrap_or("root").to_owned()
}

/// Whether the path from the root is needed, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The value alone, found by an index. Its path is empty.
    Value,
    /// Also the path, for its pointer and the secrets around the value. Costs skipping everything
    /// before the value.
    Way,
}

/// A selected value.
#[derive(Clone, Debug)]
pub struct Selected<'a> {
    /// The landmark that contains it, unless it was selected from the root.
    pub landmark: Option<LandmarkView<'a>>,
    /// The path from the root.
    pub way: Vec<Step<'a>>,
    /// The value itself.
    pub value: ValueView<'a>,
    /// The number of steps found by the key. The caller has named the steps after these.
    found: usize,
}

/// The values with a name, in document order. Each is found on demand, because the paths to many of
/// them can be long.
pub struct Named<'a> {
    document: DocumentView<'a>,
    /// The remaining landmarks with this name.
    landmarks: std::vec::IntoIter<LandmarkView<'a>>,
    /// Whether the name is a pointer from the root that was not followed yet.
    from_root: bool,
    pointer: String,
    ways: Ways<'a>,
    /// Whether there is only one landmark.
    is_one: bool,
    need: Need,
    /// The secrets at which values end. Their contents do not matter then.
    ends: Option<&'a Redaction>,
}

impl<'a> Iterator for Named<'a> {
    type Item = Result<Selected<'a>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if std::mem::take(&mut self.from_root) {
            return Some(below(self.document, None, Vec::new(), self.pointer_from(&[])));
        }
        let landmark = self.landmarks.next()?;
        if self.need == Need::Value {
            match landmark.value().and_then(|value| value.pointer(&self.pointer)) {
                Ok(Some(value)) => {
                    return Some(Ok(Selected { landmark: Some(landmark), way: Vec::new(), value, found: 0 }));
                }
                // The message about the value needs the path.
                Ok(None) => {}
                Err(error) => return Some(Err(error.into())),
            }
        }
        let way = self.way_to(landmark);
        Some(way.and_then(|way| {
            let pointer = self.pointer_from(&way);
            below(self.document, Some(landmark), way, pointer)
        }))
    }
}

impl<'a> Named<'a> {
    /// The pointer from the end of `way`, up to the first secret if values end there.
    fn pointer_from(&self, way: &[Step<'a>]) -> &str {
        let Some(secrets) = self.ends else { return &self.pointer };
        let before = pointer_of(way);
        let end = secrets.cut(&format!("{before}{}", self.pointer)).len();
        &self.pointer[..end.saturating_sub(before.len())]
    }

    /// The path to a landmark. A single landmark is found by the index if possible: then earlier
    /// landmarks are not read, and may be damaged.
    fn way_to(&mut self, landmark: LandmarkView<'a>) -> Result<Vec<Step<'a>>, Failure> {
        if self.is_one
            && let Some(way) = landmark.indexed_way()?
        {
            return Ok(way);
        }
        Ok(self.ways.next_to(landmark)?.to_vec())
    }
}

/// All values that `name` denotes: `KEY`, `KEY/json/pointer`, a short form of a key, or
/// `/json/pointer` from the root.
///
/// Keys may contain slashes, so the longest key in the document counts. If there is no such key,
/// the error lists similar keys. If the pointer leads nowhere, the value is an error.
pub fn select_all<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
    need: Need,
) -> Result<Named<'a>, Failure> {
    let meaning = meaning_of(document, name, classes)?;
    values_of(document, name, meaning, classes, need)
}

fn values_of<'a>(
    document: DocumentView<'a>,
    name: &str,
    meaning: Option<Meaning<'a>>,
    classes: Classes,
    need: Need,
) -> Result<Named<'a>, Failure> {
    let from_root = meaning.is_none();
    if from_root && !name.is_empty() && !name.starts_with('/') {
        return Err(missing_key(document, name, classes)?);
    }
    let (landmarks, pointer) = match meaning {
        Some(meaning) => (meaning.landmarks, meaning.pointer),
        None => (Vec::new(), name.to_owned()),
    };
    let (is_one, ways) = (landmarks.len() == 1, Ways::from_root(document));
    let landmarks = landmarks.into_iter();
    Ok(Named { document, landmarks, from_root, pointer, ways, is_one, need, ends: None })
}

/// The values that `name` denotes for a caller who must not see the contents of secrets. A pointer
/// ends at a secret, and landmarks with hidden keys are treated as missing.
pub fn select_shown<'a>(
    document: DocumentView<'a>,
    name: &str,
    hidden: &HiddenKeys,
    secrets: &'a Redaction,
) -> Result<Named<'a>, Failure> {
    let meaning = shown_meaning(document, name, hidden)?;
    let named = values_of(document, name, meaning, Classes::ALL, Need::Way)?;
    Ok(Named { ends: Some(secrets), ..named })
}

/// `name` without its part inside a secret.
pub fn shown_name<'n>(
    document: DocumentView<'_>,
    name: &'n str,
    hidden: &HiddenKeys,
    secrets: &Redaction,
) -> Result<&'n str, Failure> {
    let values = select_shown(document, name, hidden, secrets)?;
    let Some(meaning) = shown_meaning(document, name, hidden)? else { return Ok(secrets.cut(name)) };
    let is_secret = values.filter_map(Result::ok).any(|value| secrets.place_of(&value.way) == Place::Inside);
    Ok(if is_secret { name.strip_suffix(&*meaning.pointer).unwrap_or(name) } else { name })
}

fn shown_meaning<'a>(
    document: DocumentView<'a>,
    name: &str,
    hidden: &HiddenKeys,
) -> Result<Option<Meaning<'a>>, DecodeError> {
    if is_pointer_alone(document, name) {
        return Ok(None);
    }
    document.named(name, |landmark| Ok(!hidden.has(*landmark)?))
}

/// The one value that `name` denotes. Several values are an error.
pub fn select_one<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
    need: Need,
) -> Result<Selected<'a>, Failure> {
    // Whether the key is ambiguous must not depend on the target of the pointer in each landmark.
    let meaning = meaning_of(document, name, classes)?;
    if let Some(meaning) = meaning.as_ref().filter(|meaning| meaning.landmarks.len() > 1) {
        return Err(ambiguous(document, name, meaning)?);
    }
    let only = values_of(document, name, meaning, classes, need)?.next();
    only.unwrap_or_else(|| {
        Err(Failure::negative(code::KEY_MISSING, format!("no landmark has the key `{}`", Truncated(name))))
    })
}

/// The landmarks to which `name` refers: one, or all instances of a resource. A name that begins
/// with `/` and is not a key is a JSON pointer from the root to a landmark, or into one.
pub fn landmarks_named<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
) -> Result<Vec<LandmarkView<'a>>, Failure> {
    match meaning_of(document, name, classes)? {
        Some(meaning) if meaning.landmarks.len() > 1 && !means_instances(&meaning)? => {
            Err(ambiguous(document, name, &meaning)?)
        }
        Some(meaning) => {
            let landmarks = meaning.landmarks.clone();
            if !meaning.pointer.is_empty() {
                // A pointer without a target is an error, as in `get`.
                let values = values_of(document, name, Some(meaning), classes, Need::Value)?;
                let results: Vec<_> = values.collect();
                if results.iter().all(Result::is_err) {
                    results.into_iter().next().transpose()?;
                }
            }
            Ok(landmarks)
        }
        None if name.starts_with('/') => landmark_at(document, name).map(|landmark| vec![landmark]),
        None => {
            let named = document.get_all(name)?;
            match named.is_empty() {
                false => Ok(named),
                true => Err(missing_key(document, name, classes)?),
            }
        }
    }
}

/// Whether several landmarks are the instances of one resource.
fn means_instances(meaning: &Meaning<'_>) -> Result<bool, DecodeError> {
    match meaning.by {
        NamedBy::Address => Ok(true),
        NamedBy::Attribute => {
            let mut resources = Vec::new();
            for landmark in &meaning.landmarks {
                resources.push(landmark.resource()?.offset());
            }
            resources.dedup();
            Ok(resources.len() == 1)
        }
        _ => Ok(false),
    }
}

/// The innermost landmark around the value at a JSON pointer from the root.
fn landmark_at<'a>(document: DocumentView<'a>, pointer: &str) -> Result<LandmarkView<'a>, Failure> {
    let selected = below(document, None, Vec::new(), pointer)?;
    let mut found = None;
    for landmark in document.landmarks()? {
        let landmark = landmark?;
        if landmark.offset() > selected.value.offset() {
            break;
        }
        let value = landmark.value()?.offset();
        if selected.way.iter().any(|(_, around)| around.offset() == value) {
            found = Some(landmark);
        }
    }
    found.ok_or_else(|| {
        let message = format!("the value at `{}` is not in a landmark", Truncated(pointer));
        Failure::negative(code::KEY_MISSING, message).with_hint("`ls` lists the landmarks")
    })
}

/// The landmarks of these classes with this name.
fn meaning_of<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
) -> Result<Option<Meaning<'a>>, DecodeError> {
    if is_pointer_alone(document, name) {
        return Ok(None);
    }
    document.named(name, |landmark| Ok(classes.is_all() || classes.contains(landmark.class()?)))
}

/// Whether a name can only be a pointer, since this version does not understand the rule of the
/// document and so knows no keys (§5.12).
fn is_pointer_alone(document: DocumentView<'_>, name: &str) -> bool {
    (name.is_empty() || name.starts_with('/')) && document.header().rule().is_err()
}

/// The path from the root along a JSON pointer.
pub fn select_pointer<'a>(document: DocumentView<'a>, pointer: &str) -> Result<Vec<Step<'a>>, Failure> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        let message = format!("`{}` is not a JSON pointer", Truncated(pointer));
        return Err(Failure::usage(message).with_hint("a JSON pointer is empty or begins with `/`"));
    }
    below(document, None, Vec::new(), pointer).map(|selected| selected.way)
}

/// The value at `pointer` below the end of `way`.
fn below<'a>(
    document: DocumentView<'a>,
    landmark: Option<LandmarkView<'a>>,
    mut way: Vec<Step<'a>>,
    pointer: &str,
) -> Result<Selected<'a>, Failure> {
    let found = way.len();
    let start = way.last().map_or(document.root(), |(_, value)| *value);
    match follow(start, pointer)? {
        Ok(steps) => {
            way.extend(steps);
            let value = way.last().map_or(document.root(), |(_, value)| *value);
            Ok(Selected { landmark, way, value, found })
        }
        Err((reached, value)) => {
            let mut segments = pointer.split('/');
            let followed: Vec<&str> = segments.by_ref().take(reached + 1).collect();
            way.extend(follow(start, &followed.join("/"))?.unwrap_or_default());
            let redaction = Redaction::of_value(document, &way, false)?;
            let path = redaction.pointer(&way, found);
            let wanted = unescape(segments.next().unwrap_or_default());
            // Everything in a secret is secret. With `--reveal` it can be printed.
            if redaction.hides(&pointer_of(&way)) {
                let message = format!("the value, which is secret, has no entry `{}`", Truncated(&wanted));
                return Err(Failure::negative(code::PATH_MISSING, message).at_path(path));
            }
            Err(missing_entry(value, &path, &wanted)?)
        }
    }
}

/// The failure for a missing entry or item `wanted` of the value at `path`, with the existing ones.
fn missing_entry(value: ValueView<'_>, path: &str, wanted: &str) -> Result<Failure, DecodeError> {
    let failure = |message: String| Failure::negative(code::PATH_MISSING, message).at_path(path);
    Ok(match value.content()? {
        Content::Object(object) => {
            let failure = failure(format!("the object has no entry `{}`", Truncated(wanted)));
            // Written one by one: very many keys can be one long text of the string table.
            let mut fault = None;
            let mut keys = object.iter().map_while(|entry| entry.map_err(|error| fault = Some(error)).ok());
            let first: Vec<String> = keys.by_ref().take(SHOWN).map(|(key, _)| key.to_owned()).collect();
            let others = keys.filter(|(key, _)| key.len() <= COMPARED).map(|(key, _)| key.to_owned());
            let near = near_keys(wanted, first.iter().cloned().chain(others));
            if let Some(error) = fault {
                return Err(error);
            }
            let hint = if near.is_empty() { "it has, among others:" } else { "similar keys:" };
            let shown = if near.is_empty() { first } else { near };
            match shown.is_empty() {
                true => failure,
                false => failure.with_list("near", shown.iter().map(text).collect(), shown).with_hint(hint),
            }
        }
        Content::List(list) => {
            failure(format!("the list has {} items, and no item `{}`", list.len(), Truncated(wanted)))
        }
        _ => failure(format!("a scalar has no entry `{}`", Truncated(wanted))),
    })
}

fn missing_key(document: DocumentView<'_>, name: &str, classes: Classes) -> Result<Failure, Failure> {
    let count = document.landmark_count()?;
    let failure =
        Failure::negative(code::KEY_MISSING, format!("no landmark has the key `{}`", Truncated(name)));
    if count == 0 {
        return Ok(failure.with_hint(
            "the document has no landmarks; name a value by its JSON pointer from the root, `/a/0/b`",
        ));
    }
    let (claimants, count_of_claimants) = claimants(document, name, classes)?;
    if count_of_claimants > 0 {
        let hint = match count_of_claimants {
            1 => "it is an alias of this resource:".to_owned(),
            shown if shown == claimants.len() => format!("it is an alias of {shown} resources:"),
            all => format!("it is an alias of {all} resources, of which these are the first:"),
        };
        return Ok(failure
            .with_list("near", claimants.iter().map(text).collect(), claimants)
            .with_hint(hint));
    }
    let (similar, containing) = similar_keys(document, name, classes)?;
    let hint = match similar.len() {
        0 => format!("`ls` lists all {count} keys"),
        listed if listed < containing => format!("similar keys, of {containing} that contain it:"),
        _ => "similar keys:".to_owned(),
    };
    Ok(failure.with_list("near", similar.iter().map(text).collect(), similar).with_hint(hint))
}

/// The first keys of resources of a Pulumi document that list `name` among their aliases, and the
/// number of all.
fn claimants(
    document: DocumentView<'_>,
    name: &str,
    classes: Classes,
) -> Result<(Vec<String>, usize), Failure> {
    let (mut first, mut count): (Vec<String>, usize) = (Vec::new(), 0);
    let has_aliases = document.header().dialect.as_deref().is_some_and(|name| name.starts_with("pulumi-"));
    if !has_aliases || !name.starts_with("urn:") {
        return Ok((first, count));
    }
    let redaction = Redaction::of_document(document, false)?;
    let hidden = HiddenKeys::of(document, &redaction)?;
    let mut keys = document.keys()?;
    for _ in 0..KEYS {
        let Some((landmark, key)) = keys.read_next()? else { break };
        let Some(aliases) = landmark.value()?.field("aliases")? else { continue };
        let Content::List(aliases) = aliases.content()? else { continue };
        let mut is_listed = false;
        for alias in aliases.items() {
            is_listed |= alias?.text()? == Some(name);
        }
        let is_wanted = classes.is_all() || classes.contains(landmark.class()?);
        if is_listed && is_wanted && !hidden.has(landmark)? {
            count += 1;
            if first.len() < SHOWN {
                first.push(key.to_owned());
            }
        }
    }
    Ok((first, count))
}

/// Up to three keys similar to `wanted`. If there is none, keys that contain it or end with its
/// last part; the case is ignored. Also the number of those that contain it.
fn similar_keys(
    document: DocumentView<'_>,
    wanted: &str,
    classes: Classes,
) -> Result<(Vec<String>, usize), Failure> {
    const SIMILAR: usize = 3;
    if wanted.len() > COMPARED {
        return Ok((Vec::new(), 0));
    }
    let hidden = HiddenKeys::of(document, &Redaction::of_document(document, false)?)?;
    let lower = wanted.to_lowercase();
    let last = lower.rsplit([':', '/', '.']).find(|part| !part.is_empty()).unwrap_or(&lower);
    let (mut alike, mut containing): (Vec<String>, usize) = (Vec::new(), 0);
    let (mut keys, mut fault) = (document.keys()?, None);
    let compared = std::iter::from_fn(|| {
        let next = next_of_class(&mut keys, classes, &hidden);
        // The key exists but was not found: the index does not belong to the document.
        let next = next.and_then(|key| match key.as_deref() == Some(wanted) {
            true => document.missed_key().map_or(Ok(key), Err),
            false => Ok(key),
        });
        next.unwrap_or_else(|error| {
            fault = Some(error);
            None
        })
    });
    let compared = compared.take(KEYS).filter(|key| key.len() <= COMPARED).inspect(|key| {
        let known = key.to_lowercase();
        containing += usize::from(known.contains(&lower));
        if alike.len() < SIMILAR && (known.contains(&lower) || known.ends_with(last)) && !alike.contains(key)
        {
            alike.push(key.clone());
        }
    });
    let mut near = near_keys(wanted, compared);
    near.truncate(SIMILAR);
    match fault {
        Some(error) => Err(error.into()),
        None if near.is_empty() => Ok((alike, containing)),
        None => Ok((near, containing)),
    }
}

/// The key of the next landmark of these classes that can be shown.
fn next_of_class(
    keys: &mut Keys<'_>,
    classes: Classes,
    hidden: &HiddenKeys,
) -> Result<Option<String>, DecodeError> {
    while let Some((landmark, key)) = keys.read_next()? {
        if (classes.is_all() || classes.contains(landmark.class()?)) && !hidden.has(landmark)? {
            return Ok(Some(key.to_owned()));
        }
    }
    Ok(None)
}

fn ambiguous(document: DocumentView<'_>, name: &str, meaning: &Meaning<'_>) -> Result<Failure, Failure> {
    let landmarks = &meaning.landmarks;
    let mut values = Vec::new();
    let mut lines = Vec::new();
    let redaction = Redaction::of_document(document, false)?;
    let hidden = HiddenKeys::of(document, &redaction)?;
    let (mut ways, mut shown, mut classes_met) = (Ways::from_root(document), 0, 0u32);
    let mut numbers = KeyNumbers::default();
    for landmark in landmarks {
        if lines.len() == CANDIDATES || shown > CANDIDATES_TEXT {
            lines.push(format!("... {} more", landmarks.len() - lines.len()));
            break;
        }
        let class = landmark.class()?;
        classes_met |= 1 << (class & 31);
        let way = ways.next_to(*landmark)?;
        let pointer = redaction.pointer(way, way.len());
        let key = landmark.key()?;
        let number = numbers.of(*landmark, &key)?;
        // The caller has named the key itself, but not the rest of a longer one.
        let key = if meaning.by == NamedBy::Key { &key } else { hidden.shown(*landmark, &key)? };
        let key_text = Truncated(key).to_text();
        shown += pointer.len() + key_text.len();
        let pattern = pattern_of(*landmark)?;
        let name = numbered(&key_text, number);
        lines.push(format!("{name}  class {class} {pattern}, at {pointer}"));
        let mut value = vec![
            ("key".to_owned(), text(&*key_text)),
            ("class".to_owned(), number_value(class)),
            ("pattern".to_owned(), text(pattern)),
            ("pointer".to_owned(), text(pointer)),
        ];
        value.extend(number.map(|number| ("number".to_owned(), crate::json::number(u64::from(number)))));
        values.push(Value::Object(value));
    }
    let count = landmarks.len();
    let message = match meaning.by {
        NamedBy::Key => {
            let key = landmarks.first().map(LandmarkView::key).transpose()?.unwrap_or_default();
            format!("{count} landmarks have the key `{}`", Truncated(&key))
        }
        NamedBy::End => format!("`{}` is the end of {count} keys", Truncated(name)),
        _ => format!("`{}` means {count} landmarks", Truncated(name)),
    };
    let failure = Failure::negative(code::KEY_AMBIGUOUS, message).with_list("candidates", values, lines);
    let is_told_apart = classes_met.count_ones() > 1;
    Ok(failure.with_hint(match (meaning.by, is_told_apart) {
        (NamedBy::Key, true) => "choose one with `--class`, by its number, or by its pointer:",
        (NamedBy::Key, false) => "name one by its number, or by its pointer:",
        (_, true) => "choose one with `--class`, or name it by its key:",
        (_, false) => "name one by its key:",
    }))
}

fn number_value(class: u8) -> Value {
    crate::json::number(u64::from(class))
}

/// A key with its number, in the form that [`named`](DocumentView::named) accepts.
pub fn numbered(key: &str, number: Option<u32>) -> String {
    number.map_or_else(|| key.to_owned(), |number| format!("{key}#{number}"))
}

/// The numbers of landmarks among those with the same key, from 1.
#[derive(Debug, Default)]
pub struct KeyNumbers {
    /// By ordinal. A landmark with a unique key has no number.
    known: HashMap<u32, Option<u32>>,
}

impl KeyNumbers {
    /// The number of a landmark with this full key; `None` if the key is unique.
    pub fn of(&mut self, landmark: LandmarkView<'_>, key: &str) -> Result<Option<u32>, DecodeError> {
        self.get_or(landmark, || Ok(Cow::Borrowed(key)))
    }

    /// Does the same, and reads the key only if the number is not known.
    pub fn get_or<'k>(
        &mut self,
        landmark: LandmarkView<'_>,
        key: impl FnOnce() -> Result<Cow<'k, str>, DecodeError>,
    ) -> Result<Option<u32>, DecodeError> {
        let ordinal = landmark.ordinal()?;
        if let Some(&number) = self.known.get(&ordinal) {
            return Ok(number);
        }
        let key = key()?;
        // No caller types a longer key.
        let mut same = match key.len() > COMPARED {
            true => Vec::new(),
            false => landmark.document().get_all(&key)?,
        };
        self.known.insert(ordinal, None);
        if same.len() > 1 {
            same.sort_by_key(LandmarkView::offset);
            for (number, other) in (1..).zip(same) {
                self.known.insert(other.ordinal()?, Some(number));
            }
        }
        Ok(self.known.get(&ordinal).copied().flatten())
    }
}

/// The type of a resource. Other landmarks have the word of their class.
pub fn type_of(landmark: LandmarkView<'_>) -> Result<String, DecodeError> {
    let document = landmark.document();
    let resource = match GraphView::of(document) {
        Some(graph) => graph.resource(landmark.ordinal()?)?,
        None => None,
    };
    if let Some(own) = resource.map(ResourceView::resource_type).transpose()?.flatten() {
        return Ok(own.to_owned());
    }
    // A Kubernetes object.
    if let Some(object) = landmark.value()?.as_object()?
        && let (Some(_), Some(kind)) = (object.get("apiVersion")?, object.get("kind")?)
        && let Some(kind) = kind.as_str()?
    {
        return Ok(kind.to_owned());
    }
    let class = usize::from(landmark.class()?);
    Ok(document.header().rule()?.patterns().get(class).map(word_of).unwrap_or_default())
}

/// The pattern of the landmark, as text.
pub fn pattern_of(landmark: LandmarkView<'_>) -> Result<String, DecodeError> {
    let document = landmark.document();
    let rule = document.header().rule()?;
    let class = usize::from(landmark.class()?);
    Ok(rule.patterns().get(class).map(ToString::to_string).unwrap_or_default())
}

impl Selected<'_> {
    /// The JSON pointer of the value.
    pub fn pointer(&self) -> String {
        pointer_of(&self.way)
    }

    /// The JSON pointer, without secrets.
    pub fn shown_pointer(&self, redaction: &Redaction) -> String {
        redaction.pointer(&self.way, self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
    use coconut_codec::read::file::DocumentFile;

    fn with_rule<T>(text: &str, pattern: &str, ask: impl FnOnce(DocumentView<'_>) -> T) -> T {
        let rule = LandmarkRule::parse(&[pattern], None, &[]).unwrap();
        let options = CompileOptions::default().landmarks(LandmarkChoice::Rule(rule));
        let compiled = compile(text.as_bytes(), &options).unwrap();
        ask(DocumentFile::from_data(&compiled.bytes[..]).unwrap().view())
    }

    /// The failure for this number of landmarks with the key `k`, in an object under `key`.
    fn said_of(count: usize, key: &str) -> Vec<String> {
        let items = vec![r#"{"id":"k"}"#; count].join(",");
        with_rule(&format!(r#"{{"{key}":[{items}]}}"#), "/*/*[id]", |document| {
            let failure = select_one(document, "k", Classes::ALL, Need::Way).unwrap_err();
            failure.to_lines().lines().map(str::to_owned).collect()
        })
    }

    #[test]
    fn a_name_with_a_leading_slash_that_is_not_a_key_is_a_pointer_whatever_has_the_empty_key() {
        let text = r#"{"v":"of the root","r":{"":{"v":"of a landmark"},"a":{"v":2},"/v/w":{"v":3}}}"#;
        with_rule(text, "/r/*", |document| {
            for (name, pointer) in
                [("", ""), ("/v", "/v"), ("/r/a/v", "/r/a/v"), ("/r//v", "/r//v"), ("/v/w/v", "/r/~1v~1w/v")]
            {
                assert_eq!(
                    select_one(document, name, Classes::ALL, Need::Way).unwrap().pointer(),
                    pointer,
                    "{name}"
                );
            }
        });
    }

    #[test]
    fn of_very_many_landmarks_of_one_key_some_are_shown() {
        for (count, shown) in [(999, 999), (1000, 1000), (1001, 1000), (1500, 1000)] {
            let lines = said_of(count, "a");
            assert_eq!(
                lines[..2],
                [
                    &*format!("{count} landmarks have the key `k`"),
                    "  = name one by its number, or by its pointer:"
                ]
            );
            assert_eq!(lines[shown + 1], format!("    k#{shown}  class 0 /*/*[id], at /a/{}", shown - 1));
            let more = (count > shown).then(|| format!("    ... {} more", count - shown));
            assert_eq!(lines.get(shown + 2).filter(|line| line.contains("...")), more.as_ref());
        }
    }

    #[test]
    fn of_landmarks_with_long_pointers_fewer_are_shown() {
        let lines = said_of(40, &"a".repeat(60_000));
        // 18 pointers are more than 1 MiB.
        assert_eq!(lines[20], "    ... 22 more");
    }

    #[test]
    fn the_pointer_is_followed_in_one_value_after_the_other() {
        with_rule(r#"[{"id":"k","v":1},{"id":"k"},{"id":"k","v":3}]"#, "/*[id]", |document| {
            let named = select_all(document, "k/v", Classes::ALL, Need::Way).unwrap();
            let pointers: Vec<_> = named.map(|selected| Some(selected.ok()?.pointer())).collect();
            let named = select_all(document, "k/v", Classes::ALL, Need::Value).unwrap();
            assert_eq!(named.map(|selected| selected.is_ok()).collect::<Vec<_>>(), [true, false, true]);
            assert_eq!(pointers, [Some("/0/v".to_owned()), None, Some("/2/v".to_owned())]);
        });
    }

    #[test]
    fn contents_of_a_secret_are_not_shown_if_an_entry_is_missing() {
        let text = r#"{"version":3,"deployment":{"manifest":{},"resources":[{"urn":"u","type":"t",
            "outputs":{"p":{"canary":{"canary":1}},"l":[1,2],"o":{"open":1}},"additionalSecretOutputs":["p","l"]}]}}"#;
        for (name, path, message) in [
            ("u/outputs/p/x", "/p", "the value, which is secret, has no entry `x`"),
            ("u/outputs/p/canary/x", "/p/canary", "the value, which is secret, has no entry `x`"),
            (
                "u/outputs/p/canary/canary/x~1y/z",
                "/p/canary/canary",
                "the value, which is secret, has no entry `x/y`",
            ),
            ("u/outputs/l/2", "/l", "the value, which is secret, has no entry `2`"),
            ("u/outputs/o/x", "/o", "the object has no entry `x`"),
        ] {
            let lines = with_rule(text, "/deployment/resources/*[urn]", |document| {
                select_one(document, name, Classes::ALL, Need::Way).unwrap_err().to_lines()
            });
            let shown = if path == "/o" { "\n  = it has, among others:\n    open" } else { "" };
            let path = format!("/deployment/resources/0/outputs{path}");
            assert_eq!(lines.trim_end(), format!("{message}\n --> in {path}{shown}"));
        }
    }

    #[test]
    fn keys_too_long_to_type_are_not_meant() {
        let (long, longer) = ("k".repeat(COMPARED), "k".repeat(COMPARED + 1));
        let first: Vec<String> = (0..SHOWN).map(|n| format!(r#""{n}":0"#)).collect();
        for (key, shown) in [(&long, &long[..]), (&longer, "0")] {
            let text = format!(r#"{{{},"{key}":0}}"#, first.join(","));
            let lines = with_rule(&text, "/*", |document| {
                let wanted = format!("/{}x", &key[1..]);
                select_one(document, &wanted, Classes::ALL, Need::Way).unwrap_err().to_lines()
            });
            assert_eq!(lines.lines().nth(2).map(str::trim), Some(shown));
        }
    }

    fn similar(text: &str, wanted: &str) -> Vec<String> {
        with_rule(text, "/*", |document| similar_keys(document, wanted, Classes::ALL).unwrap().0)
    }

    #[test]
    fn keys_too_long_to_type_are_not_similar() {
        for (length, count) in [(COMPARED, 1), (COMPARED + 1, 0)] {
            let key = format!("{}y", "x".repeat(length - 1));
            let text = format!(r#"{{"{key}":0,"1":0}}"#);
            assert_eq!(similar(&text, "Y").len(), count, "a key of {length} bytes");
            assert_eq!(similar(&text, &key[1..]).len(), count, "all of it but a letter");
        }
    }

    #[test]
    fn keys_with_a_typing_error_are_similar() {
        let similar = |wanted| similar(r#"{"aws:ec2/vpc:Vpc":0,"aws:ec2/subnet:Subnet":0,"1":0}"#, wanted);
        assert_eq!(similar("aws:ec2/subnte:Subnet"), ["aws:ec2/subnet:Subnet"]);
        assert_eq!(similar("aws:ec2/subnet:Subent"), ["aws:ec2/subnet:Subnet"]);
        assert_eq!(similar("gcp:network:Vpc"), ["aws:ec2/vpc:Vpc"], "of the same last part");
        assert_eq!(similar("gcp:network:Network"), [""; 0]);
        assert_eq!(similar("z"), [""; 0], "of one letter nothing is left");
    }

    #[test]
    fn a_landmark_can_be_named_by_its_pointer() {
        with_rule(r#"{"a":[{"id":"k"},{"id":"k"}]}"#, "/*/*[id]", |document| {
            for name in ["/a/1", "/a/1/id", "k#2", "k#2/id"] {
                let landmarks = landmarks_named(document, name, Classes::ALL).unwrap();
                assert_eq!(
                    landmarks.iter().map(LandmarkView::ordinal).collect::<Vec<_>>(),
                    [Ok(1)],
                    "{name}"
                );
            }
            let refused = |name| landmarks_named(document, name, Classes::ALL).unwrap_err().code();
            assert_eq!(refused("/a"), "KEY-MISSING");
            assert_eq!(refused("/a/2"), "PATH-MISSING");
            assert_eq!(refused("k#2/none"), "PATH-MISSING");
            assert_eq!(refused("k"), "KEY-AMBIGUOUS");
            assert_eq!(refused("k#3"), "KEY-MISSING");
        });
    }
}
