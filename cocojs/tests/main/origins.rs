//! The places of values: the line of a program that has the value of a property.

use crate::programs::{base_package, package, write_program};
use cocojs::Options;
use coconut_eval::{Evaluator, PackageList, origin};

const PROGRAM: &str = r#"import { Resource } from "coconut/resource";
class Named extends Resource {
    name: string;
    constructor(name: string) { super(); this.name = name; }
}
interface Settings { size: number; tags?: any; zone?: string; }
class Disk extends Named {
    size: number;
    tags: any;
    zone: string;
    kind = "disk";
    constructor(name: string, settings: Settings, zone: string = "a") {
        super(name);
        this.size = settings.size;
        this.tags = settings.tags;
        this.zone = zone;
    }
}
const shared = { team: "core" };
let count = 1;
count = count + 1;
new Disk(
    "one",
    {
        size: 10,
        tags: { owner: shared.team, list: ["x",
            "y"] },
    },
);
const settings = { size: 20 + 1, tags: shared };
new Disk("two", settings, "b");
function make(name: string, size: number): Disk {
    return new Disk(name, { size: size * 2 });
}
make("three", count);
"#;

/// The line and column of a value.
fn place(name: &str, pointer: &str) -> (u32, u32) {
    let folder = tempfile::tempdir().unwrap();
    let program = write_program(folder.path(), PROGRAM);
    let (file, base) = base_package(folder.path());
    let package = package(&program, &Options { packages: vec![file], ..Options::default() }).unwrap();
    let mut packages = PackageList::new();
    packages.add(package);
    packages.add(base);
    let outcome = Evaluator::new(&packages).evaluate("program", &coconut_eval::Options::default()).unwrap();
    let mut resources = outcome.resources();
    let resource = resources.find(|resource| resource.urn().ends_with(&format!("::{name}"))).unwrap();
    let found = origin(&packages, "program", resource, pointer).unwrap().unwrap();
    assert_eq!(found.file.as_deref(), Some("index.ts"));
    (found.start.line, found.start.column)
}

#[test]
fn a_value_is_followed_to_its_literal() {
    assert_eq!(place("one", "/name"), (23, 5));
    assert_eq!(place("one", "/size"), (25, 15));
    assert_eq!(place("one", "/tags/owner"), (19, 24));
    assert_eq!(place("one", "/tags/list/1"), (27, 13));
    assert_eq!(place("one", "/kind"), (11, 12));
    assert_eq!(place("two", "/size"), (30, 26));
    assert_eq!(place("two", "/tags/team"), (19, 24));
}

#[test]
fn where_a_value_is_uncertain_the_nearest_place_is_shown() {
    // A default may be the value.
    assert_eq!(place("two", "/zone"), (16, 21));
    // A parameter of a function that may be called from several places.
    assert_eq!(place("three", "/size"), (33, 35));
    assert_eq!(place("three", "/name"), (33, 21));
    // A property that the program does not have is that of the construction.
    assert_eq!(place("three", "/none"), (33, 12));
}
