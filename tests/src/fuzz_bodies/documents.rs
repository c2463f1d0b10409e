//! §4 Any document, written in any layout.

use super::agreement;
use arbitrary::{Result, Unstructured};
use coconut_codec::Profile;
use coconut_codec::event::push;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Tuning, Writer, WriterOptions};
use coconut_format::landmark::LandmarkRule;
use coconut_format::{Integer, Value};

/// Writes a document in a layout, both chosen by the bytes, and reads it in every way.
pub fn documents(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    let Ok((options, tuning)) = options(&mut choices) else { return };
    let Ok(value) = value(&mut choices) else { return };
    if agreement::count(&value) > super::BUDGET.values {
        return;
    }
    let writer = Writer::new(options).tuned(tuning);
    let file = DocumentFile::from_data(written(&value, &writer)).expect("a file just written");
    file.view().check_integrity().expect("a file just written");
    assert!(agreement::agree(&file) == Some(value), "the document of a file just written");
    agreement::check(&file);
}

/// The file of a document.
pub(super) fn written(value: &Value, writer: &Writer) -> Vec<u8> {
    let mut interner = Interner::new();
    push(value, &mut interner).expect("the document is within the limits");
    writer
        .to_bytes(&interner.finish().expect("one whole document"))
        .expect("the document is within the limits")
}

/// Rules that match something in the documents generated here: patterns, join, edges.
const RULES: [(&[&str], Option<&str>, &[&str]); 8] = [
    (&[], None, &[]),
    (&["/*"], None, &["any=0/*"]),
    (&["/*/*"], None, &["any=0(/*)*", "of=0/a<:>"]),
    (&["/*[name]"], None, &["to=0/a/*"]),
    (&["/a/*", "/*"], Some(":"), &["any=0(/*)*/{#ref}"]),
    (&["[name]", "/*", "/*/*", "/*/*/*"], Some("/"), &["any=2(/*)*"]),
    (&["(/*)*[name]"], Some(""), &["any=0/*"]),
    (&["/*[{name}(~[{id|json}~])]", "/a"], Some("."), &["any=0(/*)*"]),
];

/// Chooses the options of the writer.
pub(super) fn options(choices: &mut Unstructured<'_>) -> Result<(WriterOptions, Tuning)> {
    let mut options = WriterOptions::new(choices.choose(&["document", "cocogl", "x.y-1"])?);
    options.profile = *choices.choose(&Profile::ALL)?;
    let (patterns, join, edges) = *choices.choose(&RULES)?;
    options.rule = LandmarkRule::parse(patterns, join, edges).expect("the rules here are well formed");
    let mut tuning = Tuning::default();
    tuning.shared_values = choices.ratio(3, 4)?;
    tuning.shared_min_uses = choices.int_in_range(1..=4)?;
    tuning.shared_min_bytes = choices.int_in_range(0..=9)?;
    tuning.string_min_uses = choices.int_in_range(1..=4)?;
    tuning.nested_slots = choices.arbitrary()?;
    tuning.constant_slots = choices.arbitrary()?;
    tuning.integer_slots = choices.arbitrary()?;
    tuning.discriminators = choices.arbitrary()?;
    tuning.wide = choices.ratio(1, 4)?;
    tuning.blocks_from = *choices.choose(&[0, 16 << 10, usize::MAX])?;
    tuning.index_from = *choices.choose(&[0, 1, 16, usize::MAX])?;
    Ok((options, tuning))
}

/// Repeated keys and strings, so that there is something to share.
const WORDS: [&str; 12] =
    ["a", "name", "id", "#ref", "", "kind", "k", "aws:ec2:Instance", "a/b~c", "__proto__", "0", "é\u{0}"];

/// Choices for one document.
const VALUES: usize = 400;

/// Values of a container that may be repeated.
const REPEATED: u64 = 60;

/// A document: a list of choices, each of which adds a value to the innermost open container or
/// closes it.
pub(super) fn value(choices: &mut Unstructured<'_>) -> Result<Value> {
    let mut open: Vec<(Option<String>, Value)> = vec![(None, Value::List(Vec::new()))];
    let mut last = Value::Null;
    for _ in 0..VALUES {
        if choices.is_empty() {
            break;
        }
        let next = match choices.int_in_range(0..=15u8)? {
            0 => Value::Null,
            1 => Value::Bool(choices.arbitrary()?),
            2 => Value::Integer(Integer::from(u64::from(choices.arbitrary::<u8>()?))),
            3 => Value::Integer(Integer::from(choices.arbitrary::<u64>()?)),
            4 => Value::Integer(Integer::from(choices.arbitrary::<i64>()?)),
            5 => Value::Float(choices.arbitrary::<f64>().map(|n| if n.is_finite() { n } else { 0.5 })?),
            6 | 7 => Value::String((*choices.choose(&WORDS)?).to_owned()),
            8 => Value::String(short(choices)?),
            // Repeats the previous container, so that subtrees repeat.
            9 | 10 => last.clone(),
            11 | 12 if open.len() < 40 => {
                let key = key(choices, open.last())?;
                open.push((key, Value::Object(Vec::new())));
                continue;
            }
            13 if open.len() < 40 => {
                let key = key(choices, open.last())?;
                open.push((key, Value::List(Vec::new())));
                continue;
            }
            _ if open.len() > 1 => {
                let (key, done) = open.pop().expect("more than one is open");
                if agreement::count(&done) <= REPEATED {
                    last = done.clone();
                }
                put(open.last_mut(), key, done);
                continue;
            }
            _ => continue,
        };
        let key = key(choices, open.last())?;
        put(open.last_mut(), key, next);
    }
    while open.len() > 1 {
        let (key, done) = open.pop().expect("more than one is open");
        put(open.last_mut(), key, done);
    }
    match open.pop() {
        Some((_, Value::List(mut items))) if items.len() == 1 => Ok(items.remove(0)),
        Some((_, value)) => Ok(value),
        None => Ok(Value::Null),
    }
}

/// A key, if the value will be added to an object.
fn key(choices: &mut Unstructured<'_>, into: Option<&(Option<String>, Value)>) -> Result<Option<String>> {
    let Some((_, Value::Object(entries))) = into else { return Ok(None) };
    let mut key = match choices.ratio(7, 8)? {
        true => (*choices.choose(&WORDS)?).to_owned(),
        false => short(choices)?,
    };
    while entries.iter().any(|(other, _)| *other == key) {
        key.push('+');
    }
    Ok(Some(key))
}

/// A text of any characters.
fn short(choices: &mut Unstructured<'_>) -> Result<String> {
    const CHARACTERS: usize = 40;
    Ok(choices.arbitrary::<&str>()?.chars().take(CHARACTERS).collect())
}

fn put(into: Option<&mut (Option<String>, Value)>, key: Option<String>, value: Value) {
    match (into, key) {
        (Some((_, Value::Object(entries))), Some(key)) => entries.push((key, value)),
        (Some((_, Value::List(items))), _) => items.push(value),
        _ => unreachable!("a key is made for objects, and only containers are open"),
    }
}
