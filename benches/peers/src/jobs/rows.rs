//! Rows of a known form, compared with peers that have a schema: written, opened, one row found,
//! and three fields of all rows.

use super::{Job, Keys, open_database};
use crate::documents::{Document, map};
use crate::measure::{Contender, Sample};
use crate::rows::{self, ArchivedRow, Row};
use crate::rows_capnp as cp;
use crate::rows_flatbuffers as fb;
use capnp::message::{Reader, ReaderOptions};
use capnp::serialize::{NoAllocSliceSegments, read_message_from_flat_slice_no_alloc};
use coconut_codec::Document as File;
use coconut_codec::read::file::Storage;
use coconut_codec::read::lookup::Lookup;
use coconut_codec::serde::from_view;
use memmap2::Mmap;
use rkyv::rancor::Error as RkyvError;
use rkyv::vec::ArchivedVec;
use serde::Deserialize;
use std::path::Path;

/// All jobs on the rows.
pub(crate) fn jobs(document: &Document) -> [Job<'_>; 4] {
    [write(document), cold(document), open(document), fields(document)]
}

fn job<'a>(name: &'static str, document: &'a Document, contenders: Vec<Contender<'a>>) -> Job<'a> {
    Job { name, document, ours: "coconut", contenders, goals: Vec::new(), items: None }
}

/// A contender that writes rows in memory.
fn writer<'a, T>(
    name: &'static str,
    note: &'static str,
    write: impl Fn(&Vec<Row>) -> T + 'static,
) -> Contender<'a> {
    Contender::new(name, note, || {
        let rows = rows::rows();
        move || Sample::of(|| write(&rows))
    })
}

fn write(document: &Document) -> Job<'_> {
    let contenders = vec![
        writer("coconut", "shares, indexes, checksums, two SHA-256", |rows| {
            coconut_codec::to_vec(rows).expect("within the limits")
        }),
        writer("FlatBuffers", "shares two of the texts", |rows| rows::to_flatbuffers(rows)),
        writer("Cap'n Proto", "", |rows| rows::to_capnp(rows)),
        writer("rkyv", "", rows::to_rkyv),
        writer("SQLite", "a database in memory, with an index on the name", |rows| {
            let database = rusqlite::Connection::open_in_memory().expect("memory");
            rows::fill_database(database, rows).expect("good statements")
        }),
        writer("serde_json", "", |rows| serde_json::to_vec(rows).expect("a vector takes all")),
    ];
    job("rows: write", document, contenders)
}

/// A contender that finds a row by its name in a file that no process has open.
fn finder<'a>(
    document: &'a Document,
    form: &'static str,
    name: &'static str,
    note: &'static str,
    find: impl Fn(&Path, &str) -> Row + 'static,
) -> Contender<'a> {
    Contender::new(name, note, move || {
        let path = document.path(form);
        let mut keys = Keys::new(rows::COUNT);
        move || {
            let name = rows::name(keys.next().0);
            let mut found = None;
            let sample = Sample::of(|| found = Some(find(&path, &name)));
            assert!(found.is_some_and(|row| row.name == name), "another row");
            sample
        }
    })
}

fn cold(document: &Document) -> Job<'_> {
    let contenders = vec![
        finder(document, "coco", "coconut", "checks the blocks that it touches", |path, name| {
            find(&File::open_paged(path).expect("a good file"), name)
        }),
        finder(document, "coco", "coconut, mapped", "checks the blocks that it touches", |path, name| {
            find(&File::from_data(map(path)).expect("a good file"), name)
        }),
        finder(document, "flatbuffers", "FlatBuffers verified", "verifies the whole file", |path, name| {
            find_flatbuffers(verified(&map(path)), name)
        }),
        finder(document, "flatbuffers", "FlatBuffers unchecked", "checks nothing", |path, name| {
            find_flatbuffers(unverified(&map(path)), name)
        }),
        finder(document, "capnp", "Cap'n Proto", "checks the pointers that it follows", |path, name| {
            let bytes = map(path);
            find_capnp(&message(&bytes), name)
        }),
        finder(document, "rkyv.rows", "rkyv checked", "validates the whole file", |path, name| {
            find_archived(checked(&map(path)), name)
        }),
        finder(document, "rkyv.rows", "rkyv unchecked", "checks nothing", |path, name| {
            find_archived(unchecked(&map(path)), name)
        }),
        Contender::new("SQLite", "an index on the name", move || {
            let mut keys = Keys::new(rows::COUNT);
            move || {
                let name = rows::name(keys.next().0);
                Sample::of(|| find_in_database(&open_database(document), &name))
            }
        }),
        finder(document, "json", "serde_json typed", "parses and builds everything", |path, name| {
            let all: Vec<Row> = serde_json::from_slice(&map(path)).expect("JSON");
            all.into_iter().find(|row| row.name == name).expect("it is there")
        }),
    ];
    job("rows: cold get", document, contenders)
}

