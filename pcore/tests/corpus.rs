//! Streams of known writers, with the values that Puppet itself decodes. They are not part of the
//! repository.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::event::ValueSink;
use coconut_format::Value;
use coconut_pcore::{Dialect, Envelope, PcoreErrorKind, Stream, WriteOptions};
use serde_json::{Map, Value as Json};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The unpacked corpus, and its index.
struct Corpus {
    folder: PathBuf,
    rows: Vec<Vec<String>>,
    _unpacked: TempDir,
}

impl Corpus {
    fn open() -> Option<Corpus> {
        let archive = coconut_testing::corpus()?.join("pcore.tar.xz");
        let unpacked = tempfile::tempdir().expect("a folder can be made");
        let tar = Command::new("tar").arg("-C").arg(unpacked.path()).arg("-xf").arg(&archive).status();
        if !tar.is_ok_and(|status| status.success()) {
            coconut_testing::skip("streams of Pcore, which `tar` with xz unpacks");
            return None;
        }
        let folder = unpacked.path().join("pcore");
        let index = fs::read_to_string(folder.join("INDEX.tsv")).expect("it has an index");
        let rows = index.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect());
        Some(Corpus { rows: rows.collect(), folder, _unpacked: unpacked })
    }

    /// The files of these kinds. A file may be listed twice.
    fn files(&self, kinds: &[&str]) -> Vec<&str> {
        let mut seen = HashSet::new();
        let rows = self.rows.iter().filter(|row| kinds.contains(&&*row[3]));
        rows.map(|row| &*row[0]).filter(|path| seen.insert(*path)).collect()
    }

    fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The values that Puppet decodes, or the true ones where Puppet is wrong. `None` if they have
    /// no form in JSON, or Puppet refuses the file.
    fn decoded(&self, path: &str) -> Option<Json> {
        let stem = path.rsplit_once('.').expect("it has an extension").0;
        let text = ["true", "decoded"]
            .iter()
            .find_map(|kind| fs::read(self.folder.join(format!("{stem}.{kind}.json"))).ok())?;
        let json: Json = serde_json::from_slice(&text).ok()?;
        json.get("not_json").is_none().then_some(json)
    }
}

fn dialect_of(path: &str) -> Dialect {
    match path {
        _ if path.starts_with("java/") => Dialect::Java01,
        _ if path.starts_with("ast48") || path.contains("/4.8.") => Dialect::Ruby48,
        _ if path.contains("/4.10.") => Dialect::Ruby49,
        _ => Dialect::Ruby54,
    }
}

const STREAMS: &[&str] =
    &["pcore-msgpack-value", "pcore-msgpack-ast", "xpp-envelope+pcore-msgpack-ast", "pcore-msgpack-ast-rgen"];

fn value_of(stream: &Stream<'_>) -> Value {
    let mut sink = ValueSink::new();
    stream.push(&mut sink).unwrap();
    sink.finish().unwrap()
}

/// The values of a document, and its vertices.
fn values_of(document: &Value) -> (Vec<&Value>, Option<&Value>) {
    match (document.get("pcore"), document.get("values")) {
        (Some(_), Some(Value::List(values))) => (values.iter().collect(), document.get("vertices")),
        _ => (vec![document], None),
    }
}

struct Comparison<'v> {
    vertices: Option<&'v Value>,
    root: &'v Json,
    seen: HashSet<(*const Value, *const Json)>,
}

