//! Compares packages with those of the compilers of 2017, byte for byte.
//!
//! `COCONUT_PAIRS` names a folder that has one folder for each test of 2017, with the program, its
//! manifest and the package. The script `sources` beside the packages makes it.

use cocojs::{Options, Target, build};
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Pairs that differ, each with the reason.
const DIFFERENT: &str = include_str!("different-pairs.tsv");

fn compiled(folder: &Path, target: Target) -> Result<Vec<u8>, String> {
    compiled_with(folder, target, Vec::new())
}

fn compiled_with(folder: &Path, target: Target, packages: Vec<PathBuf>) -> Result<Vec<u8>, String> {
    let style = JsonStyle::Pretty { indent: 4 };
    let mut printer = Printer::new(Vec::new(), style).with_final_newline();
    build(folder, &Options { target, packages, ..Options::default() }, &mut printer)
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

/// Compiles the program of each folder. `uses` says whether it may use the packages of the others.
fn compare(all: &Path, uses: bool) {
    let reasons: BTreeMap<&str, &str> =
        DIFFERENT.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let known: Vec<(PathBuf, PathBuf, Target)> = folders
        .into_iter()
        .filter_map(|folder| expected(&folder).map(|(file, target)| (folder, file, target)))
        .collect();
    let mut wrong = Vec::new();
    let mut equal = 0;
    for (folder, file, target) in &known {
        let others = known.iter().filter(|(other, _, of)| uses && other != folder && of == target);
        let packages = others.map(|(_, file, _)| file.clone()).collect();
        let found = compiled_with(folder, *target, packages);
        let is_equal = found.as_ref().is_ok_and(|bytes| *bytes == fs::read(file).unwrap());
        equal += usize::from(is_equal);
        let name = folder.file_name().unwrap().to_str().unwrap();
        match (is_equal, reasons.get(name)) {
            (true, Some(reason)) => wrong.push(format!("{name} is equal, but listed: {reason}")),
            (false, None) => wrong.push(format!("{name} differs: {}", found.err().unwrap_or_default())),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{equal} of {} are equal\n{}", known.len(), wrong.join("\n"));
}

#[test]
fn packages_are_those_of_the_compilers_of_2017() {
    match std::env::var_os("COCONUT_PAIRS") {
        Some(pairs) => compare(Path::new(&pairs), false),
        None => coconut_testing::skipped::skip("programs of 2017 (COCONUT_PAIRS)"),
    }
}

/// `COCONUT_PROGRAMS` names a folder of libraries and whole programs, each with its package, which
/// the others may use.
#[test]
fn libraries_and_programs_are_those_of_the_compilers_of_2017() {
    match std::env::var_os("COCONUT_PROGRAMS") {
        Some(programs) => compare(Path::new(&programs), true),
        None => coconut_testing::skipped::skip("libraries and programs of 2017 (COCONUT_PROGRAMS)"),
    }
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

#[test]
fn texts_of_functions_are_in_the_language_of_2009() {
    let text_of = |program_text: &str| {
        let folder = program("texts", &format!("export let f = {program_text};\n"));
        let mut sink = ValueSink::new();
        let options = Options { target: Target::Lumi2017, ..Options::default() };
        build(folder.path(), &options, &mut sink).unwrap();
        let package = sink.finish().unwrap();
        let path = ["modules", "index", "members", ".init", "body", "statements"];
        let statements = path.iter().try_fold(&package, |value, key| value.get(key)).unwrap();
        let value = statements.as_list().unwrap()[0].get("expression").unwrap().get("right").unwrap();
        value.get("sourceText").unwrap().as_str().unwrap().to_owned()
    };
    assert_eq!(text_of("(a: number, b) => a + b.c"), "(function (a, b) { return a + b.c; });\n");
    assert_eq!(text_of("() => {}"), "(function () { });\n");
    let text = "(x) => {\n  let i = 0;\n  while (i < 3) i++;\n  if (x) { return g(i) } else { throw !x; }\n}";
    let expected = "(function (x) {\n    var i = 0;\n    while (i < 3)\n        i++;\n    if (x) {\n        \
                    return g(i);\n    }\n    else {\n        throw !x;\n    }\n});\n";
    assert_eq!(text_of(&text.replace("g(i)", "i")), expected.replace("g(i)", "i"));
    // Texts whose output depends on more stay those of the program.
    for other in ["(x = 1) => x", "() => `a`", "(x) => { let y = () => { let x = 1; return x; }; return y; }"]
    {
        assert_eq!(text_of(other), other);
    }
}
