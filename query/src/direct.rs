//! Filters that only select values: paths, `[]`, `select` with comparisons, and pipes of these.
//! They are run without the interpreter and without a separate process.
//!
//! Nothing here recurses or collects results. So the time is bounded by the steps, the memory by
//! one list of the document for each `[]`, and the stack by the length of the filter.

use super::ended::{Ended, failure};
use super::natives;
use super::operators::Error;
use super::paths::indexed;
use super::plain::{LENGTH, constant};
use super::steps;
use super::value::Val;
use coconut_report::failure::Failure;
use jaq_core::load::{self, parse::BinaryOp, parse::Term};
use jaq_core::ops::Cmp;
use jaq_core::path::{Opt, Part};
use jaq_core::{ValR, ValT as _};

/// A filter with any number of results.
#[derive(Debug)]
pub(crate) enum Direct {
    One(Single),
    /// The values at a path from each result.
    At(Box<Direct>, Vec<Hop>),
    Pipe(Box<Direct>, Box<Direct>),
    Select(Single),
}

/// A filter with exactly one result, or an error.
#[derive(Debug)]
pub(crate) enum Single {
    Input,
    Constant(Val),
    At(Box<Single>, Vec<Val>),
    Of(Function),
    Pipe(Box<Single>, Box<Single>),
    Compare(Box<Single>, Cmp, Box<Single>),
    And(Box<Single>, Box<Single>),
    Or(Box<Single>, Box<Single>),
}

/// A part of a path.
#[derive(Debug)]
pub(crate) struct Hop {
    /// `None` for all values, `[]`.
    to: Option<Val>,
    /// Whether an error only ends this path, `?`.
    is_optional: bool,
}

/// The reason why no further result is passed on.
enum End {
    Error(Error),
    Failure(Failure),
    Unwanted,
}

type Receive<'r> = &'r mut dyn FnMut(Val) -> Result<(), End>;

impl Direct {
    /// The filter, if it is of this kind.
    pub(crate) fn of(text: &str) -> Option<Direct> {
        if text.len() > LENGTH {
            return None;
        }
        Direct::of_term(&load::parse(text, |parser| parser.term())?)
    }

    fn of_term(term: &Term<&str>) -> Option<Direct> {
        if let Some(single) = Single::of_term(term) {
            return Some(Direct::One(single));
        }
        match term {
            Term::Path(start, path) => {
                let hops = path.0.iter().map(|(part, opt)| {
                    let to = match part {
                        Part::Index(index) => Some(constant(index)?),
                        Part::Range(None, None) => None,
                        Part::Range(..) => return None,
                    };
                    Some(Hop { to, is_optional: matches!(opt, Opt::Optional) })
                });
                Some(Direct::At(Direct::of_term(start)?.into(), hops.collect::<Option<_>>()?))
            }
            Term::BinOp(first, BinaryOp::Pipe(None), then) => {
                Some(Direct::Pipe(Direct::of_term(first)?.into(), Direct::of_term(then)?.into()))
            }
            Term::Call("select", arguments) => match &arguments[..] {
                [condition] => Single::of_term(condition).map(Direct::Select),
                _ => None,
            },
            _ => None,
        }
    }

    /// Passes each result to `receive`, which returns whether it accepts more.
    pub(crate) fn on(
        &self,
        input: Val,
        name: &str,
        mut receive: impl FnMut(Val) -> Result<bool, Failure>,
    ) -> Result<Ended, Failure> {
        let ended = self.each(input, &mut |value| {
            steps::are_exceeded(1);
            if let Some(failure) = steps::failure(name) {
                return Err(End::Failure(failure));
            }
            match receive(value) {
                Ok(true) => Ok(()),
                Ok(false) => Err(End::Unwanted),
                Err(failure) => Err(End::Failure(failure)),
            }
        });
        // A fault ends the run, whatever error it caused.
        match (ended, steps::failure(name)) {
            (Err(End::Failure(failure)), _) | (_, Some(failure)) => Err(failure),
            (Ok(()), None) => Ok(Ended::Whole),
            (Err(End::Unwanted), None) => Ok(Ended::Stopped),
            (Err(End::Error(error)), None) => Err(failure(&error.into_val()).in_file(name)),
        }
    }

    fn each(&self, input: Val, receive: Receive<'_>) -> Result<(), End> {
        match self {
            Direct::One(single) => receive(single.of(input).map_err(End::Error)?),
            Direct::At(start, hops) => start.each(input, &mut |value| along(value, hops, &mut *receive)),
            Direct::Pipe(first, then) => first.each(input, &mut |value| then.each(value, &mut *receive)),
            Direct::Select(condition) => match condition.of(input.clone()).map_err(End::Error)?.as_bool() {
                true => receive(input),
                false => Ok(()),
            },
        }
    }
}

fn along(value: Val, hops: &[Hop], receive: Receive<'_>) -> Result<(), End> {
    let Some((hop, rest)) = hops.split_first() else { return receive(value) };
    match &hop.to {
        Some(key) => match indexed(value, key) {
            Ok(found) => along(found.unwrap_or_default(), rest, receive),
            Err(_) if hop.is_optional => Ok(()),
            Err(error) => Err(End::Error(error)),
        },
        None => {
            for value in value.values() {
                match value {
                    Ok(value) => along(value, rest, &mut *receive)?,
                    Err(_) if hop.is_optional => {}
                    Err(error) => return Err(End::Error(error)),
                }
            }
            Ok(())
        }
    }
}

/// A function without arguments.
type Function = fn(Val) -> ValR<Val>;

