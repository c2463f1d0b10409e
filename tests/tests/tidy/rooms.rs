//! The rooms of each crate, and the circles inside of them.
//!
//! `tests/rooms.tsv` lists the rooms of each crate in layers, one layer a row. A file uses only
//! files of its own room and of the layers above, so rooms of one layer do not know each other. A
//! room is a file of `src` and its folder. A file deeper down may be listed too (`package/build`):
//! it is a room of its own then.
//!
//! `tests/circles.tsv` lists the circles of files that may use each other, each with its reason.

use std::collections::{BTreeMap, BTreeSet};

use super::arrows::{Arrows, is_in};
use super::reading::{Complaints, SourceFile, read_file, read_tree};

const ROOMS: &str = "tests/rooms.tsv";
const CIRCLES: &str = "tests/circles.tsv";

#[test]
fn rooms_import_only_rooms_before_them() {
    let table = read_file(ROOMS);
    let circles = read_file(CIRCLES);
    let circles: Vec<(&str, Vec<&str>)> =
        rows(&circles).map(|(_, [name, files, _])| (name, files.split(' ').collect())).collect();
    let mut layers: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for (_, [name, rooms]) in rows(&table) {
        layers.entry(name).or_default().push(rooms.split(' ').collect());
    }
    let mut complaints = Complaints::default();
    let crates = crates();
    for name in layers.keys().filter(|name| !crates.iter().any(|known| known == *name)) {
        complaints.add(ROOMS, 1, format!("there is no crate `{name}`"));
    }
    for name in &crates {
        let Some(layers) = layers.get(name.as_str()) else {
            complaints.add(ROOMS, 1, format!("the crate `{name}` has no rows"));
            continue;
        };
        let arrows = Arrows::read(name);
        for room in layers.iter().flatten().filter(|room| !arrows.files().any(|file| file == **room)) {
            complaints.add(ROOMS, 1, format!("`{name}` has no file `{room}`"));
        }
        // The root declares the rooms, so it knows them all.
        for file in arrows.files().filter(|file| *file != "lib") {
            let path = format!("{name}/src/{file}.rs");
            let Some((room, layer)) = room_of(file, layers) else {
                complaints.add(&path, 1, format!("{ROOMS} has no room for this file"));
                continue;
            };
            for arrow in arrows.from(file) {
                if arrow.is_through_root {
                    let home = arrow.to.replace('/', "::");
                    complaints.add(&path, arrow.line, format!("`{}` is at home in `{home}`", arrow.path));
                }
                let is_in_circle = circles.iter().any(|(of, files)| {
                    of == name && [file, &arrow.to].iter().all(|file| files.contains(file))
                });
                match room_of(&arrow.to, layers) {
                    Some((to, before)) if to == room || before < layer || is_in_circle => {}
                    _ => complaints.add(
                        &path,
                        arrow.line,
                        format!("`{room}` must not import `{}` ({})", arrow.to, arrow.path),
                    ),
                }
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn files_use_each_other_only_for_a_reason() {
    let table = read_file(CIRCLES);
    let mut allowed = BTreeSet::new();
    let mut complaints = Complaints::default();
    for (line, [name, files, reason]) in rows(&table) {
        if reason.is_empty() || !allowed.insert((name.to_owned(), files.to_owned())) {
            complaints.add(CIRCLES, line, "a row has a reason, and there is one for each circle");
        }
    }
    let mut found = BTreeSet::new();
    for name in crates() {
        let arrows = Arrows::read(&name);
        found.extend(arrows.circles().into_iter().map(|files| (name.clone(), files.join(" "))));
    }
    for (name, files) in found.difference(&allowed) {
        complaints.add(&format!("{name}/src"), 1, format!("these files use each other: {files}"));
    }
    for (name, files) in allowed.difference(&found) {
        complaints.add(CIRCLES, 1, format!("this circle is open: {name}\t{files}"));
    }
    complaints.assert_none();
}

/// The folders of all crates except tests, examples and benchmarks.
fn crates() -> Vec<String> {
    let is_top =
        |path: &str| ["tests/", "examples/", "benches/", "fuzz/"].iter().any(|top| path.starts_with(top));
    let manifests = read_tree("/Cargo.toml").into_iter().filter(|file| !is_top(&file.path));
    manifests.map(|file| file.path.trim_end_matches("/Cargo.toml").to_owned()).collect()
}

/// The room that is the closest around a file, and its layer.
fn room_of<'t>(file: &str, layers: &[Vec<&'t str>]) -> Option<(&'t str, usize)> {
    let rooms =
        layers.iter().enumerate().flat_map(|(layer, rooms)| rooms.iter().map(move |room| (*room, layer)));
    rooms.filter(|(room, _)| is_in(file, room)).max_by_key(|(room, _)| room.len())
}

/// The rows of a table of this test, without its header.
fn rows<const N: usize>(table: &SourceFile) -> impl Iterator<Item = (usize, [&str; N])> {
    table.lines().skip(1).map(|(line, row)| {
        let columns: Vec<&str> = row.split('\t').collect();
        let count = columns.len();
        let columns = columns.try_into().unwrap_or_else(|_| panic!("{}:{line}: {count} columns", table.path));
        (line, columns)
    })
}
