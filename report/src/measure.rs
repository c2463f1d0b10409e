//! Measures the size of a document as minified JSON, and its repeated parts.

use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::limits;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Integer;
use coconut_format::node::{Kind, Node};
use std::collections::HashMap;

/// Counts the events it receives.
///
/// Keeps every distinct key, and every distinct string with its uses. A run of events announced by
/// the caller is counted once and then multiplied. So the cost in time and memory follows the
/// stored size of a document, not the expanded one.
#[derive(Debug)]
pub struct Measure {
    /// Bytes of the document as minified JSON.
    pub bytes: u64,
    /// The number of values.
    pub values: u64,
    keys: Names,
    texts: Names,
    open: Vec<Open>,
    /// The key of the next value, and its position.
    key: Option<(u32, u64)>,
    /// Whether the separator before the next key or value was counted already.
    is_separated: bool,
    /// Runs of one value each, in the order in which they ended. A run inside another comes before
    /// it.
    runs: Vec<Run>,
    /// The index of each run in `runs`, by its number.
    places: HashMap<u64, usize>,
    open_runs: Vec<OpenRun>,
    /// The values received so far, and the limit. Excludes values of known runs. Adds the cost of
    /// keys and texts in values, because all of them can be one long text.
    received: u64,
    most: u64,
}

/// The result for a document.
#[derive(Debug)]
pub struct Measured {
    /// Bytes of the document as minified JSON.
    pub bytes: u64,
    /// The number of values.
    pub values: u64,
    /// Every distinct key.
    pub keys: HashMap<String, Tally>,
    /// Every distinct string that is not a key.
    pub texts: HashMap<String, Tally>,
}

/// The number of occurrences, and their total size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The occurrences.
    pub count: u64,
    /// The bytes of all of them together.
    pub bytes: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64, times: u64) {
        self.count += times;
        self.bytes += bytes * times;
    }
}

/// Numbered texts, and their tallies.
#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<String, u32>,
    tallies: Vec<Tally>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let next = u32::try_from(self.tallies.len()).expect("a stream has fewer texts than 2^32");
        self.numbers.insert(name.to_owned(), next);
        self.tallies.push(Tally::default());
        next
    }

    fn add(&mut self, number: u32, bytes: u64, times: u64) {
        self.tallies[number as usize].add(bytes, times);
    }

    fn finish(self) -> HashMap<String, Tally> {
        self.numbers.into_iter().map(|(name, number)| (name, self.tallies[number as usize])).collect()
    }
}

/// The contents of a run, without those of the runs inside it.
#[derive(Debug, Default)]
struct Counted {
    /// By number of the key or text: the bytes of one occurrence.
    keys: Vec<(u32, u64)>,
    texts: Vec<(u32, u64)>,
    /// Runs inside it, as indexes into [`Measure::runs`].
    runs: Vec<usize>,
}

/// A run that is one value.
#[derive(Debug)]
struct Run {
    bytes: u64,
    values: u64,
    counted: Counted,
    /// The number of its occurrences outside all other runs.
    times: u64,
}

/// A run that has not ended.
#[derive(Debug)]
struct OpenRun {
    number: u64,
    /// Whether it begins with a value, rather than a key.
    is_value: bool,
    /// The key of this value.
    key: Option<(u32, u64)>,
    /// The number of open containers, bytes and values before it.
    open: usize,
    bytes: u64,
    values: u64,
    counted: Counted,
}

/// An open container of a pushed value.
struct Pushed<'a, N> {
    values: Box<dyn Iterator<Item = (Option<&'a str>, N)> + 'a>,
    is_run: bool,
}

/// An open list or object.
#[derive(Debug)]
struct Open {
    is_object: bool,
    /// Items or entries so far.
    width: u64,
    /// The key of this container, and the bytes before the key.
    key: Option<(u32, u64)>,
}