/// A contender that opens a file, so that it can be read.
fn opener<'a, T>(
    document: &'a Document,
    form: &'static str,
    name: &'static str,
    note: &'static str,
    open: impl Fn(&Path) -> T + 'static,
) -> Contender<'a> {
    Contender::new(name, note, move || {
        let path = document.path(form);
        move || Sample::of(|| open(&path))
    })
}

/// The mapped file, after `open` has returned the number of its rows. Dropping it is timed
/// separately.
fn mapped(path: &Path, open: impl Fn(&[u8]) -> usize) -> Mmap {
    let bytes = map(path);
    assert_eq!(open(&bytes), rows::COUNT);
    bytes
}

fn open(document: &Document) -> Job<'_> {
    let contenders = vec![
        opener(document, "coco", "coconut", "checks the header; blocks are checked when touched", |path| {
            File::open_paged(path).expect("a good file")
        }),
        opener(document, "coco", "coconut, mapped", "the same", |path| {
            File::from_data(map(path)).expect("a good file")
        }),
        opener(document, "flatbuffers", "FlatBuffers verified", "verifies the whole file", |path| {
            mapped(path, |bytes| verified(bytes).len())
        }),
        opener(document, "flatbuffers", "FlatBuffers unchecked", "checks nothing", |path| {
            mapped(path, |bytes| unverified(bytes).len())
        }),
        opener(document, "capnp", "Cap'n Proto", "checks the segments and the list", |path| {
            mapped(path, |bytes| list(&message(bytes)).len() as usize)
        }),
        opener(document, "rkyv.rows", "rkyv checked", "validates the whole file", |path| {
            mapped(path, |bytes| checked(bytes).len())
        }),
        opener(document, "rkyv.rows", "rkyv unchecked", "checks nothing", |path| {
            mapped(path, |bytes| unchecked(bytes).len())
        }),
        Contender::new("SQLite", "reads nothing until the first statement", move || {
            move || Sample::of(|| open_database(document))
        }),
        opener(document, "json", "serde_json typed", "parses and builds everything", |path| {
            serde_json::from_slice::<Vec<Row>>(&map(path)).expect("JSON")
        }),
    ];
    job("rows: open", document, contenders)
}

/// The sums of three fields: the result of each contender.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    bytes_of_names: usize,
    ports: u64,
    enabled: u64,
}

impl Sums {
    fn add(&mut self, name: &str, port: u32, enabled: bool) {
        self.bytes_of_names += name.len();
        self.ports += u64::from(port);
        self.enabled += u64::from(enabled);
    }

    fn of<'r>(rows: impl Iterator<Item = (&'r str, u32, bool)>) -> Sums {
        rows.fold(Sums::default(), |mut sums, (name, port, enabled)| {
            sums.add(name, port, enabled);
            sums
        })
    }
}

/// Runs `sum` once more first, to compare its result.
fn summed(mut sum: impl FnMut() -> Sums) -> impl FnMut() -> Sample {
    let rows = rows::rows();
    let expected = Sums::of(rows.iter().map(|row| (row.name.as_str(), row.port, row.enabled)));
    assert_eq!(sum(), expected);
    move || Sample::of(&mut sum)
}

fn fields(document: &Document) -> Job<'_> {
    #[derive(Deserialize)]
    struct Three<'t> {
        name: &'t str,
        port: u32,
        enabled: bool,
    }
    let contenders = vec![
        Contender::new(
            "coconut",
            "of an open file, into a type with these fields; blocks were checked before",
            || {
                let file = File::from_data(document.map("coco")).expect("a good file");
                summed(move || {
                    let rows: Vec<Three<'_>> = from_view(file.view().root()).expect("rows");
                    Sums::of(rows.iter().map(|row| (row.name, row.port, row.enabled)))
                })
            },
        ),
        Contender::new("coconut, fields", "the same, each row by `Fields`", || {
            let file = File::from_data(document.map("coco")).expect("a good file");
            summed(move || sums(&file))
        }),
        Contender::new("FlatBuffers verified", "of an open file, verified before", || {
            let bytes = document.map("flatbuffers");
            verified(&bytes);
            summed(move || {
                Sums::of(unverified(&bytes).iter().map(|row| (row.name(), row.port(), row.enabled())))
            })
        }),
        Contender::new("Cap'n Proto", "of an open file; checks each name: its pointer, UTF-8", || {
            let bytes = document.map("capnp");
            summed(move || {
                let message = message(&bytes);
                list(&message).iter().fold(Sums::default(), |mut sums, row| {
                    let name = row.get_name().expect("a name").to_str().expect("UTF-8");
                    sums.add(name, row.get_port(), row.get_enabled());
                    sums
                })
            })
        }),
        Contender::new("rkyv checked", "of an open file, validated before", || {
            let bytes = document.map("rkyv.rows");
            checked(&bytes);
            summed(move || {
                let rows = unchecked(&bytes).iter();
                Sums::of(rows.map(|row| (row.name.as_str(), row.port.to_native(), row.enabled)))
            })
        }),
        Contender::new("SQLite", "of an open database, by a prepared statement", || {
            let database = open_database(document);
            summed(move || {
                let mut select =
                    database.prepare_cached("SELECT name, port, enabled FROM row").expect("a table");
                let mut rows = select.query(()).expect("a statement");
                let mut sums = Sums::default();
                while let Some(row) = rows.next().expect("a good file") {
                    let name = row.get_ref(0).and_then(|name| Ok(name.as_str()?)).expect("a text");
                    sums.add(name, row.get(1).expect("a number"), row.get(2).expect("a boolean"));
                }
                sums
            })
        }),
        Contender::new("serde_json typed", "parses all, builds only these fields", || {
            let text = document.text();
            summed(move || {
                let rows: Vec<Three<'_>> = serde_json::from_slice(&text).expect("JSON");
                Sums::of(rows.iter().map(|row| (row.name, row.port, row.enabled)))
            })
        }),
    ];
    job("rows: three fields", document, contenders)
}