impl<'v> Comparison<'v> {
    fn resolved(&self, value: &'v Value) -> &'v Value {
        match value.get("#ref").and_then(Value::as_str) {
            Some(key) => self.vertices.and_then(|vertices| vertices.get(key)).expect("it is a vertex"),
            None => value,
        }
    }

    fn dereferenced(&self, mut json: &'v Json) -> &'v Json {
        while json.get("__ptype").and_then(Json::as_str) == Some("LocalRef") {
            let mut path = json["__pvalue"].as_str().expect("a path").strip_prefix('$').expect("a path");
            json = self.root;
            while let Some(rest) = path.strip_prefix('[') {
                json = self.dereferenced(json);
                let (segment, after) = rest.split_once(']').expect("a bracket");
                json = match segment.strip_prefix('\'') {
                    Some(key) => &json[key.trim_end_matches('\'')],
                    None => &json[segment.parse::<usize>().expect("a number")],
                };
                path = after;
            }
        }
        json
    }

    fn same(&mut self, value: &'v Value, json: &'v Json, at: &str) -> Result<(), String> {
        let (value, json) = (self.resolved(value), self.dereferenced(json));
        let differs = || Err(format!("{at}: {value:?} is not {json}").chars().take(300).collect());
        match (value, json) {
            (Value::Null, Json::Null) => Ok(()),
            (Value::Bool(a), Json::Bool(b)) if a == b => Ok(()),
            (Value::Integer(a), Json::Number(b)) if !b.is_f64() => {
                let b = b.as_i64().map(i128::from).or_else(|| b.as_u64().map(i128::from));
                if Some(i128::from(*a)) == b { Ok(()) } else { differs() }
            }
            (Value::Float(a), Json::Number(b)) if b.as_f64().map(f64::to_bits) == Some(a.to_bits()) => Ok(()),
            (Value::String(a), Json::String(b)) if a == b => Ok(()),
            // Puppet prints the flags of a regular expression that has other letters than ASCII.
            (Value::String(a), Json::String(b)) if *b == format!("(?-imx:{a})") => Ok(()),
            // A float of 32 bits.
            (Value::Object(members), Json::Number(_)) if members[0].1.as_str() == Some("Float") => {
                self.same(&members[1].1, json, at)
            }
            // The type of the attribute makes a symbol of a text that pcore-java wrote.
            (Value::String(a), Json::Object(b)) if b["__ptype"] == "Symbol" && b["__pvalue"] == **a => Ok(()),
            (Value::List(a), Json::Array(b)) if a.len() == b.len() => {
                if !self.seen.insert((value, json)) {
                    return Ok(());
                }
                for (number, (a, b)) in a.iter().zip(b).enumerate() {
                    self.same(a, b, &format!("{at}/{number}"))?;
                }
                Ok(())
            }
            (Value::Object(a), Json::Object(b)) => {
                if !self.seen.insert((value, json)) {
                    return Ok(());
                }
                self.same_object(a, b, at)
            }
            _ => differs(),
        }
    }

    fn same_object(
        &mut self,
        a: &'v [(String, Value)],
        b: &'v Map<String, Json>,
        at: &str,
    ) -> Result<(), String> {
        let kind = a.first().filter(|(key, _)| key == "__ptype").map(|(_, kind)| kind);
        // Keys that mean something in rich data of any release make a list.
        if let Some(("Hash", Some(Value::List(list)))) =
            kind.and_then(Value::as_str).zip(Some(a.get(1).map(|(_, list)| list)))
            && !b.contains_key("__ptype")
        {
            let keys: Vec<&str> = list.iter().step_by(2).filter_map(Value::as_str).collect();
            let values = list.iter().skip(1).step_by(2);
            assert!(keys.iter().eq(b.keys()), "{at}: {keys:?}");
            return values.zip(b.values()).try_for_each(|(a, b)| self.same(a, b, at));
        }
        let own: Vec<&(String, Value)> =
            a.iter().filter(|(key, _)| key != "__pform" && key != "__ptype").collect();
        if let Some(Value::String(kind)) = kind {
            let text = own.first().and_then(|(_, value)| value.as_str());
            if b.contains_key("__nsecs") {
                return Ok(());
            }
            if b.get("__ptype").and_then(Json::as_str) != Some(kind) && kind != "Comment" {
                return Err(format!("{at}: {kind} is not {b:?}").chars().take(300).collect());
            }
            if kind == "Timespan" {
                // Puppet leaves out the zeros at both ends of the fraction.
                let short = |text: &str| {
                    let (clock, fraction) = text.split_once('.').expect("a fraction");
                    format!("{clock}.{}", fraction.trim_matches('0'))
                };
                let theirs = b["__pvalue"].as_str().expect("a text");
                let ours = text.expect("a text");
                return match short(ours) == short(theirs) {
                    true => Ok(()),
                    false => Err(format!("{at}: {ours} is not {theirs}")),
                };
            }
            if kind == "Comment" {
                let theirs = b.get("__comment").and_then(Json::as_str);
                return if theirs == text { Ok(()) } else { Err(format!("{at}: {text:?}")) };
            }
        }
        let mut theirs: Vec<(&String, &Json)> = b.iter().filter(|(key, _)| *key != "__ptype").collect();
        // Puppet prints attributes without a value that the stream leaves out.
        while theirs.len() > own.len() && theirs.last().is_some_and(|(_, json)| json.is_null()) {
            theirs.pop();
        }
        if own.len() != theirs.len() {
            return Err(format!("{at}: {} members, not {}", own.len(), theirs.len()));
        }
        for ((key, value), (their_key, json)) in own.into_iter().zip(theirs) {
            let is_position = key.bytes().all(|byte| byte.is_ascii_digit());
            if key != their_key && !(kind.is_some() && is_position) {
                return Err(format!("{at}: the member {key} is not {their_key}"));
            }
            self.same(value, json, &format!("{at}/{key}"))?;
        }
        Ok(())
    }

    /// Compares with a dump of Puppet 4.8, which leaves out attributes without a value.
    fn same_as_dump(&mut self, value: &'v Value, json: &'v Json, at: &str) -> Result<(), String> {
        let value = self.resolved(value);
        match (value, json) {
            (_, Json::Object(members)) if members.contains_key("again") => Ok(()),
            (Value::Object(own), Json::Object(members)) if members.contains_key("class") => {
                let kind = own.iter().find(|(key, _)| key == "__ptype").map(|(_, kind)| kind);
                let kind = kind.and_then(Value::as_str).unwrap_or("Puppet::AST::Locator");
                let class = members["class"].as_str().expect("a name");
                let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
                let is_locator = class.starts_with("Puppet::Pops::Parser::Locator");
                if last(kind) != last(class) && !is_locator {
                    return Err(format!("{at}: {kind} is not {class}"));
                }
                for (key, json) in members.iter().filter(|(key, _)| *key != "class") {
                    let member = value.get(key).ok_or_else(|| format!("{at}: no {key} in {kind}"))?;
                    self.same_as_dump(member, json, &format!("{at}/{key}"))?;
                }
                Ok(())
            }
            (Value::List(a), Json::Array(b)) if a.len() == b.len() => {
                for (number, (a, b)) in a.iter().zip(b).enumerate() {
                    self.same_as_dump(a, b, &format!("{at}/{number}"))?;
                }
                Ok(())
            }
            (Value::Object(own), Json::Object(members)) if members.len() == 1 => {
                let (kind, text) = members.iter().next().expect("there is one");
                let is_kind = own[0].1.as_str().is_some_and(|own| own.to_lowercase() == *kind);
                match is_kind && own[1].1.as_str() == text.as_str() {
                    true => Ok(()),
                    false => Err(format!("{at}: {own:?} is not {members:?}")),
                }
            }
            _ => self.same(value, json, at),
        }
    }
}

/// Compares the values of a file with the decoded ones. `Ok(false)` if there are none.
fn compare(corpus: &Corpus, path: &str) -> Result<bool, String> {
    let bytes = corpus.read(path);
    let stream = Stream::read(&bytes, Some(dialect_of(path))).map_err(|error| error.to_string())?;
    let document = value_of(&stream);
    let (values, vertices) = values_of(&document);
    let Some(decoded) = corpus.decoded(path) else { return Ok(false) };
    if path.starts_with("ast48") {
        let mut comparison = Comparison { vertices, root: &decoded, seen: HashSet::new() };
        return comparison.same_as_dump(values[0], &decoded, "").map(|()| true);
    }
    let is_stream = values.len() > 1;
    for (number, value) in values.into_iter().enumerate() {
        let json = if is_stream { &decoded[number] } else { &decoded };
        Comparison { vertices, root: json, seen: HashSet::new() }.same(value, json, "")?;
    }
    Ok(true)
}

#[test]
fn every_stream_has_the_values_that_are_beside_it() {
    let Some(corpus) = Corpus::open() else { return };
    let (mut same, mut without, mut wrong) = (0, Vec::new(), Vec::new());
    let files = corpus.files(STREAMS);
    for path in &files {
        match compare(&corpus, path) {
            Ok(true) => same += 1,
            Ok(false) => without.push(*path),
            Err(error) => wrong.push(format!("{path}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), files.len(), wrong.join("\n"));
    // Puppet refuses its own output, or the values have no form in JSON.
    assert!(same >= 360 && without.len() <= 12, "{same} are the same, and these are alone: {without:?}");
}

#[test]
fn every_stream_of_a_writer_is_written_back() {
    let Some(corpus) = Corpus::open() else { return };
    let mut wrong = Vec::new();
    let kinds = [STREAMS, &["pcore-json-lowlevel"]].concat();
    let mut files = 0;
    for path in corpus.files(&kinds).into_iter().filter(|path| !path.ends_with("_each.json")) {
        files += 1;
        let bytes = corpus.read(path);
        let bytes = if path.ends_with(".json") { bytes.trim_ascii_end() } else { &bytes };
        let dialect = dialect_of(path);
        let stream = Stream::read(bytes, Some(dialect)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let options = WriteOptions::of(&stream);
        let start = stream.envelope().map_or(0, Envelope::length);
        let again = stream.to_bytes(&options).unwrap_or_else(|error| panic!("{path}: {error}"));
        if again != bytes[start..] {
            wrong.push(format!("{path}: as a stream"));
        }
        let document = value_of(&stream);
        let rich = Stream::from_rich(&document, dialect).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(value_of(&rich) == document, "{path}: another document");
        match rich.to_bytes(&options) {
            Ok(again) if again == bytes[start..] => {}
            Ok(_) => wrong.push(format!("{path}: as a document")),
            Err(error) => wrong.push(format!("{path}: {error}")),
        }
    }
    // The writer compares regular expressions with their flags, but does not write these.
    let irregular =
        ["rich7/r_regexp_flags.msgpack: as a stream", "rich7/r_regexp_flags.msgpack: as a document"];
    assert_eq!(wrong, irregular, "of {files}");
    assert!(files > 375, "{files}");
}

#[test]
fn a_detected_dialect_gives_the_same_values_or_none() {
    let Some(corpus) = Corpus::open() else { return };
    let (mut ambiguous, mut wrong) = (Vec::new(), Vec::new());
    for path in corpus.files(STREAMS) {
        let bytes = corpus.read(path);
        let given = Stream::read(&bytes, Some(dialect_of(path))).map(|stream| value_of(&stream));
        let given = given.unwrap_or_else(|error| panic!("{path}: {error}"));
        match Stream::read(&bytes, None) {
            Ok(stream) => {
                let found = value_of(&stream);
                let (same, other) = (values_of(&found), values_of(&given));
                // Names of attributes and forms of bytes are those of the dialect.
                if same != other && dialect_of(path) == Dialect::Ruby54 {
                    wrong.push(path);
                }
            }
            Err(error) if matches!(error.kind(), PcoreErrorKind::Ambiguous { .. }) => ambiguous.push(path),
            Err(error) => panic!("{path}: {error}"),
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    println!("{ambiguous:?}");
    assert!(ambiguous.iter().all(|path| Path::new(path).extension().is_some()), "{ambiguous:?}");
}

/// Files of which each member is a stream of its own.
#[test]
fn streams_of_json_have_the_values_of_rich_data_of_the_same_release() {
    let Some(corpus) = Corpus::open() else { return };
    for version in ["4.8.2", "4.10.12", "5.5.22", "7.23.0"] {
        let path = format!("json_eras/{version}.pcore_json_each.json");
        let each: Json = serde_json::from_slice(&corpus.read(&path)).unwrap();
        let rich = fs::read(corpus.folder.join(format!("json_eras/{version}.richdata.json")));
        let rich = rich.unwrap_or_else(|_| corpus.read("json_eras/7.23.0.richdata.json"));
        let rich: Json = serde_json::from_slice(&rich).unwrap();
        let rename =
            |text: String| text.replace("__pcore_type__", "__ptype").replace("__pcore_value__", "__pvalue");
        let rich: Json = serde_json::from_str(&rename(rich.to_string())).unwrap();
        let mut seen = 0;
        for (key, stream) in each.as_object().unwrap() {
            let text = stream.as_str().unwrap();
            if text.starts_with("REFUSED") {
                continue;
            }
            seen += 1;
            let stream = Stream::read(text.as_bytes(), Some(dialect_of(&path)))
                .unwrap_or_else(|error| panic!("{path} {key}: {error}"));
            let document = value_of(&stream);
            let mut comparison = Comparison { vertices: None, root: &rich, seen: HashSet::new() };
            // 4.8 and 4.10 keep the spelling of a range.
            if !(key == "vr" && version.starts_with('4')) {
                comparison.same(&document, &rich[key], key).unwrap_or_else(|error| panic!("{path}: {error}"));
            }
            assert_eq!(stream.to_bytes(&WriteOptions::of(&stream)).unwrap(), text.as_bytes(), "{path} {key}");
        }
        assert!(seen >= 16, "{path}: {seen}");
    }
}
