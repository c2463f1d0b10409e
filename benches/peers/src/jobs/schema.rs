//! One resource type of a provider schema that no process has open: found, checked, decoded into a
//! [`serde_json::Value`].

use super::Job;
use crate::documents::{Document, map};
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::{DocumentFile, Storage};
use coconut_codec::read::lookup::Lookup;
use coconut_codec::serde::from_view;
use coconut_tests::generate::Random;
use serde_json::Value;
use std::hint::black_box;
use std::path::Path;

/// The types of the only provider of a schema, in an order drawn once, and their ranges in the
/// JSON.
struct Types {
    provider: String,
    names: Vec<String>,
}

impl Types {
    /// The types with a unique key: a data source may have the same name.
    fn of(document: &Document) -> Types {
        let schema: Value = serde_json::from_slice(&document.text()).expect("JSON");
        let providers = schema["provider_schemas"].as_object().expect("a provider schema");
        let (provider, content) = providers.iter().next().expect("one provider");
        let all = content["resource_schemas"].as_object().expect("resource types");
        let file = DocumentFile::from_data(document.map("coco")).expect("a good file");
        let is_unique = |name: &&String| matches!(file.view().get_unique(name), Ok(Lookup::Found(_)));
        let mut names: Vec<String> = all.keys().filter(is_unique).cloned().collect();
        let mut random = Random::new(1);
        for last in (1..names.len()).rev() {
            names.swap(last, random.below(last + 1));
        }
        Types { provider: provider.clone(), names }
    }

    fn place<'t>(&'t self, name: &'t str) -> [&'t str; 4] {
        ["provider_schemas", &self.provider, "resource_schemas", name]
    }
}

/// A run that reads one type after the other.
fn each<'a>(
    document: &'a Document,
    form: &'static str,
    get: impl Fn(&Path, &Types, &str) -> Value + 'a,
) -> impl FnMut() -> Sample + 'a {
    let (path, types) = (document.path(form), Types::of(document));
    let mut next = 0;
    move || {
        let name = &types.names[next % types.names.len()];
        next += 1;
        Sample::of(|| get(&path, &types, name))
    }
}

/// The type of this name, found by its key.
fn find<D: Storage>(file: &DocumentFile<D>, name: &str) -> Value {
    let Lookup::Found(landmark) = file.view().get_unique(name).expect("a good file") else {
        panic!("the type is there once");
    };
    from_view(landmark.value().expect("a good file")).expect("any value is a `Value`")
}

/// The job on a provider schema.
pub(crate) fn job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("open + map + touch", "the floor: reads byte 0, finds nothing", || {
            let path = document.path("coco");
            move || Sample::of(|| black_box(map(&path)[0]))
        }),
        Contender::new("coconut", "reads the blocks that it touches, and checks them; a `Value`", || {
            each(document, "coco", |path, _, name| {
                find(&DocumentFile::open_paged(path).expect("a good file"), name)
            })
        }),
        Contender::new("coconut, mapped", "checks the blocks that it touches; a `Value`", || {
            each(document, "coco", |path, _, name| {
                find(&DocumentFile::from_data(map(path)).expect("a good file"), name)
            })
        }),
        Contender::new(
            "sonic-rs lazy, unchecked",
            "skips what is before it, checks nothing; a `Value`",
            || {
                each(document, "json", |path, types, name| {
                    let text = map(path);
                    // SAFETY: the file was written by this program and is JSON. This is the fastest
                    // way of the peer.
                    let found = unsafe { sonic_rs::get_unchecked(&text[..], types.place(name)) };
                    sonic_rs::from_str(found.expect("it is there").as_raw_str()).expect("JSON")
                })
            },
        ),
        Contender::new("sonic-rs lazy", "validates what is before it; a `Value`", || {
            each(document, "json", |path, types, name| {
                let text = map(path);
                let found = sonic_rs::get(&text[..], types.place(name)).expect("it is there");
                sonic_rs::from_str(found.as_raw_str()).expect("JSON")
            })
        }),
        Contender::new("serde_json", "parses everything into a `Value`", || {
            each(document, "json", |path, types, name| {
                let mut all: Value = serde_json::from_slice(&map(path)).expect("JSON");
                types.place(name).iter().fold(all.take(), |mut around, key| around[key].take())
            })
        }),
    ];
    // Peers that read everything before they find one value take longer as the size grows.
    let goals = vec![("open + map + touch", 1.0 / 3.0, 1.0 / 2.0), ("sonic-rs lazy", 12.0, 20.0)];
    Job { name: "cold get of a type", document, ours: "coconut", contenders, goals, items: None }
}
