//! `query`: runs filters in the language of `jq` on documents.

mod options;
mod worker;

use clap::Args;
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentView;
use coconut_query::{Chosen, Ended, Filter, Input, Note, Open, Output, Plain, Run, Source, Val, Wanted};
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{number, text};
use coconut_report::name_filter::described;
use coconut_report::outline;
use coconut_report::safe::{SafeJson, visible};
use coconut_report::streamed::Report;
use coconut_shell::console::Console;
use coconut_shell::open::{Access, Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use options::Options;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Query documents with jq filters
///
/// FILTER is a jq filter. Only the values that it uses are decoded, and secrets are replaced before
/// it sees them. It runs once for each document, also of a stream in YAML or JSON Lines. With
/// --each, it runs once for each outermost landmark. With --key, --type or
/// --where, it runs once for each landmark that matches. With --slurp, it runs once for all
/// documents.
///
/// In addition to the functions of jq, there are `key`, `file`, `landmarks`, `landmark(KEY)`,
/// `deps`, `rdeps`, `ancestors(DEPTH)`, `dependents(DEPTH)`, `paths_between(FROM; TO)`,
/// `edge_kinds` and `find(TEXT)`. `docs/query.md` lists the differences from jq.
///
/// A filter runs in a process of its own, with limits on steps, memory, stack and time. A filter
/// that only selects, such as `.a[] | select(.b == 1)`, runs without one, and only its steps are
/// limited. Exits with 3 if FILTER cannot be compiled, with 5 if it fails, and with 7 if it exceeds
/// a limit.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/query.trycmd"))]
pub struct Query {
    #[command(flatten)]
    options: Options,
}

impl Query {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let options = &self.options;
        let is_supervisor = !options.worker && !options.no_worker;
        if is_supervisor && options.has_filter_in_pipe() {
            return worker::supervise(options.limits(), console);
        }
        let (filter, files) = options.filter_and_files()?;
        let is_plain = options.is_whole() && Plain::of(&filter).is_some();
        if !options.worker && (is_plain || Filter::choosing(&filter).is_some()) {
            let answer =
                || Question::of(options, &filter, false, console)?.answer(documents, &files, console);
            return worker::with_stack(worker::SMALL_STACK, answer);
        }
        if is_supervisor {
            return worker::supervise(options.limits(), console);
        }
        if options.worker {
            worker::end_with_watcher(options.limits());
        }
        worker::with_stack(worker::STACK, || {
            Question::of(options, &filter, true, console)?.answer(documents, &files, console)
        })
    }
}

/// A filter and the use of its results, for all files.
struct Question<'q> {
    options: &'q Options,
    /// The text of the filter.
    text: String,
    filter: Asked,
    wanted: Wanted,
    output: Output,
    /// The values of the variables of the command line.
    variables: Vec<Val>,
    results: u64,
    /// Whether the last result is neither false nor null.
    is_true: bool,
    halted: Option<Exit>,
}

enum Asked {
    Plain(Plain),
    Filter(Rc<Filter>),
}

/// A document of the tool, which views of the filter share.
struct Shared(Rc<Opened>);

impl Open for Shared {
    fn view(&self) -> DocumentView<'_> {
        self.0.view()
    }
}

/// Writes a message of the filter to standard error. If a terminal gets it, a text is one line,
/// since further lines
/// could imitate those of the tool.
fn note(note: Note<'_>, is_seen: bool) {
    let mut errors = io::stderr();
    // An error there cannot be reported.
    let _ = match (note, is_seen) {
        (Note::Text(text) | Note::Json(text), false) => errors.write_all(text.as_bytes()),
        (Note::Json(text), true) => SafeJson::new(errors).write_all(text.as_bytes()),
        (Note::Text(text), true) => {
            let text = match text.strip_suffix('\n') {
                Some(line) => visible(line) + "\n",
                None => visible(text),
            };
            errors.write_all(text.as_bytes())
        }
    };
}

/// The failure of a filter, which reads in an order of its own. Damage is named as in a walk of the
/// documents.
fn damage_in(documents: &[Rc<Opened>], failure: Failure) -> Failure {
    let is_damage = failure.exit() == Exit::Decode;
    let damage = documents.iter().find_map(|opened| {
        let damage = || opened.view().check_values().err().filter(|_| is_damage).map(Failure::from);
        opened.read_fault().or_else(damage).map(|damage| damage.in_file(&opened.name))
    });
    damage.unwrap_or(failure)
}

