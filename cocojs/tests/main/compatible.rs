//! Compares packages with those of the compilers of 2017, byte for byte.
//!
//! `COCONUT_PAIRS` names a folder that has one folder for each test of 2017, with the program, its
//! manifest and the package. The script `sources` beside the packages makes it.

use cocojs::{Options, Target, build};
use coconut_codec::text::json::{JsonStyle, Printer};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Pairs that differ, each with the reason.
const DIFFERENT: &str = include_str!("different-pairs.tsv");

fn compiled(folder: &Path, target: Target) -> Result<Vec<u8>, String> {
    let style = JsonStyle::Pretty { indent: 4 };
    let mut printer = Printer::new(Vec::new(), style).with_final_newline();
    build(folder, &Options { target, packages: Vec::new() }, &mut printer)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    Ok(printer.finish().unwrap())
}

/// The package of a folder, and the target that reproduces it.
fn expected(folder: &Path) -> Option<(PathBuf, Target)> {
    let names = [
        ("Lumipack.json", Target::Lumi2017),
        ("Cocopack.json", Target::Coconut2017),
        ("Nutpack.json", Target::Coconut2017),
    ];
    names.iter().map(|(name, target)| (folder.join(name), *target)).find(|(file, _)| file.is_file())
}

#[test]
fn packages_are_those_of_the_compilers_of_2017() {
    let Some(pairs) = std::env::var_os("COCONUT_PAIRS").map(PathBuf::from) else {
        return coconut_testing::skipped::skip("programs of 2017 (COCONUT_PAIRS)");
    };
    let reasons: BTreeMap<&str, &str> =
        DIFFERENT.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
    let mut wrong = Vec::new();
    let (mut equal, mut count) = (0, 0);
    for entry in fs::read_dir(&pairs).unwrap() {
        let folder = entry.unwrap().path();
        let Some((file, target)) = expected(&folder) else { continue };
        let name = folder.file_name().unwrap().to_str().unwrap();
        let is_equal = compiled(&folder, target).is_ok_and(|bytes| bytes == fs::read(file).unwrap());
        count += 1;
        equal += usize::from(is_equal);
        match (is_equal, reasons.get(name)) {
            (true, Some(reason)) => wrong.push(format!("{name} is equal, but listed: {reason}")),
            (false, None) => wrong.push(format!("{name} differs")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{equal} of {count} are equal\n{}", wrong.join("\n"));
}

fn program(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Coconut.yaml"), format!("name: {name}\n")).unwrap();
    fs::write(folder.path().join("index.ts"), text).unwrap();
    folder
}

#[test]
fn the_same_program_has_the_same_bytes() {
    let folder = program("twice", "export class A { x = 1; }\nexport let a = new A();\n");
    for target in [Target::Current, Target::Coconut2017, Target::Lumi2017] {
        assert_eq!(compiled(folder.path(), target), compiled(folder.path(), target));
    }
}

#[test]
fn columns_count_utf_16_units() {
    let folder = program("units", "let a = \"𝄞é\"; let b = 1;\n");
    let text = String::from_utf8(compiled(folder.path(), Target::Lumi2017).unwrap()).unwrap();
    // The second declaration begins after 19 units: the clef has two.
    assert!(text.contains("\"line\": 1,\n                                \"column\": 20"), "{text}");
}

#[test]
fn texts_of_functions_have_no_types() {
    let text =
        "export let f = (a: number, b?: string): any => { const c: any = (a as any)!; return <any>c; };\n";
    let folder = program("texts", text);
    let package = String::from_utf8(compiled(folder.path(), Target::Current).unwrap()).unwrap();
    assert!(package.contains("\"sourceText\": \"(a, b) => { const c = (a); return c; }\""), "{package}");
    assert!(package.contains("\"sourceLanguage\": \".js\""), "{package}");
}