impl Measure {
    /// Creates a measure with a limit of `most` values.
    pub fn within(most: u64) -> Measure {
        Measure {
            bytes: 0,
            values: 0,
            keys: Names::default(),
            texts: Names::default(),
            open: Vec::new(),
            key: None,
            is_separated: false,
            runs: Vec::new(),
            places: HashMap::new(),
            open_runs: Vec::new(),
            received: 0,
            most,
        }
    }

    /// Counts a value and everything below it, without recursion. Shared data is one run wherever
    /// it occurs.
    pub fn push<'a, N: Node<'a>>(&mut self, value: N) -> Result<(), SinkError> {
        let mut open: Vec<Pushed<'a, N>> = Vec::new();
        let mut next = Some(value);
        loop {
            if let Some(value) = next.take() {
                let stored_once_as = value.kind().is_container().then(|| value.stored_once_as()).flatten();
                let number = stored_once_as.map(|number| number as u64);
                let is_known = number.map_or(Ok(false), |number| self.begin_run(number))?;
                match value.kind() {
                    _ if is_known => {}
                    Kind::List => {
                        self.begin_list()?;
                        let values = Box::new(value.items().map(|item| (None, item)));
                        open.push(Pushed { values, is_run: number.is_some() });
                    }
                    Kind::Object => {
                        self.begin_object()?;
                        let values = Box::new(value.entries().map(|(key, value)| (Some(key), value)));
                        open.push(Pushed { values, is_run: number.is_some() });
                    }
                    _ => self.push_scalar(value)?,
                }
            }
            let Some(innermost) = open.last_mut() else { return Ok(()) };
            match innermost.values.next() {
                Some((key, value)) => {
                    key.map_or(Ok(()), |key| self.key(key))?;
                    next = Some(value);
                }
                None => {
                    self.end();
                    if open.pop().is_some_and(|ended| ended.is_run) {
                        self.end_run();
                    }
                }
            }
        }
    }

    /// Counts an unreadable value as null: the view's error slot keeps the error.
    fn push_scalar<'a, N: Node<'a>>(&mut self, value: N) -> Result<(), SinkError> {
        if let Some(text) = value.as_str() {
            self.string(text)
        } else if let Some(number) = value.as_integer() {
            self.integer(number)
        } else if let Some(number) = value.as_float() {
            self.float(number)
        } else if let Some(truth) = value.as_bool() {
            self.bool(truth)
        } else {
            self.null()
        }
    }

    /// The final result.
    pub fn finish(mut self) -> Measured {
        // A run ends before the runs that contain it, so those are popped first.
        while let Some(Run { counted, times, .. }) = self.runs.pop() {
            counted.keys.iter().for_each(|&(key, bytes)| self.keys.add(key, bytes, times));
            counted.texts.iter().for_each(|&(text, bytes)| self.texts.add(text, bytes, times));
            counted.runs.iter().for_each(|&place| self.runs[place].times += times);
        }
        let (keys, texts) = (self.keys.finish(), self.texts.finish());
        Measured { bytes: self.bytes, values: self.values, keys, texts }
    }

    /// Whether the next event is a value, rather than a key.
    fn is_before_value(&self) -> bool {
        self.key.is_some() || self.open.last().is_none_or(|open| !open.is_object)
    }

    /// Counts the comma before an item, except the first.
    fn separate(&mut self) {
        let is_separated = std::mem::replace(&mut self.is_separated, false);
        if let Some(open) = self.open.last_mut().filter(|open| !open.is_object && !is_separated) {
            self.bytes += u64::from(open.width > 0);
            open.width += 1;
        }
    }

    fn begin_value(&mut self) -> Result<(), SinkError> {
        self.received += 1;
        if self.received > self.most {
            return Err(SinkError::TooMany { what: "values to be measured" });
        }
        self.values += 1;
        self.separate();
        Ok(())
    }

    /// Counts a text before its value, which is refused if the limit was exceeded.
    fn receive_text(&mut self, text: &str) {
        self.received += text.len() as u64 / limits::BYTES_PER_STEP;
    }