/// The functions that have one result, and cost no more than their input.
const FUNCTIONS: &[(&str, Function)] = &[
    ("length", natives::length),
    ("keys", natives::keys),
    ("type", |value| Ok(Val::text(value.kind()))),
    ("not", |value| Ok(Val::Bool(!value.as_bool()))),
];

impl Single {
    fn of_term(term: &Term<&str>) -> Option<Single> {
        let both = |one: &Term<&str>, other: &Term<&str>| {
            Some((Box::new(Single::of_term(one)?), Box::new(Single::of_term(other)?)))
        };
        match term {
            Term::Id => Some(Single::Input),
            Term::Num(_) | Term::Str(None, _) => constant(term).map(Single::Constant),
            Term::Path(start, path) => {
                let keys = path.0.iter().map(|(part, opt)| match (part, opt) {
                    (Part::Index(index), Opt::Essential) => constant(index),
                    _ => None,
                });
                Some(Single::At(Single::of_term(start)?.into(), keys.collect::<Option<_>>()?))
            }
            Term::Call(name, arguments) if arguments.is_empty() => match *name {
                "true" => Some(Single::Constant(Val::Bool(true))),
                "false" => Some(Single::Constant(Val::Bool(false))),
                "null" => Some(Single::Constant(Val::Null)),
                name => FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, f)| Single::Of(*f)),
            },
            Term::BinOp(one, operator, other) => {
                let (one, other) = both(one, other)?;
                match operator {
                    BinaryOp::Pipe(None) => Some(Single::Pipe(one, other)),
                    BinaryOp::Cmp(comparison) => Some(Single::Compare(one, *comparison, other)),
                    BinaryOp::And => Some(Single::And(one, other)),
                    BinaryOp::Or => Some(Single::Or(one, other)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn of(&self, input: Val) -> ValR<Val> {
        match self {
            Single::Input => Ok(input),
            Single::Constant(value) => Ok(value.clone()),
            Single::At(start, keys) => {
                let start = start.of(input)?;
                keys.iter().try_fold(start, |value, key| Ok(indexed(value, key)?.unwrap_or_default()))
            }
            Single::Of(function) => function(input),
            Single::Pipe(first, then) => then.of(first.of(input)?),
            Single::Compare(one, comparison, other) => {
                let (one, other) = (one.of(input.clone())?, other.of(input)?);
                steps::are_exceeded(1);
                Ok(Val::Bool(comparison.run(&one, &other)))
            }
            Single::And(one, other) => {
                Ok(Val::Bool(one.of(input.clone())?.as_bool() && other.of(input)?.as_bool()))
            }
            Single::Or(one, other) => {
                Ok(Val::Bool(one.of(input.clone())?.as_bool() || other.of(input)?.as_bool()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(filter: &str, input: &str) -> Result<Vec<String>, String> {
        use coconut_codec::text::json::{self, JsonOptions};
        let mut sink = crate::value::ValSink::default();
        json::read(input.as_bytes(), &mut sink, &JsonOptions::default()).expect("the input is JSON");
        let mut results = Vec::new();
        steps::begin(u64::MAX);
        let direct = Direct::of(filter).expect("the filter only chooses");
        let ended = direct.on(sink.into_value().unwrap_or_default(), "input", |value| {
            results.push(value.to_string());
            Ok(true)
        });
        ended.map(|_| results).map_err(|failure| failure.message().to_owned())
    }

    #[test]
    fn results_are_those_of_the_interpreter() {
        let input = r#"{"r":[{"t":"a","n":1,"o":{"x":[1,2]}},{"t":"b","n":2},{"t":"a"}],"s":"é"}"#;
        for (filter, expected) in [
            (".r | length", &["3"][..]),
            (".r[].t", &[r#""a""#, r#""b""#, r#""a""#]),
            (".r[] | select(.t == \"a\") | .n", &["1", "null"]),
            (".r[] | select(.t == \"a\" and .n > 0) | .o.x[]", &["1", "2"]),
            (".r[] | select(.n != null | not) | .t", &[r#""a""#]),
            (".r[] | select(.t == \"b\" or (.o | type) == \"object\").t", &[r#""a""#, r#""b""#]),
            (".r[].t[]?", &[]),
            (".r[0].o | keys", &[r#"["x"]"#]),
            (".s | length", &["1"]),
            (".r[1] | .[]", &[r#""b""#, "2"]),
        ] {
            let results = results(filter, input).expect("there is no error");
            assert_eq!(results, expected, "{filter}");
        }
        for (filter, message) in [
            (".s.x", "Cannot index string with string (\"x\")"),
            (".s[]", "Cannot iterate over string (\"é\")"),
            (".r[] | select(.t.x == 1)", "Cannot index string with string (\"x\")"),
        ] {
            assert_eq!(results(filter, input), Err(message.to_owned()), "{filter}");
        }
    }

    #[test]
    fn filters_that_compute_are_left_to_the_interpreter() {
        let long = format!(".{}", "a".repeat(LENGTH));
        for filter in [
            "..",
            ".a, .b",
            ".a // 1",
            "[.a]",
            "{a}",
            "def f: f; f",
            ".a as $x | $x",
            ".a + 1",
            "-1",
            "map(.a)",
            ".[1:]",
            ".a[.b]",
            "\"\\(.a)\"",
            "select(.a[] == 1)",
            "select(.a?)",
            "try .a",
            "$x",
            "key",
            "@text",
            ".a |= 1",
            "(((",
            "",
            &long,
        ] {
            assert!(Direct::of(filter).is_none(), "{filter}");
        }
    }
}
