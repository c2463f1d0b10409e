//! Loads a package that was loaded before, and one of its keys: by the loader, warm, in the same
//! process.
//!
//! Its peers parse the source text, which they already hold in memory, and look up nothing. Two of
//! them are parsers of other languages in processes that stay alive and report their processor
//! time.

use super::{Job, Keys};
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::cache::Cache;
use coconut_codec::loader::{Freshness, Loader, Origin, Proof};
use serde_json::Value;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The job on a checkpoint of this many resources, or on a provider schema.
pub(crate) fn job(document: &Document, resources: Option<usize>) -> Job<'_> {
    let ours = |name, note, freshness| {
        Contender::new(name, note, move || {
            let loader = warm(document, freshness);
            let mut keys = keys(document, resources);
            move || {
                let key = keys();
                Sample::of(|| {
                    let loaded = loader.load_file(&document.path("json")).expect("it was loaded before");
                    let found = loaded.document.view().get_all(&key).expect("a good file");
                    let value = found.first().expect("it is there").value().expect("a good file");
                    black_box(value.offset());
                    loaded
                })
            }
        })
    };
    let mut contenders = vec![
        ours("coconut", "freshness `stat`: size and times of the source, not opened", Freshness::Stat),
        ours("coconut, content", "freshness `content`: SHA-256 of the source", Freshness::Content),
        ours("coconut, trust", "freshness `trust`: the source is not checked", Freshness::Trust),
        Contender::new("serde_json", "a `Value` from the text in memory; nothing is looked up", move || {
            let text = document.text();
            move || Sample::of(|| serde_json::from_slice::<Value>(&text).expect("good JSON"))
        }),
    ];
    for (name, note, program) in PARSERS {
        if Command::new(program[0]).arg("--version").output().is_ok() {
            contenders.push(Contender::new(name, note, move || {
                let mut parser = Parser::start(program, document);
                move || parser.run()
            }));
        }
    }
    // The cost of a load does not depend on the document, so the ratio grows with it.
    let factor = document.size("json") as f64 / 20_000.0;
    let goals = vec![("serde_json", factor, factor * 2.0)];
    Job { name: "warm load", document, ours: "coconut", contenders, goals, items: None }
}

/// A loader that has loaded the document, and now finds it in the way this policy should.
fn warm(document: &Document, freshness: Freshness) -> Loader {
    let loader = Loader::builder().cache(Cache::new(document.path("cache"))).freshness(freshness).build();
    let expected = match freshness {
        Freshness::Content => Proof::Digest,
        Freshness::Stat => Proof::Stat,
        Freshness::Trust => Proof::Trusted,
    };
    loop {
        let loaded = loader.load_file(&document.path("json")).expect("a good source");
        match loaded.origin {
            Origin::Cached { proof, .. } if proof == expected => return loader,
            // The source may be so new that its times prove nothing yet.
            _ => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

/// The requested keys: each resource in turn, or always the same type of a schema.
fn keys(document: &Document, resources: Option<usize>) -> impl FnMut() -> String {
    let mut drawn = resources.map(Keys::new);
    let type_name = crate::processes::key(document);
    move || match &mut drawn {
        Some(keys) => keys.next().1,
        None => type_name.to_owned(),
    }
}

/// The name, the note, and the program with its option for a script. The script's argument is the
/// file.
const PARSERS: [(&str, &str, [&str; 3]); 2] = [
    ("Python json", "`json.loads` of the bytes in memory", ["python3", "-c", PYTHON]),
    ("Node JSON.parse", "`JSON.parse` of the text in memory", ["node", "-e", NODE]),
];

/// Parses once for each line of its input, and prints the elapsed nanoseconds.
const PYTHON: &str = "\
import json, sys, time
text = open(sys.argv[1], 'rb').read()
for line in sys.stdin:
    start = time.process_time_ns()
    value = json.loads(text)
    print(time.process_time_ns() - start, flush=True)
    del value
";

/// The same as above.
const NODE: &str = "\
const text = require('fs').readFileSync(process.argv[1], 'utf8');
require('readline').createInterface({ input: process.stdin }).on('line', () => {
  const start = process.cpuUsage();
  const value = JSON.parse(text);
  const used = process.cpuUsage(start);
  console.log((used.user + used.system) * 1000, typeof value);
});
";

/// A parser in a process that stays alive.
struct Parser {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Parser {
    fn start(program: [&str; 3], document: &Document) -> Parser {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(document.path("json"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it said its version");
        let input = child.stdin.take().expect("it was requested");
        let output = BufReader::new(child.stdout.take().expect("it was requested")).lines();
        Parser { child, input, output }
    }

    fn run(&mut self) -> Sample {
        self.input.write_all(b"once\n").expect("it waits for lines");
        let line = self.output.next().expect("it answers each line").expect("in UTF-8");
        let nanoseconds = line.split(' ').next().and_then(|number| number.parse().ok());
        let nanoseconds: f64 = nanoseconds.expect("it prints a number");
        Sample { time: nanoseconds / 1e9, drop: 0.0 }
    }
}

impl Drop for Parser {
    fn drop(&mut self) {
        // Both end with their input. This is for a hanging process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
