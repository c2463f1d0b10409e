//! One resource of a file that no process has open: found, checked, decoded into a [`Resource`].

use super::{Job, Keys, open_database};
use crate::checkpoint::{ArchivedIndexed, Checkpoint, Resource};
use crate::documents::{Document, map};
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::{DocumentFile, Storage};
use coconut_codec::read::lookup::Lookup;
use coconut_codec::serde::from_view;
use rkyv::rancor::Error as RkyvError;
use sonic_rs::JsonValueTrait;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::PathBuf;

/// Returns `path`, once its file is in the page cache: the job measures reading, not the disk.
fn warm(path: PathBuf) -> PathBuf {
    let file = File::open(&path);
    file.and_then(|mut file| io::copy(&mut file, &mut io::sink())).expect("it was made before");
    path
}

/// The job on a checkpoint of `resources` resources.
pub(crate) fn job(document: &Document, resources: usize) -> Job<'_> {
    let keys = move || Keys::new(resources);
    let contenders = vec![
        Contender::new("open + map + touch", "the floor: reads byte 0, finds nothing", || {
            let path = warm(document.path("coco"));
            move || Sample::of(|| black_box(map(&path)[0]))
        }),
        Contender::new(
            "coconut",
            "reads the blocks that it touches, and checks them; a `Resource`",
            move || {
                let path = warm(document.path("coco"));
                let mut keys = keys();
                move || {
                    let (_, urn) = keys.next();
                    Sample::of(|| find(&DocumentFile::open_paged(&path).expect("a good file"), &urn))
                }
            },
        ),
        Contender::new("coconut, mapped", "checks the blocks that it touches; a `Resource`", move || {
            let path = warm(document.path("coco"));
            let mut keys = keys();
            move || {
                let (_, urn) = keys.next();
                Sample::of(|| find(&DocumentFile::from_data(map(&path)).expect("a good file"), &urn))
            }
        }),
        Contender::new("rkyv unchecked", "checks nothing; a `Resource`", move || {
            let path = warm(document.path("rkyv"));
            let mut keys = keys();
            move || {
                let (_, urn) = keys.next();
                Sample::of(|| {
                    let bytes = map(&path);
                    // SAFETY: the file was written by this program. This peer takes that risk.
                    let root = unsafe { rkyv::access_unchecked::<ArchivedIndexed>(&bytes) };
                    find_archived(root, &urn)
                })
            }
        }),
        Contender::new("rkyv checked", "validates the whole file; a `Resource`", move || {
            let path = warm(document.path("rkyv"));
            let mut keys = keys();
            move || {
                let (_, urn) = keys.next();
                Sample::of(|| {
                    let bytes = map(&path);
                    find_archived(
                        rkyv::access::<ArchivedIndexed, RkyvError>(&bytes).expect("a good file"),
                        &urn,
                    )
                })
            }
        }),
        Contender::new(
            "sonic-rs lazy, by index",
            "receives the position; skips the text before it",
            move || {
                let path = warm(document.path("json"));
                let mut keys = keys();
                move || {
                    let (number, _) = keys.next();
                    Sample::of(|| {
                        let text = map(&path);
                        let place = sonic_rs::pointer!["checkpoint", "latest", "resources", number];
                        // SAFETY: the file was written by this program and is JSON. This is the
                        // fastest way of the peer.
                        let found =
                            unsafe { sonic_rs::get_unchecked(&text[..], &place) }.expect("it is there");
                        sonic_rs::from_str::<Resource>(found.as_raw_str()).expect("a resource")
                    })
                }
            },
        ),
        Contender::new("sonic-rs lazy, by URN", "validates what is before it", move || {
            let path = warm(document.path("json"));
            let mut keys = keys();
            move || {
                let (_, urn) = keys.next();
                Sample::of(|| {
                    let text = map(&path);
                    let place = sonic_rs::pointer!["checkpoint", "latest", "resources"];
                    let list = sonic_rs::get(&text[..], &place).expect("it is there");
                    let found = sonic_rs::to_array_iter(list.as_raw_str())
                        .map(|item| item.expect("JSON"))
                        .find(|item| item.get("urn").is_some_and(|found| found.as_str() == Some(&urn)))
                        .expect("it is there");
                    sonic_rs::from_str::<Resource>(found.as_raw_str()).expect("a resource")
                })
            }
        }),
        Contender::new("SQLite", "an index on the URN; its row's JSON to a `Resource`", move || {
            let mut keys = keys();
            move || {
                let (_, urn) = keys.next();
                Sample::of(|| {
                    open_database(document)
                        .query_row("SELECT body FROM resource WHERE urn = ?", [&urn], |row| {
                            let body = row.get_ref(0)?.as_str()?;
                            Ok(serde_json::from_str::<Resource>(body).expect("a resource"))
                        })
                        .expect("it is there")
                })
            }
        }),
        Contender::new("serde_json typed", "parses and builds everything", move || {
            let path = warm(document.path("json"));
            let mut keys = keys();
            move || {
                let (_, urn) = keys.next();
                Sample::of(|| {
                    let all: Checkpoint = serde_json::from_slice(&map(&path)).expect("JSON");
                    all.checkpoint.latest.resources.into_iter().find(|resource| resource.urn == urn)
                })
            }
        }),
    ];
    let mut goals = vec![("open + map + touch", 1.0 / 3.0, 1.0 / 2.0), ("rkyv unchecked", 1.0 / 1.6, 1.0)];
    // Peers that read everything before they find one value take longer as the size grows.
    if resources == 20_000 {
        goals.extend([
            ("rkyv checked", 400.0, 700.0),
            ("sonic-rs lazy, by URN", 300.0, 500.0),
            ("serde_json typed", 5_000.0, 10_000.0),
        ]);
    }
    Job { name: "cold get", document, ours: "coconut", contenders, goals, items: None }
}

fn find<D: Storage>(file: &DocumentFile<D>, urn: &str) -> Resource {
    let Lookup::Found(landmark) = file.view().get_unique(urn).expect("a good file") else {
        panic!("the URN is there once");
    };
    from_view(landmark.value().expect("a good file")).expect("a resource")
}

fn find_archived(root: &ArchivedIndexed, urn: &str) -> Resource {
    let number = root.by_urn.get(urn).expect("it is there").to_native() as usize;
    let resource = &root.document.checkpoint.latest.resources[number];
    rkyv::deserialize::<Resource, RkyvError>(resource).expect("a good file")
}
