//! §8.5 Finding the value that somebody names: a key, a class where the key is not unique, a JSON pointer.

use crate::failure::Failure;
use crate::json::{number, object, text};
use crate::near::near_keys;
use crate::place::{Step, Ways, follow, pointer_of};
use coconut_codec::file::DocumentView;
use coconut_codec::lookup::{Keys, LandmarkView};
use coconut_codec::view::{Content, ValueView};
use coconut_format::error::DecodeError;
use coconut_format::landmark::{LandmarkRule, Pattern, Segment, Step as PatternStep};

/// Classes of landmarks, by number or by name.
///
/// The name of a class is its pattern (`/modules/*`), or the last word of the pattern (`modules`), which may stand
/// for several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes(u32);

impl Classes {
    /// All there are.
    pub(crate) const ALL: Classes = Classes(u32::MAX);

    /// Those that `name` names.
    pub(crate) fn named(rule: &LandmarkRule, name: Option<&str>) -> Result<Classes, Failure> {
        let Some(name) = name else { return Ok(Classes::ALL) };
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
                let failure =
                    Failure::usage(format!("no class `{name}`; a class is a number, a word or a pattern"));
                Err(failure.with_list("classes", Vec::new(), known.collect()))
            }
            classes => Ok(Classes(classes)),
        }
    }

    /// Whether a landmark of this class is meant.
    pub(crate) fn contains(self, class: u8) -> bool {
        self.0 >> class & 1 == 1
    }

    /// Whether nothing has to be compared.
    pub(crate) fn is_all(self) -> bool {
        self.0 == u32::MAX
    }
}

/// The last word of a pattern; `root` for the root itself.
pub(crate) fn word_of(pattern: &Pattern) -> String {
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

/// A value that was named.
#[derive(Clone, Debug)]
pub(crate) struct Selected<'a> {
    /// The landmark it is in, unless it was named from the root.
    pub(crate) landmark: Option<LandmarkView<'a>>,
    /// The way from the root.
    pub(crate) way: Vec<Step<'a>>,
    /// The value itself.
    pub(crate) value: ValueView<'a>,
}

/// All values that `name` names: `KEY`, `KEY/json/pointer`, or `/json/pointer` from the root.
///
/// Keys may hold slashes, so the longest key counts that the document has. Fails when there is no such key, with
/// the keys that may have been meant, or when the pointer leads nowhere.
pub(crate) fn select_all<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
) -> Result<Vec<Selected<'a>>, Failure> {
    let (landmarks, pointer) = landmarks_named(document, name, classes)?;
    if landmarks.is_empty() {
        return match name.is_empty() || name.starts_with('/') {
            true => Ok(vec![below(document, None, Vec::new(), name)?]),
            false => Err(missing_key(document, name, classes)?),
        };
    }
    let mut ways = Ways::from_root(document);
    let selected = landmarks.into_iter().map(|landmark| {
        let way = ways.next_to(landmark)?.to_vec();
        below(document, Some(landmark), way, pointer)
    });
    selected.collect()
}

/// The one value that `name` names. Fails also when there are several.
pub(crate) fn select_one<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
) -> Result<Selected<'a>, Failure> {
    // Which of several is ambiguous must not depend on where the pointer leads in each.
    let (landmarks, _) = landmarks_named(document, name, classes)?;
    if landmarks.len() > 1 {
        return Err(ambiguous(document, &landmarks)?);
    }
    let mut all = select_all(document, name, classes)?;
    all.pop().ok_or_else(|| Failure::negative("KEY-MISSING", format!("no landmark has the key `{name}`")))
}

/// The one landmark with the key `name`.
pub(crate) fn landmark_named<'a>(
    document: DocumentView<'a>,
    name: &str,
    classes: Classes,
) -> Result<LandmarkView<'a>, Failure> {
    let landmarks = with_key(document, name, classes)?;
    match landmarks[..] {
        [landmark] => Ok(landmark),
        [] => Err(missing_key(document, name, classes)?),
        _ => Err(ambiguous(document, &landmarks)?),
    }
}

/// The landmarks with the longest key that `name` is or begins with, and the pointer that is left.
fn landmarks_named<'a, 'n>(
    document: DocumentView<'a>,
    name: &'n str,
    classes: Classes,
) -> Result<(Vec<LandmarkView<'a>>, &'n str), DecodeError> {
    let mut end = name.len();
    loop {
        let landmarks = with_key(document, &name[..end], classes)?;
        if !landmarks.is_empty() {
            return Ok((landmarks, &name[end..]));
        }
        match name[..end].rfind('/') {
            Some(slash) => end = slash,
            None => return Ok((Vec::new(), "")),
        }
    }
}

/// The way from the root along a JSON pointer.
pub(crate) fn select_pointer<'a>(
    document: DocumentView<'a>,
    pointer: &str,
) -> Result<Vec<Step<'a>>, Failure> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        let message = format!("`{pointer}` is no JSON pointer");
        return Err(Failure::usage(message).with_hint("a JSON pointer is empty or begins with `/`"));
    }
    below(document, None, Vec::new(), pointer).map(|selected| selected.way)
}

