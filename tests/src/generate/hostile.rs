//! Valid documents at the limits of the format, which the corpus does not contain.

use std::fmt::Write;

/// A document with a name for messages.
#[derive(Clone, Debug)]
pub struct HostileDocument {
    /// The name of its edge case.
    pub name: String,
    /// JSON text.
    pub text: String,
}

/// All of them: numbers at every limit, keys that confuse other readers, depth, width, one-value
/// documents.
pub fn hostile() -> Vec<HostileDocument> {
    let mut documents = Vec::new();
    let mut add = |name: &str, text: String| {
        documents.push(HostileDocument { name: name.to_owned(), text });
    };
    for scalar in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-0.0",
        "0.0",
        "1",
        "1.0",
        "-1",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        "{\"\":{}}",
        "1e308",
        "5e-324",
        "2.2250738585072014e-308",
        "0.1",
        "1E2",
        "1e-7",
        "123456789012.5",
    ] {
        add(&format!("the document {scalar}"), scalar.to_owned());
    }
    add("integers at every edge", integers());
    add("floats of every magnitude", floats());
    add("keys that readers stumble over", keys());
    add("strings of every length and sort", strings());
    for levels in [127, 128, 129, 500, 512] {
        add(&format!("{levels} lists in each other"), "[".repeat(levels) + &"]".repeat(levels));
        add(
            &format!("{levels} objects in each other"),
            "{\"a\":".repeat(levels - 1) + "{}" + &"}".repeat(levels - 1),
        );
    }
    add("100,000 keys", many_keys(100_000));
    add("70,000 items", format!("[{}]", vec!["7"; 70_000].join(",")));
    add("lists around every header width", widths());
    add("shared values in shared values", doubling(16));
    add("one shape with every kind of slot", slots());
    add("objects that differ by one key", one_key_more());
    documents
}

fn integers() -> String {
    let mut numbers: Vec<i128> = Vec::new();
    for bits in [0u32, 5, 7, 8, 15, 16, 31, 32, 53, 56, 62, 63, 64] {
        let edge = 1i128 << bits;
        numbers.extend([edge - 2, edge - 1, edge, edge + 1, -edge - 1, -edge, 1 - edge]);
    }
    numbers.retain(|n| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(n));
    let texts: Vec<String> = numbers.iter().map(i128::to_string).collect();
    let slots: Vec<String> = numbers.iter().map(|n| format!("{{\"n\":{n},\"m\":1}}")).collect();
    format!("{{\"plain\":[{}],\"slots\":[{}]}}", texts.join(","), slots.join(","))
}

fn floats() -> String {
    let mut texts: Vec<String> = Vec::new();
    for exponent in (-320..309).step_by(7) {
        texts.push(format!("{:e}", format!("1.5e{exponent}").parse::<f64>().expect("a number")));
    }
    texts.extend(
        ["1e21", "1e22", "123456789.125", "-1.5e-10", "4.35", "0.000001", "1e-6", "9007199254740992.0"]
            .map(str::to_owned),
    );
    texts.retain(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
    format!("[{}]", texts.join(","))
}

fn keys() -> String {
    let keys = [
        "",
        "0",
        "1",
        "-1",
        "01",
        "4294967295",
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty",
        "null",
        "true",
        " ",
        "a b",
        "a.b",
        "a/b",
        "a~b",
        "a:b",
        "*",
        "[name]",
        "\\u0000",
        "\\u001b[31m",
        "\\u202e",
        "\\ud83e\\udd65",
        "é",
        "e\u{301}",
        "Ａ",
        "ß",
        "#ref",
        "kind",
        "urn",
        "NaN",
        "undefined",
        "\\\"",
        "\\\\",
    ];
    let entries: Vec<String> = keys.iter().zip(0..).map(|(key, n)| format!("\"{key}\":{n}")).collect();
    format!("{{{}}}", entries.join(","))
}

fn strings() -> String {
    let mut texts = Vec::new();
    for length in [0, 1, 31, 32, 33, 255, 256, 257, 65_535, 65_536, 65_537] {
        texts.push("x".repeat(length));
        texts.push("é".repeat(length / 2));
    }
    texts.extend(
        ["\\u0000", "\\n\\r\\t\\b\\f", "\\ud83e\\udd65", "\\u2028", "</script>", "\\u007f", "ﬀ"]
            .map(str::to_owned),
    );
    let twice: Vec<String> = texts.iter().chain(&texts).map(|text| format!("\"{text}\"")).collect();
    format!("[{}]", twice.join(","))
}

fn many_keys(count: usize) -> String {
    let mut out = String::from("{");
    for number in 0..count {
        let comma = if number > 0 { "," } else { "" };
        write!(out, "{comma}\"k{number}\":{}", number % 300).expect("a string takes any text");
    }
    out.push('}');
    out
}

fn widths() -> String {
    let lists: Vec<String> = [0, 1, 13, 14, 15, 16, 17, 65_533, 65_534, 65_535, 65_536]
        .map(|n| format!("[{}]", vec!["null"; n].join(",")))
        .into();
    let objects: Vec<String> = [6, 7, 8, 14, 15, 16, 17]
        .map(|n| {
            let entries: Vec<String> = (0..n).map(|i| format!("\"{i}\":null")).collect();
            format!("{{{}}}", entries.join(","))
        })
        .into();
    format!("[{},{}]", lists.join(","), objects.join(","))
}

/// A text with 2^levels leaves when expanded, but only one distinct value a level.
fn doubling(levels: u32) -> String {
    let mut text = String::from("{\"leaf\":\"a leaf of some length\",\"n\":12}");
    for level in 0..levels {
        text = format!("{{\"level\":{level},\"left\":{text},\"right\":{text}}}");
    }
    text
}

fn slots() -> String {
    let records: Vec<String> = (0..40)
        .map(|n| {
            format!(
                r#"{{"kind":"k{}","constant":"always","null":null,"n":{},"mixed":{},"at":{{"line":{n},"column":{}}},"empty":{{}},"list":[],"deep":{{"at":{{"line":1,"column":{n}}},"of":"k{}"}}}}"#,
                n % 3,
                n * 100 - 300,
                ["1", "\"one\"", "1.0", "null"][n as usize % 4],
                -n,
                n % 2,
            )
        })
        .collect();
    format!("[{}]", records.join(","))
}

fn one_key_more() -> String {
    let objects: Vec<String> = (0..60)
        .map(|n| {
            let entries: Vec<String> = (0..n % 20).map(|i| format!("\"key{i}\":\"value {i}\"")).collect();
            format!("{{{}}}", entries.join(","))
        })
        .collect();
    format!("[{}]", objects.join(","))
}
