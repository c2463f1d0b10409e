//! One key of a file that is open: where the resource lies.

use super::{Job, Keys, open_database};
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::file::DocumentFile;
use coconut_codec::lookup::Lookup;
use coconut_tests::generate::urn;
use std::hint::black_box;

/// The job on a checkpoint of `resources` resources.
pub(crate) fn job(document: &Document, resources: usize) -> Job<'_> {
    let drawn = move || {
        let mut keys = Keys::new(resources);
        (0..resources).map(|_| keys.next().1).collect::<Vec<String>>()
    };
    let contenders = vec![
        Contender::new("hashbrown", "a map in memory from key to `u32`, foldhash", move || {
            let urns = (0..resources).map(|number| urn(number).into_boxed_str());
            let map: hashbrown::HashMap<Box<str>, u32> = urns.zip(0..).collect();
            every(drawn(), move |key| {
                black_box(map.get(key).copied());
            })
        }),
        Contender::new("coconut", "the index in the map, key compared in the file; a view", move || {
            let file = DocumentFile::from_data(document.map("coco")).expect("a good file");
            every(drawn(), move |key| {
                let found = file.view().get_unique(key).expect("a good file");
                assert!(matches!(black_box(found), Lookup::Found(_)));
            })
        }),
        Contender::new("SQLite", "a prepared statement; the length of the body", move || {
            let database = open_database(document);
            every(drawn(), move |key| {
                let select = database.prepare_cached("SELECT length(body) FROM resource WHERE urn = ?");
                let mut select = select.expect("a statement");
                black_box(select.query_row([key], |row| row.get::<_, u32>(0)).expect("it is there"));
            })
        }),
    ];
    Job {
        name: "lookup",
        document,
        ours: "coconut",
        contenders,
        goals: vec![("hashbrown", 1.0 / 1.1, 1.0 / 0.8)],
        items: None,
    }
}

/// Looks up all of `keys`, which are those of all resources, each time.
fn every(keys: Vec<String>, look_up: impl Fn(&str)) -> impl FnMut() -> Sample {
    let count = u32::try_from(keys.len()).expect("resources are counted in u32");
    move || {
        let mut next = keys.iter();
        Sample::mean_of(count, || look_up(next.next().expect("as many as are timed")))
    }
}
