//! Documents of random values, with landmarks, nested landmarks and edges between them.

use super::Random;
use std::fmt::Write;

/// The landmark rule for [`random_document`]: patterns, join and edges.
pub const RANDOM_RULE: (&[&str], &str, &[&str]) = (
    &["/things/*", "/things/*/parts/*[name]", "/things/*/own/*"],
    "/",
    &["needs=0/needs/*", "part-of=1/of<#", "any=0(/*)*/{#ref}", "needs=0/needs/*"],
);

const KEYS: [&str; 16] = [
    "name",
    "id",
    "kind",
    "tags",
    "é",
    "",
    "__proto__",
    "10",
    "a/b",
    "~",
    "constructor",
    "x y",
    "😀",
    "line\n",
    "\"",
    "toString",
];
const NUMBERS: [&str; 20] = [
    "0",
    "-0",
    "1",
    "-1",
    "1.0",
    "0.1",
    "1e300",
    "5e-324",
    "127",
    "128",
    "-32",
    "-33",
    "-128",
    "-129",
    "65536",
    "4294967296",
    "9007199254740993",
    "-9223372036854775808",
    "18446744073709551615",
    "-0.0",
];

/// JSON text of a document: an object of `things` landmarks whose values are random, with parts
/// that repeat.
pub fn random_document(seed: u64, things: usize) -> String {
    let mut random = Random::new(seed);
    let mut shared: Vec<String> = (0..6).map(|_| value(&mut random, 3)).collect();
    shared.push("[]".to_owned());
    let mut text = String::from("{\"things\":{");
    for thing in 0..things {
        let comma = if thing == 0 { "" } else { "," };
        write!(text, "{comma}{}:", quoted(&key(thing))).expect("a string takes all");
        push_thing(&mut random, &shared, things, &mut text);
    }
    write!(text, "}},\"rest\":{}}}", value(&mut random, 4)).expect("a string takes all");
    text
}

fn push_thing(random: &mut Random, shared: &[String], things: usize, text: &mut String) {
    let any_key = |random: &mut Random| quoted(&key(random.below(things + 2)));
    let needs: Vec<String> = (0..random.below(4)).map(|_| any_key(random)).collect();
    let parts: Vec<String> = (0..random.below(4))
        .map(|_| {
            // There are few names, so some full keys are ambiguous.
            let name = *random.pick(&["a", "b", "c/d"]);
            let of = any_key(random);
            let of = of[1..of.len() - 1].to_owned();
            format!("{{\"name\":\"{name}\",\"of\":\"{of}#1\",\"v\":{}}}", value(random, 1))
        })
        .collect();
    let reference = any_key(random);
    let [first, second] = [random.pick(shared), random.pick(shared)];
    let number = random.pick(&NUMBERS);
    let (needs, parts) = (needs.join(","), parts.join(","));
    write!(
        text,
        "{{\"needs\":[{needs}],\"parts\":[{parts}],\"n\":{number},\"deep\":[{{\"#ref\":{reference}}},{first}],\
         \"same\":{second},\"own\":{}}}",
        value(random, 2)
    )
    .expect("a string takes all");
}

/// Keys, some of which have the form of ids, indices or paths.
fn key(thing: usize) -> String {
    match thing % 5 {
        0 => format!("thing-{thing}"),
        1 => format!("{thing}"),
        2 => format!("urn:é::{thing}"),
        3 => format!("a/{thing}"),
        _ => format!("{}{thing}", "long ".repeat(thing % 40)),
    }
}

fn value(random: &mut Random, levels: usize) -> String {
    match random.below(if levels == 0 { 5 } else { 8 }) {
        0 => (*random.pick(&["null", "true", "false"])).to_owned(),
        1 | 2 => (*random.pick(&NUMBERS)).to_owned(),
        3 => quoted(KEYS[random.below(KEYS.len())]),
        4 => quoted(&"text ".repeat(random.below(60))),
        5 => {
            let items: Vec<String> = (0..random.below(20)).map(|_| value(random, levels - 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let first = random.below(KEYS.len());
            let keys = KEYS.iter().cycle().skip(first).take(random.below(KEYS.len()));
            let entries: Vec<String> =
                keys.map(|key| format!("{}:{}", quoted(key), value(random, levels - 1))).collect();
            format!("{{{}}}", entries.join(","))
        }
    }
}

fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\n' => "\\n".to_owned(),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
