//! Filters that are only a path (`.a.b[3]`): followed without the interpreter, and without reading
//! values outside the path.

use super::ended::failure;
use super::number::Number;
use super::operators::Error;
use super::paths::indexed;
use super::steps;
use super::value::Val;
use super::view::{Open, Source};
use coconut_codec::read::lookup::Step;
use coconut_codec::read::view::Content;
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::landmark::Trail;
use coconut_report::failure::Failure;
use jaq_core::load::lex::StrPart;
use jaq_core::load::{self, parse::Term};
use jaq_core::path::{Opt, Part};
use std::rc::Rc;

/// The maximum length of a filter read without the interpreter. The parser recurses for each
/// bracket.
pub(super) const LENGTH: usize = 1000;

/// A filter that is only a path, `.a.b[3]`: its steps, each a key or an index.
///
/// Nothing beside the way is read.
#[derive(Debug)]
pub struct Plain(Vec<Val>);

impl Plain {
    /// The path in a filter, if the filter is only a path.
    pub fn of(text: &str) -> Option<Plain> {
        if text.len() > LENGTH {
            return None;
        }
        let term = load::parse(text, |parser| parser.term())?;
        let mut steps = Vec::new();
        collect(&term, &mut steps)?;
        Some(Plain(steps))
    }

    /// Whether it is the path to the whole document.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The value at the path, in at most so many steps. Finds secrets only along the path. Messages
    /// have the name of the document.
    pub fn value_in(
        &self,
        opened: Rc<dyn Open>,
        reveal: bool,
        most_steps: u64,
        name: &str,
    ) -> Result<Val, Failure> {
        steps::begin(most_steps);
        let value = self.found_in(opened, name, reveal)?;
        match steps::failure(name) {
            Some(failure) => Err(failure),
            None => value.map_err(|error| failure(&error.into_val())),
        }
    }

    fn found_in(
        &self,
        opened: Rc<dyn Open>,
        name: &str,
        reveal: bool,
    ) -> Result<Result<Val, Error>, Failure> {
        let document = opened.view();
        let (mut way, mut value): (Vec<Step<'_>>, _) = (Vec::new(), document.root());
        let mut rest = self.0.iter();
        for step in rest.by_ref() {
            match next(value, step)? {
                Some(found) => {
                    value = found.1;
                    way.push(found);
                }
                None => {
                    let redaction = Redaction::of_value(document, &way, reveal)?;
                    let source = Rc::new(Source::new(Rc::clone(&opened), name, redaction));
                    if let Some(secret) = self.stopped(&source, &way) {
                        return Ok(secret);
                    }
                    let value = source.value(value, source.redaction().place_of(&way));
                    let rest = std::iter::once(step).chain(rest);
                    return Ok(followed(value, rest));
                }
            }
        }
        let redaction = Redaction::of_value(document, &way, reveal)?;
        let source = Rc::new(Source::new(Rc::clone(&opened), name, redaction));
        if let Some(secret) = self.stopped(&source, &way) {
            return Ok(secret);
        }
        Ok(Ok(source.value(value, source.redaction().place_of(&way))))
    }

    /// The result of a path that leads into a secret: that of its replacement text, whatever the
    /// secret contains.
    fn stopped(&self, source: &Rc<Source>, way: &[Step<'_>]) -> Option<Result<Val, Error>> {
        let places = source.redaction();
        let at = (0..way.len()).find(|&at| places.place_of(&way[..at]) == Place::Inside)?;
        Some(followed(Val::text(SECRET), self.0.iter().skip(at)))
    }
}

/// Follows the rest of a path below a missing value: null, or an error.
fn followed<'v>(mut value: Val, steps: impl Iterator<Item = &'v Val>) -> Result<Val, Error> {
    for step in steps {
        value = indexed(value, step)?.unwrap_or_default();
    }
    Ok(value)
}

fn next<'a>(
    value: coconut_codec::read::view::ValueView<'a>,
    step: &Val,
) -> Result<Option<Step<'a>>, DecodeError> {
    Ok(match (value.content()?, step) {
        (Content::Object(object), Val::String(key)) => {
            object.entry(key)?.map(|(key, value)| (Trail::Entry(key), value))
        }
        (Content::List(list), Val::Number(number)) => {
            let index = number.as_integer().and_then(|index| usize::try_from(index).ok());
            match index {
                Some(index) => list.get(index)?.map(|value| (Trail::Item(index), value)),
                None => None,
            }
        }
        _ => None,
    })
}

fn collect(term: &Term<&str>, steps: &mut Vec<Val>) -> Option<()> {
    match term {
        Term::Id => Some(()),
        Term::Path(start, path) => {
            collect(start, steps)?;
            for (part, opt) in &path.0 {
                match (part, opt) {
                    (Part::Index(index), Opt::Essential) => steps.push(constant(index)?),
                    _ => return None,
                }
            }
            Some(())
        }
        _ => None,
    }
}

pub(super) fn constant(term: &Term<&str>) -> Option<Val> {
    match term {
        Term::Num(text) => Number::parse(text).map(Val::Number),
        Term::Str(None, parts) => {
            let mut text = String::new();
            for part in parts {
                match part {
                    StrPart::Str(part) => text.push_str(part),
                    StrPart::Char(c) => text.push(*c),
                    StrPart::Term(_) => return None,
                }
            }
            Some(Val::text(text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_are_plain() {
        let steps = |text| Plain::of(text).map(|plain| Val::list(plain.0).to_string());
        for (text, expected) in [
            (".", "[]"),
            (".a", r#"["a"]"#),
            (".a.b[3].\"c d\"", r#"["a","b",3,"c d"]"#),
            (r#".["\u0041\n"]"#, r#"["A\n"]"#),
            (".[0][\"x\"]", r#"[0,"x"]"#),
        ] {
            assert_eq!(steps(text).as_deref(), Some(expected), "{text}");
        }
        for text in [".a?", ".[]", ".a | .b", "a", ".[.a]", ".a[1:]", ".\"\\(1)\"", "..", "1", ".a,.b", ""] {
            assert_eq!(steps(text), None, "{text}");
        }
    }
}