fn find<D: Storage>(file: &File<D>, name: &str) -> Row {
    let Lookup::Found(landmark) = file.view().get_unique(name).expect("a good file") else {
        panic!("the name is there once");
    };
    from_view(landmark.value().expect("a good file")).expect("a row")
}

fn sums<D: Storage>(file: &File<D>) -> Sums {
    let mut fields = file.view().fields(["name", "port", "enabled"]);
    let mut sums = Sums::default();
    for row in file.view().root().as_list().expect("a good file").expect("a list").items() {
        let row = row.expect("a good file").as_object().expect("a good file").expect("an object");
        let [name, port, enabled] =
            fields.of(row).expect("a good file").map(|field| field.expect("it is there"));
        let port = port.as_u64().expect("a good file").expect("a number");
        sums.add(
            name.as_str().expect("a good file").expect("a text"),
            port.try_into().expect("32 bits"),
            enabled.as_bool().expect("a good file").expect("a boolean"),
        );
    }
    sums
}

type FlatRows<'a> = flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<fb::Row<'a>>>;

fn verified(bytes: &[u8]) -> FlatRows<'_> {
    flatbuffers::root::<fb::Rows<'_>>(bytes).expect("a good file").rows()
}

fn unverified(bytes: &[u8]) -> FlatRows<'_> {
    // SAFETY: the file was written by this program. This peer takes that risk.
    unsafe { flatbuffers::root_unchecked::<fb::Rows<'_>>(bytes) }.rows()
}

fn find_flatbuffers(rows: FlatRows<'_>, name: &str) -> Row {
    let row = rows.lookup_by_key(name, |row, name| row.key_compare_with_value(name)).expect("it is there");
    Row {
        name: row.name().to_owned(),
        kind: row.kind().to_owned(),
        region: row.region().to_owned(),
        port: row.port(),
        enabled: row.enabled(),
        note: row.note().to_owned(),
    }
}

fn message(bytes: &[u8]) -> Reader<NoAllocSliceSegments<'_>> {
    read_message_from_flat_slice_no_alloc(&mut &bytes[..], ReaderOptions::new()).expect("a good file")
}

fn list<'m>(message: &'m Reader<NoAllocSliceSegments<'_>>) -> capnp::struct_list::Reader<'m, cp::row::Owned> {
    let root: cp::rows::Reader<'m> = message.get_root().expect("a good file");
    root.get_rows().expect("a good file")
}

fn find_capnp(message: &Reader<NoAllocSliceSegments<'_>>, name: &str) -> Row {
    let (list, mut low) = (list(message), 0);
    let mut high = list.len();
    while low < high {
        let middle = low.midpoint(high);
        if list.get(middle).get_name().expect("a name").as_bytes() < name.as_bytes() {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let row = list.get(low);
    let text =
        |text: capnp::Result<capnp::text::Reader<'_>>| text.expect("a good file").to_string().expect("UTF-8");
    Row {
        name: text(row.get_name()),
        kind: text(row.get_kind()),
        region: text(row.get_region()),
        port: row.get_port(),
        enabled: row.get_enabled(),
        note: text(row.get_note()),
    }
}

fn checked(bytes: &[u8]) -> &ArchivedVec<ArchivedRow> {
    rkyv::access::<ArchivedVec<ArchivedRow>, RkyvError>(bytes).expect("a good file")
}

fn unchecked(bytes: &[u8]) -> &ArchivedVec<ArchivedRow> {
    // SAFETY: the file was written by this program. This peer takes that risk.
    unsafe { rkyv::access_unchecked::<ArchivedVec<ArchivedRow>>(bytes) }
}

fn find_archived(rows: &ArchivedVec<ArchivedRow>, name: &str) -> Row {
    let place = rows.binary_search_by(|row| row.name.as_str().cmp(name)).expect("it is there");
    rkyv::deserialize::<Row, RkyvError>(&rows[place]).expect("a good file")
}

fn find_in_database(database: &rusqlite::Connection, name: &str) -> Row {
    let found = database.query_row("SELECT * FROM row WHERE name = ?", [name], |row| {
        Ok(Row {
            name: row.get(0)?,
            kind: row.get(1)?,
            region: row.get(2)?,
            port: row.get(3)?,
            enabled: row.get(4)?,
            note: row.get(5)?,
        })
    });
    found.expect("it is there")
}