    fn scalar(&mut self, bytes: u64) -> Result<(), SinkError> {
        self.begin_value()?;
        self.bytes += bytes;
        let key = self.key.take();
        self.end_value(key);
        Ok(())
    }

    fn end_value(&mut self, key: Option<(u32, u64)>) {
        if let Some((key, before)) = key {
            let bytes = self.bytes - before;
            match self.open_runs.last_mut() {
                Some(run) => run.counted.keys.push((key, bytes)),
                None => self.keys.add(key, bytes, 1),
            }
        }
    }

    fn begin(&mut self, is_object: bool) -> Result<(), SinkError> {
        self.begin_value()?;
        self.bytes += 1;
        let key = self.key.take();
        self.open.push(Open { is_object, width: 0, key });
        Ok(())
    }

    fn end(&mut self) {
        self.bytes += 1;
        let key = self.open.pop().and_then(|open| open.key);
        self.end_value(key);
    }

    /// Counts another occurrence of a known run.
    fn repeat(&mut self, place: usize) {
        match self.open_runs.last_mut() {
            Some(around) => around.counted.runs.push(place),
            None => self.runs[place].times += 1,
        }
    }
}

impl EventSink for Measure {
    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar(4)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.scalar(if value { 4 } else { 5 })
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.scalar(value.to_string().len() as u64)
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        printer.float(value)?;
        let text = printer.finish().map_err(|error| SinkError::Output(error.to_string()))?;
        self.scalar(text.len() as u64)
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.receive_text(value);
        let bytes = json_length(value);
        let text = self.texts.number(value);
        match self.open_runs.last_mut() {
            Some(run) => run.counted.texts.push((text, bytes)),
            None => self.texts.add(text, bytes, 1),
        }
        self.scalar(bytes)
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(false)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end();
        Ok(())
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(true)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.receive_text(key);
        let before = self.bytes;
        if let Some(open) = self.open.last_mut() {
            self.bytes += u64::from(open.width > 0);
            open.width += 1;
        }
        // The key, and a colon.
        self.bytes += json_length(key) + 1;
        self.key = Some((self.keys.number(key), before));
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end();
        Ok(())
    }

    fn begin_document(&mut self) {
        self.places.clear();
    }

    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        let is_value = self.is_before_value();
        if is_value {
            // The separator is not part of the run.
            self.separate();
            if let Some(&place) = self.places.get(&number) {
                let Run { bytes, values, .. } = self.runs[place];
                self.bytes += bytes;
                self.values += values;
                self.repeat(place);
                let key = self.key.take();
                self.end_value(key);
                return Ok(true);
            }
            self.is_separated = true;
        }
        let key = if is_value { self.key.take() } else { None };
        let (open, bytes, values) = (self.open.len(), self.bytes, self.values);
        self.open_runs.push(OpenRun {
            number,
            is_value,
            key,
            open,
            bytes,
            values,
            counted: Counted::default(),
        });
        Ok(false)
    }

    fn end_run(&mut self) {
        let run = self.open_runs.pop().expect("the caller ends only what it began");
        let OpenRun { number, is_value, key, open, counted, .. } = run;
        if is_value && self.open.len() == open && self.key.is_none() {
            let (bytes, values) = (self.bytes - run.bytes, self.values - run.values);
            self.places.insert(number, self.runs.len());
            self.runs.push(Run { bytes, values, counted, times: 0 });
            self.repeat(self.runs.len() - 1);
            self.end_value(key);
            return;
        }
        // The containers it opened continue after it: treat it as if it had not been a run.
        if let (Some(begun), Some(_)) = (self.open.get_mut(open), key) {
            begun.key = key;
        }
        match self.open_runs.last_mut() {
            Some(around) => {
                around.counted.keys.extend(counted.keys);
                around.counted.texts.extend(counted.texts);
                around.counted.runs.extend(counted.runs);
            }
            None => {
                counted.keys.into_iter().for_each(|(key, bytes)| self.keys.add(key, bytes, 1));
                counted.texts.into_iter().for_each(|(text, bytes)| self.texts.add(text, bytes, 1));
                counted.runs.into_iter().for_each(|place| self.runs[place].times += 1);
            }
        }
    }
}

