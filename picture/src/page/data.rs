//! The data read by the script of a page: one JSON object. Each text occurs once, and attributes of
//! all items are columns of numbers.

use super::text::push_string;
use super::views::{self, Groups};
use super::{Contents, Item};
use crate::Direction;
use crate::layout::Area;
use std::collections::HashMap;

/// The digits of columns: printable characters, except those that end strings and tags.
const DIGITS: u64 = 90;
const FIRST_DIGIT: u8 = b'#';

/// The object of this page.
pub(super) fn drawn(contents: &Contents, direction: Direction) -> String {
    let mut out = Writer { out: String::from("{"), is_first: true };
    out.key("title");
    push_string(&mut out.out, &contents.title);
    out.pairs("facts", contents.facts.iter().map(|(name, value)| (*name, value.as_str())));
    out.items(&contents.items);
    out.texts("partNames", contents.parts.iter().map(|(name, _)| name.as_str()));
    out.numbers("partBytes", contents.parts.iter().map(|(_, bytes)| *bytes));
    if let Some(since) = &contents.changed_since {
        out.key("since");
        push_string(&mut out.out, since);
        out.changes(contents);
    }
    if contents.has_graph {
        out.links(contents);
        let all = views::of_all(contents, direction);
        out.areas("", &all);
        out.widths(&all);
        out.key("views");
        out.out.push('[');
        for (at, groups) in views::groups(contents, direction).iter().enumerate() {
            out.out.push_str(if at > 0 { ",{" } else { "{" });
            out.is_first = true;
            out.groups(groups);
            out.out.push('}');
        }
        out.out.push(']');
    }
    out.out.push_str("}\n");
    out.out
}

struct Writer {
    out: String,
    is_first: bool,
}

impl Writer {
    fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
        self.is_first = false;
    }

    fn list<T>(&mut self, key: &str, values: impl Iterator<Item = T>, mut push: impl FnMut(&mut String, T)) {
        self.key(key);
        self.out.push('[');
        for (at, value) in values.enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            push(&mut self.out, value);
        }
        self.out.push(']');
    }

    /// A column: a list, or a string with a fixed number of digits for each item if that is
    /// shorter. Its first character is that number.
    fn numbers(&mut self, key: &str, numbers: impl Iterator<Item = u64>) {
        let numbers: Vec<u64> = numbers.collect();
        let most = numbers.iter().copied().max().unwrap_or_default();
        let width = most.checked_ilog(DIGITS).unwrap_or_default() as usize + 1;
        let length: usize =
            numbers.iter().map(|number| number.checked_ilog10().unwrap_or(0) as usize + 2).sum();
        if length <= numbers.len() * width + 3 {
            return self.list(key, numbers.iter(), |out, number| out.push_str(&number.to_string()));
        }
        self.key(key);
        self.out.push_str(&format!("\"{width}"));
        for number in numbers {
            for place in (0..width).rev() {
                let digit = number / DIGITS.pow(u32::try_from(place).unwrap_or_default()) % DIGITS;
                self.out.push(digit_of(u8::try_from(digit).unwrap_or_default()));
            }
        }
        self.out.push('"');
    }

    fn texts<'t>(&mut self, key: &str, texts: impl Iterator<Item = &'t str>) {
        self.list(key, texts, push_string);
    }

    fn pairs<'t>(&mut self, key: &str, pairs: impl Iterator<Item = (&'t str, &'t str)>) {
        self.list(key, pairs, |out, (one, other)| {
            out.push('[');
            push_string(out, one);
            out.push(',');
            push_string(out, other);
            out.push(']');
        });
    }

    /// The columns of the items. A key consists of a prefix, which other keys may share, and a
    /// rest. A short name is nearly always a suffix of the key, so its length plus one is usually
    /// enough.
    fn items(&mut self, items: &[Item]) {
        let (mut beginnings, mut types, mut groups) = (Texts::default(), Texts::default(), Texts::default());
        let cut: Vec<(usize, &str)> = items
            .iter()
            .map(|item| {
                let (beginning, rest) = item.key.split_at(beginning_of(&item.key));
                (beginnings.number(beginning), rest)
            })
            .collect();
        self.numbers("start", cut.iter().map(|(beginning, _)| *beginning as u64));
        self.texts("rest", cut.iter().map(|(_, rest)| *rest));
        self.texts("starts", beginnings.all.into_iter());
        let is_end = |item: &Item| item.key.ends_with(&item.name);
        let length = |item: &Item| if is_end(item) { item.name.encode_utf16().count() as u64 + 1 } else { 0 };
        self.numbers("name", items.iter().map(length));
        let other = (0..).zip(items).filter(|(_, item)| !is_end(item));
        self.list("otherName", other, |out, (at, item): (usize, _)| {
            out.push_str(&format!("[{at},"));
            push_string(out, &item.name);
            out.push(']');
        });
        self.numbers("type", items.iter().map(|item| types.number(&item.type_name) as u64));
        self.texts("types", types.all.into_iter());
        self.numbers("group", items.iter().map(|item| groups.number(&item.group) as u64));
        self.texts("groups", groups.all.into_iter());
        if items.iter().any(|item| item.count != 1) {
            self.numbers("count", items.iter().map(|item| item.count.into()));
        }
        self.numbers("focus", (0..).zip(items).filter(|(_, item)| item.is_focus).map(|(at, _)| at));
        self.numbers("json", items.iter().map(|item| item.sizes.json));
        self.numbers("stored", items.iter().map(|item| item.sizes.stored));
        // Nearly always the same for all items.
        let usual = items.first().map_or(0, |item| item.sizes.part);
        self.numbers("part", std::iter::once(usual as u64));
        let other = (0..).zip(items).filter(|(_, item)| item.sizes.part != usual);
        self.list("otherPart", other, |out, (at, item): (usize, _)| {
            out.push_str(&format!("[{at},{}]", item.sizes.part));
        });
        let changed = (0..).zip(items).filter_map(|(at, item)| Some((at, item.change?)));
        self.list("changed", changed, |out, (at, change): (usize, _)| {
            out.push_str(&format!("[{at},\"{}\"]", change.name()));
        });
    }

    fn changes(&mut self, contents: &Contents) {
        self.list("changes", contents.changes.iter(), |out, change| {
            let numbers = format!("{{\"item\":{},\"count\":{}", change.item, change.count);
            let mut one = Writer { out: numbers, is_first: false };
            if let Some(from) = &change.moved_from {
                one.key("from");
                push_string(&mut one.out, from);
            }
            one.pairs("places", change.places.iter().map(|(action, place)| (*action, place.as_str())));
            out.push_str(&one.out);
            out.push('}');
        });
    }

    /// The arrows by their first items: the number of arrows of each item, their targets, and the
    /// number of their combination of kinds.
    fn links(&mut self, contents: &Contents) {
        let mut out_of = vec![0u32; contents.items.len()];
        contents.links.iter().for_each(|link| out_of[link.from] += 1);
        let mut kinds: Vec<&[(String, u32)]> = Vec::new();
        let mut known: HashMap<&[(String, u32)], usize> = HashMap::new();
        let mut of_link = Vec::with_capacity(contents.links.len());
        for link in &contents.links {
            let next = kinds.len();
            of_link.push(*known.entry(&link.kinds).or_insert_with(|| {
                kinds.push(&link.kinds);
                next
            }));
        }
        self.numbers("out", out_of.into_iter().map(u64::from));
        self.numbers("to", contents.links.iter().map(|link| link.to as u64));
        self.numbers("kind", of_link.iter().map(|&kind| kind as u64));
        self.list("kinds", kinds.into_iter(), |out, kinds| {
            out.push('[');
            for (at, (kind, count)) in kinds.iter().enumerate() {
                out.push_str(if at > 0 { ",[" } else { "[" });
                push_string(out, kind);
                out.push_str(&format!(",{count}]"));
            }
            out.push(']');
        });
    }

    /// Places of boxes: the distance from the left, and the number of the row, since each row
    /// contains many boxes.
    fn areas(&mut self, name: &str, areas: &[Area]) {
        self.numbers(&format!("{name}x"), areas.iter().map(|area| whole(area.x)));
        let mut rows: Vec<u64> = areas.iter().map(|area| whole(area.y)).collect();
        rows.sort_unstable();
        rows.dedup();
        let row = |area: &Area| rows.binary_search(&whole(area.y)).unwrap_or_default() as u64;
        self.numbers(&format!("{name}row"), areas.iter().map(row));
        self.numbers(&format!("{name}rows"), rows.iter().copied());
    }

    fn widths(&mut self, areas: &[Area]) {
        self.numbers("w", areas.iter().map(|area| whole(area.width / views::STEP)));
        self.numbers("step", std::iter::once(whole(views::STEP)));
    }

    fn groups(&mut self, groups: &Groups) {
        self.key("by");
        push_string(&mut self.out, groups.by);
        self.numbers("from", groups.links.keys().map(|(from, _)| *from as u64));
        self.numbers("to", groups.links.keys().map(|(_, to)| *to as u64));
        self.numbers("n", groups.links.values().map(|&count| count.into()));
        self.areas("", &groups.areas);
        self.widths(&groups.areas);
        self.areas("inside_", &groups.inside);
    }
}