impl<'q> Question<'q> {
    fn of(
        options: &'q Options,
        filter: &str,
        is_compiled: bool,
        console: &Console,
    ) -> Result<Question<'q>, Failure> {
        let text = filter.to_owned();
        let plain = Plain::of(filter).filter(|_| !is_compiled && options.is_whole());
        let filter = match (plain, Filter::choosing(filter).filter(|_| !is_compiled)) {
            (Some(plain), _) => Asked::Plain(plain),
            (None, Some(choosing)) => Asked::Filter(Rc::new(choosing)),
            (None, None) => Asked::Filter(Rc::new(Filter::compile(filter, &options.variable_names())?)),
        };
        Ok(Question {
            options,
            text,
            filter,
            wanted: Wanted::of(&options.key, &options.types, &options.conditions)?,
            output: Output::new(options.style(console)),
            variables: options.variable_values()?,
            results: 0,
            is_true: false,
            halted: None,
        })
    }

    fn answer(
        &mut self,
        documents: &dyn Documents,
        files: &[PathBuf],
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let answered = match self.options {
            Options { null_input: true, .. } if files.is_empty() => self.ask_nothing(console)?,
            Options { raw_input: true, .. } => self.ask_text(files, console)?,
            Options { slurp: true, .. } => self.ask_all(documents, files, console)?,
            _ => {
                let marks = if self.options.with_file { Marks::Column } else { Marks::Inside };
                Sources::of(documents, files)
                    .each(console, marks, |file, console| self.ask(file, documents, console))?
            }
        };
        self.output.finish(console)?;
        if answered == Exit::Negative {
            let Options { key, types, .. } = self.options;
            console.note(&format!("no landmark has {}", described(key, types)));
        }
        Ok(match (answered, self.halted) {
            (Exit::Good, Some(exit)) => exit,
            (Exit::Good, None) if self.options.exit_status && !self.is_true => Exit::Negative,
            (exit, _) => exit,
        })
    }

    fn ask_nothing(&mut self, console: &mut Console) -> Result<Exit, Failure> {
        let input = Input::only(Val::Null);
        self.limit_memory();
        self.print(None, "standard input", std::iter::once(Ok(input)), console)
    }

    /// Runs the filter on each line of the files, which are one text.
    fn ask_text(&mut self, files: &[PathBuf], console: &mut Console) -> Result<Exit, Failure> {
        let mut text = String::new();
        for file in files {
            let file = coconut_shell::open::read(file)?;
            text.push_str(&String::from_utf8_lossy(&file));
        }
        self.limit_memory();
        let Options { null_input, slurp, .. } = *self.options;
        let whole = [Val::text(&text)];
        let lines = text.strip_suffix('\n').unwrap_or(&text).split('\n').filter(|_| !text.is_empty());
        let inputs: Box<dyn Iterator<Item = Val>> = match (null_input, slurp) {
            (true, _) => Box::new(std::iter::once(Val::Null)),
            (false, true) => Box::new(whole.into_iter()),
            (false, false) => Box::new(lines.map(Val::text)),
        };
        self.print(None, "text", inputs.map(|value| Ok(Input::only(value))), console)
    }

    /// Runs the filter once, on the list of all documents.
    fn ask_all(
        &mut self,
        documents: &dyn Documents,
        files: &[PathBuf],
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let (mut sources, mut all) = (Vec::new(), Vec::new());
        let read = Sources::of(documents, files).each(console, Marks::Inside, |file, console| {
            let opened = documents.open(file, Access::Whole, console)?;
            let name = opened.name.clone();
            opened.check_whole().map_err(|error| Failure::from(error).in_file(&name))?;
            let is_stream = opened.has_several_documents();
            let opened = Rc::new(opened);
            all.push(Rc::clone(&opened));
            let source = Source::of(Rc::new(Shared(opened)), &name, console.reveal);
            let source = source.map_err(|error| Failure::from(error).in_file(&name))?;
            sources.push((Rc::new(source), is_stream));
            Ok(Exit::Good)
        })?;
        let name = match &sources[..] {
            [(only, _)] => only.name().to_owned(),
            _ => format!("{} files", sources.len()),
        };
        let mut values = Vec::new();
        for (source, is_stream) in &sources {
            let in_file = |failure: Failure| failure.in_file(source.name());
            match is_stream {
                true => values.extend(source.documents().map_err(in_file)?.iter().cloned()),
                false => values.push(source.root().map_err(|error| in_file(error.into()))?),
            }
        }
        let value = Val::list(values);
        self.limit_memory();
        let input = Input::only(value);
        let answer = self.print(None, &name, std::iter::once(Ok(input)), console);
        sources.iter().for_each(|(source, _)| source.release());
        let answer = answer.map_err(|failure| damage_in(&all, failure).in_file(&name));
        answer.map(|exit| if read == Exit::Good { exit } else { read })
    }

    fn ask(
        &mut self,
        file: &Path,
        documents: &dyn Documents,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        if self.is_done() {
            return Ok(Exit::Good);
        }
        if self.options.worker {
            worker::lift_memory_limit();
        }
        let is_lookup = match &self.filter {
            Asked::Plain(plain) => !plain.is_root(),
            Asked::Filter(_) => self.wanted.is_lookup(),
        };
        let access = if is_lookup { Access::Lookup } else { Access::Whole };
        let opened = documents.open(file, access, console)?;
        let is_replaceable = opened.is_replaceable && access != Access::Whole && self.results == 0;
        let before = self.results;
        if !is_lookup {
            let is_read = opened.check_whole();
            is_read.map_err(|error| Failure::from(error).in_file(&opened.name))?;
        }
        match self.show(Rc::new(opened), console) {
            // The damage shows only now. A check of the whole document finds another form of it.
            Err(failure) if is_replaceable && failure.exit() == Exit::Decode && self.results == before => {
                let opened = documents.open(file, Access::Whole, console)?;
                self.show(Rc::new(opened), console)
            }
            answer => answer,
        }
    }

    /// Limits the memory of a worker. Without one, this process is not limited.
    fn limit_memory(&self) {
        if self.options.worker {
            worker::limit_memory(self.options.limits());
        }
    }

    /// Whether no further result is requested.
    fn is_done(&self) -> bool {
        self.halted.is_some() || self.options.limit.is_some_and(|limit| self.results >= limit)
    }

    fn show(&mut self, opened: Rc<Opened>, console: &mut Console) -> Result<Exit, Failure> {
        let name = opened.name.clone();
        let answer = self.show_opened(&opened, &name, console);
        answer.map_err(|failure| damage_in(&[opened], failure).in_file(&name))
    }

    fn show_opened(
        &mut self,
        opened: &Rc<Opened>,
        name: &str,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let shared: Rc<dyn Open> = Rc::new(Shared(Rc::clone(opened)));
        let most_steps = self.options.max_steps;
        if self.options.is_whole() && opened.has_several_documents() {
            return self.show_documents(shared, name, console);
        }
        let sees_all = match &self.filter {
            Asked::Plain(plain) => {
                let value = plain.value_in(shared, console.reveal, most_steps, name)?;
                return self.print_values(name, console, |receive| receive(value).map(|_| ()));
            }
            Asked::Filter(filter) => filter.sees_landmarks(),
        };
        if self.options.is_each() {
            let Chosen { source, inputs, is_any } =
                self.wanted.inputs(&shared, name, sees_all, console.reveal, most_steps)?;
            self.limit_memory();
            let answer = self.print(Some(&source), name, inputs, console);
            source.release();
            // There was no request, as if no landmark had the key.
            return answer.map(|exit| if is_any { exit } else { Exit::Negative });
        }
        let source = Rc::new(Source::of(shared, name, console.reveal)?);
        self.limit_memory();
        let value = if self.options.null_input { Val::Null } else { source.root()? };
        let input = Input::only(value);
        let answer = self.print(Some(&source), name, std::iter::once(Ok(input)), console);
        source.release();
        answer
    }

    /// Runs the filter once for each document of a stream.
    fn show_documents(
        &mut self,
        shared: Rc<dyn Open>,
        name: &str,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        if let Asked::Plain(_) = self.filter {
            let filter = Filter::choosing(&self.text);
            let filter =
                filter.map_or_else(|| Filter::compile(&self.text, &self.options.variable_names()), Ok)?;
            self.filter = Asked::Filter(Rc::new(filter));
        }
        let source = Rc::new(Source::of(shared, name, console.reveal)?);
        self.limit_memory();
        let documents = source.documents()?;
        let inputs = documents.iter().map(|document| Ok(Input::only(document.clone())));
        let answer = self.print(Some(&source), name, inputs, console);
        source.release();
        answer
    }

    /// Runs the filter on each input, and prints the results.
    fn print(
        &mut self,
        source: Option<&Rc<Source>>,
        name: &str,
        inputs: impl Iterator<Item = Result<Input, Failure>>,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let variables = self.variables.clone();
        let reveal = console.reveal;
        let (mut halted, is_seen) = (None, self.options.is_seen());
        let most_steps = self.options.max_steps;
        let filter = match &self.filter {
            Asked::Filter(filter) => Some(Rc::clone(filter)),
            Asked::Plain(_) => None,
        };
        let events = match self.options.stream {
            true => Some(Filter::compile("tostream", &[])?),
            false => None,
        };
        let answer = self.print_values(name, console, |receive| {
            let Some(filter) = filter.as_deref() else { return Ok(()) };
            let notes = &|text: Note<'_>| note(text, is_seen);
            let run_of = |filter| Run { filter, source: source.cloned(), reveal, notes, most_steps, name };
            for input in inputs {
                let Input { value, key, ordinal } = input?;
                let mut all = variables.clone();
                all.extend([Val::text(name), key, ordinal]);
                let values = match &events {
                    Some(events) => {
                        let mut values = Vec::new();
                        run_of(events).on(value, Vec::new(), |event| {
                            values.push(event);
                            Ok(true)
                        })?;
                        values
                    }
                    None => vec![value],
                };
                for value in values {
                    match run_of(filter).on(value, all.clone(), &mut *receive)? {
                        Ended::Whole => {}
                        Ended::Stopped => return Ok(()),
                        Ended::Halted(exit) => {
                            halted = Some(exit);
                            return Ok(());
                        }
                    }
                }
            }
            Ok(())
        });
        self.halted = halted;
        answer
    }

    /// Prints the values that `ask` passes to its argument, which returns whether it accepts more.
    fn print_values(
        &mut self,
        name: &str,
        console: &mut Console,
        ask: impl FnOnce(&mut dyn FnMut(Val) -> Result<bool, Failure>) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        let limit = self.options.limit.unwrap_or(u64::MAX);
        let (mut results, mut is_true) = (self.results, self.is_true);
        let before = results;
        let answer = if console.json {
            // Nothing is printed before the first result is known to be readable.
            let (mut begun, mut console) = (None, Some(console));
            let mut begin = move || -> Result<Option<Report<'_>>, Failure> {
                let Some(console) = console.take() else { return Ok(None) };
                let mut report = Report::begin(console, "query", [("file", text(name))])?;
                report.begin_list("results")?;
                Ok(Some(report))
            };
            ask(&mut |value| {
                is_true = !value.is_false();
                let mut sink = ValueSink::new();
                value.push(&mut sink)?;
                begun = begun.take().or(begin()?);
                if let Some(report) = &mut begun {
                    report.item(&outline::received(sink))?;
                }
                results += 1;
                Ok(results < limit)
            })
            .and_then(|()| {
                let Some(mut report) = begun.or(begin()?) else { return Ok(()) };
                report.end_list()?;
                report.member("count", &number(results - before))?;
                report.end()
            })
        } else {
            let after = self.output.another();
            let mut output = std::mem::replace(&mut self.output, after);
            output.mark = console.column();
            let asked = match limit {
                0 => Ok(()),
                limit => ask(&mut |value| {
                    is_true = !value.is_false();
                    output.add(value, console)?;
                    results += 1;
                    Ok(results < limit)
                }),
            };
            match self.options.with_file {
                // Lines get the name of the file only here.
                true => asked.and_then(|()| output.finish(console)),
                false => {
                    self.output = output;
                    asked
                }
            }
        };
        (self.results, self.is_true) = (results, is_true);
        answer.map(|()| Exit::Good)
    }
}