/// The bytes of a string in JSON, including quotes, with the escapes of `JSON.stringify`.
fn json_length(text: &str) -> u64 {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
        0..0x20 => 5,
        _ => 0,
    });
    text.len() as u64 + 2 + escapes.sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::text::json;

    fn measured(text: &str) -> Measured {
        let mut measure = Measure::within(u64::MAX);
        json::read(text.as_bytes(), &mut measure, &json::JsonOptions::default()).unwrap();
        measure.finish()
    }

    #[test]
    fn a_minified_text_has_its_own_length() {
        for text in [
            "null",
            r#"{"a":[1,-2.5,true,false,{}],"b\"\n\u0001":[[]],"c":"é\\"}"#,
            "[[],[],{\"x\":{\"y\":\"z\"},\"w\":0}]",
        ] {
            assert_eq!(measured(text).bytes, text.len() as u64, "{text}");
        }
    }

    #[test]
    fn keys_and_texts_are_tallied_with_all_their_bytes() {
        let measure = measured(r#"{"a":{"b":"x"},"c":[{"b":"xy"},"x"]}"#);
        assert_eq!(measure.values, 7);
        assert_eq!(measure.keys["b"], Tally { count: 2, bytes: 7 + 8 });
        assert_eq!(measure.keys["a"], Tally { count: 1, bytes: 13 });
        assert_eq!(measure.texts["x"], Tally { count: 2, bytes: 6 });
    }

    /// Passes events on and counts them, with or without runs.
    struct Passing<'m> {
        measure: &'m mut Measure,
        has_runs: bool,
        events: u64,
    }

    macro_rules! pass_on {
        ($($name:ident($($argument:ident: $kind:ty)?);)*) => {
            $(fn $name(&mut self, $($argument: $kind)?) -> Result<(), SinkError> {
                self.events += 1;
                self.measure.$name($($argument)?)
            })*
        };
    }

    impl EventSink for Passing<'_> {
        pass_on! {
            null();
            bool(value: bool);
            integer(value: Integer);
            float(value: f64);
            string(value: &str);
            begin_list();
            end_list();
            begin_object();
            key(key: &str);
            end_object();
        }

        fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
            if self.has_runs { self.measure.begin_run(number) } else { Ok(false) }
        }

        fn end_run(&mut self) {
            if self.has_runs {
                self.measure.end_run();
            }
        }
    }

    /// Pairs of lists and objects, `levels` deep, with records of one shape next to them.
    fn doubling(levels: u32) -> String {
        let mut text =
            r#"{"leaf":"a leaf of some length","n":12,"same":{"kind":"k","at":{"line":1}}}"#.to_owned();
        for level in 0..levels {
            text = format!(r#"{{"level":{level},"left":{text},"kind":"k","right":[{text},null,{text}]}}"#);
        }
        text
    }

    fn with_file(text: &str, check: impl FnOnce(coconut_codec::read::file::DocumentView<'_>)) {
        use coconut_codec::compile::{CompileOptions, compile};
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        check(coconut_codec::read::file::DocumentFile::from_data(&bytes[..]).unwrap().view());
    }

    #[test]
    fn a_pushed_value_measures_the_same_as_a_streamed_one() {
        use coconut_codec::read::{stream::Budget, view::WatchedView};
        for levels in 0..8 {
            with_file(&doubling(levels), |document| {
                // A few for each level, which occurs three times in the next.
                let most = 30 + 30 * u64::from(levels);
                let [mut streamed, mut pushed] = [u64::MAX, most].map(Measure::within);
                document.stream(&mut streamed, Budget::default()).unwrap();
                let fault = std::cell::Cell::new(None);
                pushed.push(WatchedView::new(document.root(), &fault)).unwrap();
                assert_eq!(fault.take(), None);
                let (streamed, pushed) = (streamed.finish(), pushed.finish());
                assert_eq!(
                    (pushed.bytes, pushed.values),
                    (streamed.bytes, streamed.values),
                    "{levels} levels"
                );
                assert_eq!((pushed.keys, pushed.texts), (streamed.keys, streamed.texts), "{levels} levels");
            });
        }
    }

    #[test]
    fn more_values_than_are_to_be_measured_are_refused() {
        // The list counts as one.
        for (most, expected) in [(5, Ok(())), (4, Err(SinkError::TooMany { what: "values to be measured" }))]
        {
            with_file(r#"[1,null,"a",2.5]"#, |document| {
                let fault = std::cell::Cell::new(None);
                let root = coconut_codec::read::view::WatchedView::new(document.root(), &fault);
                assert_eq!(Measure::within(most).push(root), expected, "{most}");
            });
        }
    }

    #[test]
    fn a_long_text_is_measured_like_many_values() {
        let (key, text) = ("k".repeat(3200), "t".repeat(320));
        let source = format!(r#"{{"{key}":"{text}"}}"#);
        // The object, its key, and the text with its value.
        for (most, is_good) in [(1 + 100 + 10 + 1, true), (1 + 100 + 10, false)] {
            let mut measure = Measure::within(most);
            let read = json::read(source.as_bytes(), &mut measure, &json::JsonOptions::default());
            assert_eq!(read.is_ok(), is_good, "{most}");
        }
    }

    #[test]
    fn shared_values_are_counted_once_with_the_same_result() {
        use coconut_codec::read::stream::Budget;
        for levels in 0..8 {
            with_file(&doubling(levels), |document| {
                let [(shared, events), (whole, _)] = [true, false].map(|has_runs| {
                    let mut measure = Measure::within(u64::MAX);
                    let mut sink = Passing { measure: &mut measure, has_runs, events: 0 };
                    document.stream(&mut sink, Budget::default()).unwrap();
                    let events = sink.events;
                    (measure.finish(), events)
                });
                assert_eq!((shared.bytes, shared.values), (whole.bytes, whole.values), "{levels} levels");
                assert_eq!((shared.keys, shared.texts), (whole.keys, whole.texts), "{levels} levels");
                // A few for each level, which occurs three times in the next.
                assert!(events <= 30 + 30 * u64::from(levels), "{events} events in {levels} levels");
            });
        }
    }

    /// Runs of a stream without secrets, too.
    #[test]
    fn what_is_shared_beside_a_secret_is_measured_once() {
        use coconut_codec::read::stream::Budget;
        use coconut_codec::secrets::{Redaction, SECRET};
        use coconut_format::graph::SIGNATURE_KEY;
        // 64 secrets, each beside a value without secrets of more than 64 texts.
        let beside = |plaintext: &str| {
            let twice = |below: String, level: u32| {
                format!(r#"{{"level":{level},"l":{below},"k":"k","r":[{below}]}}"#)
            };
            let shared = (0..6).fold(r#"{"leaf":"of some length","at":{"line":1}}"#.to_owned(), twice);
            let signature = "1b47061264138c4ac30d75fd1eb44270";
            let secret = format!(r#"{{"{SIGNATURE_KEY}":"{signature}","plaintext":"{plaintext}"}}"#);
            (0..6).fold(format!("[{secret},{shared},[{shared}]]"), twice)
        };
        with_file(&beside("x"), |document| {
            let redaction = Redaction::of_document(document, false).unwrap();
            let mut sink = redaction.sink(&[], Measure::within(4000));
            document.stream(&mut sink, Budget::default()).unwrap();
            let measured = sink.into_inner().finish();
            assert_eq!(measured.bytes, beside(SECRET).len() as u64);
            assert!(measured.values > 40_000, "{}", measured.values);
        });
    }
}