/// Texts, each with a number.
#[derive(Default)]
struct Texts<'t> {
    all: Vec<&'t str>,
    numbers: HashMap<&'t str, usize>,
}

impl<'t> Texts<'t> {
    fn number(&mut self, text: &'t str) -> usize {
        let next = self.all.len();
        *self.numbers.entry(text).or_insert_with(|| {
            self.all.push(text);
            next
        })
    }
}

/// The length of the prefix that a key may share with others.
fn beginning_of(key: &str) -> usize {
    match key.rfind("::") {
        Some(at) => at + 2,
        None => key.rfind(['.', '/', ':']).map_or(0, |at| at + 1),
    }
}

/// A coordinate in its written form. All coordinates are whole numbers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a layout is not that large, and begins at 0"
)]
fn whole(place: f64) -> u64 {
    place.round() as u64
}

/// The character of a digit; never `<` or a backslash.
fn digit_of(digit: u8) -> char {
    let mut code = FIRST_DIGIT + digit;
    code += u8::from(code >= b'<');
    code += u8::from(code >= b'\\');
    char::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers: &[u64]) -> String {
        let mut out = Writer { out: String::new(), is_first: true };
        out.numbers("n", numbers.iter().copied());
        out.out
    }

    #[test]
    fn a_column_is_written_in_the_shorter_way() {
        assert_eq!(column(&[]), r#""n":[]"#);
        assert_eq!(column(&[7, 0]), r#""n":[7,0]"#);
        assert_eq!(column(&[89, 25, 24, 56, 55, 0]), "\"n\":\"1~=;][#\"");
        assert_eq!(column(&[100, 89, 90, 8099, 1000]), "\"n\":\"2$-#~$#~~.-\"");
        let digits: String = (0..90).map(digit_of).collect();
        assert!(!digits.contains(['"', '\\', '<']) && digits.is_ascii());
        assert_eq!(digits.chars().collect::<std::collections::HashSet<_>>().len(), 90);
    }
}
