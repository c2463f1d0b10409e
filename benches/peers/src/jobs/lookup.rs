//! One key of an open file: finds the offset of the resource.

use super::{Job, Keys, open_database};
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::lookup::Lookup;
use coconut_tests::generate::urn;
use std::hint::black_box;

/// The job on a checkpoint of `resources` resources.
pub(crate) fn job(document: &Document, resources: usize) -> Job<'_> {
    let contenders = vec![
        hashbrown(resources),
        Contender::new("coconut", "the index in the map, key compared in the file; a view", move || {
            let file = DocumentFile::from_data(document.map("coco")).expect("a good file");
            every(drawn(resources), move |key| {
                let found = file.view().get_unique(key).expect("a good file");
                assert!(matches!(black_box(found), Lookup::Found(_)));
            })
        }),
        Contender::new("SQLite", "a prepared statement; the length of the body", move || {
            let database = open_database(document);
            every(drawn(resources), move |key| {
                let select = database.prepare_cached("SELECT length(body) FROM resource WHERE urn = ?");
                let mut select = select.expect("a statement");
                black_box(select.query_row([key], |row| row.get::<_, u32>(0)).expect("it is there"));
            })
        }),
    ];
    Job { name: "lookup", document, ours: "coconut", contenders, goals: goals(), items: None }
}

fn goals() -> Vec<(&'static str, f64, f64)> {
    vec![("hashbrown", 1.0 / 1.1, 1.0 / 0.8)]
}

/// The peer that already has the keys in memory.
fn hashbrown<'a>(resources: usize) -> Contender<'a> {
    Contender::new("hashbrown", "a map in memory from key to `u32`, foldhash", move || {
        let urns = (0..resources).map(|number| urn(number).into_boxed_str());
        let map: hashbrown::HashMap<Box<str>, u32> = urns.zip(0..).collect();
        every(drawn(resources), move |key| {
            black_box(map.get(key).copied());
        })
    })
}

/// The keys of all resources, in the order of the requests.
fn drawn(resources: usize) -> Vec<String> {
    let mut keys = Keys::new(resources);
    (0..resources).map(|_| keys.next().1).collect()
}

/// The same with the keys in memory, after they were read.
pub(crate) fn in_memory(document: &Document, resources: usize) -> Job<'_> {
    let contenders = vec![
        hashbrown(resources),
        Contender::new(
            "coconut",
            "a `KeyTable` of an open file, key compared in memory; a view",
            move || {
                // Never dropped: the table borrows it, and both live as long as the runs.
                let file =
                    Box::leak(Box::new(DocumentFile::from_data(document.map("coco")).expect("a good file")));
                let table = file.view().key_table().expect("a good file");
                every(drawn(resources), move |key| {
                    let found = table.get_unique(key);
                    assert!(matches!(black_box(&found), Lookup::Found(_)));
                })
            },
        ),
    ];
    Job { name: "lookup, keys in memory", document, ours: "coconut", contenders, goals: goals(), items: None }
}

/// The preceding cost: reads the keys of an open file into memory.
pub(crate) fn making(document: &Document, resources: usize) -> Job<'_> {
    let open = move || DocumentFile::from_data(document.map("coco")).expect("a good file");
    let contenders = vec![
        Contender::new("hashbrown", "the keys as `DocumentView::keys` reads them, into a map", move || {
            let file = open();
            move || {
                Sample::of(|| {
                    let mut map: hashbrown::HashMap<Box<str>, u32> =
                        hashbrown::HashMap::with_capacity(resources);
                    let mut keys = file.view().keys().expect("a good file");
                    while let Some((landmark, key)) = keys.read_next().expect("a good file") {
                        map.insert(key.into(), landmark.ordinal().expect("a good file"));
                    }
                    map
                })
            }
        }),
        Contender::new("coconut", "the same into a `KeyTable`", move || {
            let file = open();
            move || Sample::of(|| file.view().key_table().expect("a good file"))
        }),
    ];
    Job { name: "make keys in memory", document, ours: "coconut", contenders, goals: Vec::new(), items: None }
}

/// Looks up all of `keys`, which are those of all resources, each time.
fn every(keys: Vec<String>, look_up: impl Fn(&str)) -> impl FnMut() -> Sample {
    let count = u32::try_from(keys.len()).expect("resources are counted in u32");
    move || {
        let mut next = keys.iter();
        Sample::mean_of(count, || look_up(next.next().expect("as many as are timed")))
    }
}