/// The landmarks with this full key, in document order.
fn with_key<'a>(
    document: DocumentView<'a>,
    key: &str,
    classes: Classes,
) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
    let mut landmarks = document.get_all(key)?;
    // They are so already, unless the index lies.
    landmarks.sort_by_key(LandmarkView::offset);
    landmarks.dedup_by_key(|landmark| landmark.offset());
    if classes.is_all() {
        return Ok(landmarks);
    }
    let mut meant = Vec::new();
    for landmark in landmarks {
        if classes.contains(landmark.class()?) {
            meant.push(landmark);
        }
    }
    Ok(meant)
}

/// The value that `pointer` leads to from the end of `way`.
fn below<'a>(
    document: DocumentView<'a>,
    landmark: Option<LandmarkView<'a>>,
    mut way: Vec<Step<'a>>,
    pointer: &str,
) -> Result<Selected<'a>, Failure> {
    let start = way.last().map_or(document.root(), |(_, value)| *value);
    match follow(start, pointer)? {
        Ok(steps) => {
            way.extend(steps);
            let value = way.last().map_or(document.root(), |(_, value)| *value);
            Ok(Selected { landmark, way, value })
        }
        Err((reached, value)) => {
            let mut path = pointer_of(&way);
            let segments = pointer.split('/').skip(1);
            path.extend(segments.clone().take(reached).flat_map(|segment| ["/", segment]));
            let wanted = segments.clone().nth(reached).unwrap_or_default();
            let wanted = wanted.replace("~1", "/").replace("~0", "~");
            Err(missing_entry(value, &path, &wanted)?)
        }
    }
}

/// Says that the value at `path` has no entry or item `wanted`, and what it has.
fn missing_entry(value: ValueView<'_>, path: &str, wanted: &str) -> Result<Failure, DecodeError> {
    let failure = |message: String| Failure::negative("PATH-MISSING", message).at_path(path);
    Ok(match value.content()? {
        Content::Object(object) => {
            let mut keys = Vec::new();
            for entry in object.iter() {
                keys.push(entry?.0.to_owned());
            }
            let failure = failure(format!("the object has no entry `{wanted}`"));
            let near = near_keys(wanted, keys.iter().cloned());
            let shown = if near.is_empty() { keys.into_iter().take(8).collect() } else { near };
            failure.with_list("near", shown.iter().map(text).collect(), shown)
        }
        Content::List(list) => failure(format!("the list has {} items, none is `{wanted}`", list.len())),
        _ => failure(format!("a scalar has no entry `{wanted}`")),
    })
}

fn missing_key(document: DocumentView<'_>, name: &str, classes: Classes) -> Result<Failure, Failure> {
    let count = document.landmark_count()?;
    let failure = Failure::negative("KEY-MISSING", format!("no landmark has the key `{name}`"));
    if count == 0 {
        return Ok(failure.with_hint(
            "the document has no landmarks; name a value by its JSON pointer from the root, `/a/0/b`",
        ));
    }
    let (mut keys, mut fault) = (document.keys()?, None);
    let meant = std::iter::from_fn(|| {
        next_of_class(&mut keys, classes).unwrap_or_else(|error| {
            fault = Some(error);
            None
        })
    });
    let near = near_keys(name, meant);
    if let Some(error) = fault {
        return Err(error.into());
    }
    let hint = match near.is_empty() {
        true => format!("`coco-inspect ls` lists all {count} keys"),
        false => "did you mean one of these?".to_owned(),
    };
    Ok(failure.with_list("near", near.iter().map(text).collect(), near).with_hint(hint))
}

/// The key of the next landmark of these classes.
fn next_of_class(keys: &mut Keys<'_>, classes: Classes) -> Result<Option<String>, DecodeError> {
    while let Some((landmark, key)) = keys.read_next()? {
        if classes.is_all() || classes.contains(landmark.class()?) {
            return Ok(Some(key.to_owned()));
        }
    }
    Ok(None)
}

fn ambiguous(document: DocumentView<'_>, landmarks: &[LandmarkView<'_>]) -> Result<Failure, Failure> {
    let mut values = Vec::new();
    let mut lines = Vec::new();
    let mut ways = Ways::from_root(document);
    for landmark in landmarks {
        let class = landmark.class()?;
        let pointer = pointer_of(ways.next_to(*landmark)?);
        let pattern = pattern_of(*landmark)?;
        lines.push(format!("class {class} {pattern}, at {pointer}"));
        values.push(object([
            ("class", number(u64::from(class))),
            ("pattern", text(pattern)),
            ("pointer", text(pointer)),
        ]));
    }
    let count = landmarks.len();
    let key = landmarks.first().map(LandmarkView::key).transpose()?.unwrap_or_default();
    let failure = Failure::negative("KEY-AMBIGUOUS", format!("{count} landmarks have the key `{key}`"));
    let failure = failure.with_list("candidates", values, lines);
    Ok(failure.with_hint("choose one with `--class` where that tells them apart, or name it by its pointer"))
}

/// The pattern that made the landmark one, as text.
pub(crate) fn pattern_of(landmark: LandmarkView<'_>) -> Result<String, DecodeError> {
    let rule = &landmark.document().header().rule;
    let class = usize::from(landmark.class()?);
    Ok(rule.patterns().get(class).map(ToString::to_string).unwrap_or_default())
}

impl Selected<'_> {
    /// The JSON pointer of the value.
    pub(crate) fn pointer(&self) -> String {
        pointer_of(&self.way)
    }
}
