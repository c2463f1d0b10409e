//! The rules of the house that can be checked by reading the tree. `CONTRIBUTING.md` has the
//! reasons.
//!
//! Each test collects all complaints, `path:line: what is wrong`, before it fails.

mod arrows;
mod reading;
mod rooms;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use coconut_format::ErrorKind;

use reading::{
    Complaints, Manifest, SourceFile, code_of, dependency_lines, has_word, read_file, read_tree, root,
};

#[test]
fn imports_go_one_way() {
    const FORMAT: &str = "coconut-format";
    const CODEC: &str = "coconut-codec";
    const FLEET: &str = "coconut-fleet";
    const INTEROP: &str = "coconut-interop";
    const PCORE: &str = "coconut-pcore";
    const EVAL: &str = "coconut-eval";
    const DEPLOY: &str = "coconut-deploy";
    const PROVIDERS: &str = "coconut-providers";
    const PICTURE: &str = "coconut-picture";
    const DIFF: &str = "coconut-diff";
    const QUERY: &str = "coconut-query";
    const REPORT: &str = "coconut-report";
    const SHELL: &str = "coconut-shell";
    const SURFACE: &str = "coconut-surface";
    const HISTORY: &str = "coconut-history";
    const HUB: &str = "coconut-hub";
    const TESTS: &str = "coconut-tests";
    // It knows nothing of the codec, so that the tests of each package can import it.
    const TESTING: &str = "coconut-testing";
    // A package without a row may be imported by none, and may import all of these.
    let importable: BTreeMap<&str, &[&str]> = BTreeMap::from([
        (FORMAT, &[][..]),
        (CODEC, &[FORMAT]),
        (FLEET, &[FORMAT, CODEC]),
        (INTEROP, &[FORMAT, CODEC, PCORE]),
        (PCORE, &[FORMAT, CODEC]),
        (SURFACE, &[FORMAT, CODEC]),
        (DIFF, &[FORMAT, CODEC, SURFACE]),
        (PICTURE, &[FORMAT, CODEC, DIFF, REPORT]),
        (REPORT, &[FORMAT, CODEC, INTEROP, SURFACE, DIFF]),
        (QUERY, &[FORMAT, CODEC, REPORT]),
        (SHELL, &[FORMAT, CODEC, PCORE, REPORT, DEPLOY]),
        ("coco-inspect", &[FORMAT, CODEC, INTEROP, PCORE, SURFACE, DIFF, PICTURE, REPORT, QUERY, SHELL]),
        ("coconut-python", &[FORMAT, CODEC, INTEROP, SURFACE, DIFF, PICTURE, REPORT, QUERY, SHELL]),
        ("coconut-wasm", &[FORMAT, CODEC, DIFF, PICTURE, REPORT, QUERY]),
        (EVAL, &[FORMAT, CODEC]),
        (DEPLOY, &[FORMAT, CODEC]),
        (PROVIDERS, &[FORMAT, CODEC, DEPLOY]),
        // It runs the tools, and knows none of their libraries.
        ("coco-mcp", &[]),
        ("cocojs", &[FORMAT, CODEC, EVAL, REPORT, SHELL]),
        (HISTORY, &[FORMAT, CODEC]),
        ("coco-history", &[FORMAT, CODEC, DIFF, PICTURE, REPORT, SHELL, HISTORY]),
        (HUB, &[FORMAT, CODEC, FLEET]),
        ("coco-hub", &[FORMAT, CODEC, REPORT, SHELL, HUB, "coco-inspect"]),
        ("coco-deploy", &[FORMAT, CODEC, EVAL, REPORT, SHELL, DEPLOY, PROVIDERS]),
        (
            "coconut-cli",
            &[FORMAT, CODEC, EVAL, FLEET, INTEROP, PCORE, SURFACE, DIFF, REPORT, SHELL, "coco-inspect"],
        ),
    ]);
    let tops = ["tests", "examples", "benches", "fuzz"];

    let manifests: Vec<Manifest> = read_tree("Cargo.toml").iter().filter_map(Manifest::read).collect();
    let ours: BTreeSet<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    let mut complaints = Complaints::default();
    for manifest in &manifests {
        let is_top = tops.iter().any(|top| manifest.path.starts_with(&format!("{top}/")));
        let allowed = importable.get(manifest.name.as_str());
        if allowed.is_none() && !is_top {
            complaints.add(&manifest.path, 1, "this package has no place in the order of imports");
        }
        for (line, section, dependency) in &manifest.dependencies {
            let is_allowed = match allowed {
                Some(_) if dependency == TESTING => section == "dev-dependencies",
                Some(allowed) => allowed.contains(&dependency.as_str()),
                // Benchmarks and fuzzers share the generators of documents with the tests.
                None => {
                    importable.contains_key(dependency.as_str())
                        || [TESTS, TESTING].contains(&dependency.as_str())
                }
            };
            if ours.contains(dependency.as_str()) && !is_allowed {
                complaints.add(
                    &manifest.path,
                    *line,
                    format!("`{}` must not import `{dependency}`", manifest.name),
                );
            }
        }
    }
    assert!(ours.contains(FORMAT) && ours.contains(CODEC), "the manifests were not read: {ours:?}");
    complaints.assert_none();
}

#[test]
fn format_depends_on_nothing_and_does_no_io() {
    let mut complaints = Complaints::default();
    let manifest = read_file("format/Cargo.toml");
    // Only this crate can give `Value` the traits of serde, and only who asks for them gets them.
    let optional = "serde = { workspace = true, optional = true }";
    for (line, section, dependency) in dependency_lines(&manifest.text) {
        let is_optional = manifest.text.lines().nth(line - 1) == Some(optional);
        if section != "dev-dependencies" && !is_optional {
            complaints.add(&manifest.path, line, format!("`{dependency}`: this crate depends on nothing"));
        }
    }
    for file in read_tree(".rs").iter().filter(|file| file.path.starts_with("format/src/")) {
        if file.path.ends_with("/tests.rs") {
            continue;
        }
        // Tests are last in a file, and may read the corpus.
        let without_tests = file.code().take_while(|(_, code)| code != "mod tests {");
        for (line, code) in without_tests {
            for module in ["std::fs", "std::io", "std::net", "std::process", "std::env"] {
                if code.contains(module) {
                    complaints.add(&file.path, line, format!("`{module}`: this crate does no I/O"));
                }
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn no_source_has_a_placeholder() {
    // Put together here, so that this file does not find itself.
    let macros = [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("db", "g!")];
    let marks = [concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO")];
    let mut complaints = Complaints::default();
    for file in [".rs", ".py", ".js", ".mjs", ".sh"].iter().flat_map(|extension| read_tree(extension)) {
        for (line, text) in file.lines() {
            let placeholder = macros.iter().find(|&&name| text.contains(name));
            if let Some(found) = placeholder.or(marks.iter().find(|&&mark| has_word(text, mark))) {
                complaints.add(&file.path, line, format!("`{found}`: finish it or leave it out"));
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn unsafe_code_is_in_one_file() {
    let mut complaints = Complaints::default();
    // The benchmarks map files as a user of the library would, at the user's own risk.
    let may = |path: &str| path == "codec/src/bytes/map.rs" || path.starts_with("benches/");
    for file in read_tree(".rs").iter().filter(|file| !may(&file.path)) {
        for (line, code) in file.code() {
            if has_word(&code, "unsafe") {
                complaints.add(&file.path, line, "`unsafe` belongs into codec/src/bytes/map.rs");
            }
        }
    }
    const OF_TESTS: [&str; 3] =
        ["tests/src/lib.rs", "tests/testing/src/lib.rs", "tests/unoptimized/src/lib.rs"];
    let roots = [
        "format/src/lib.rs",
        "fleet/src/lib.rs",
        "interop/src/lib.rs",
        "pcore/src/lib.rs",
        "surface/src/lib.rs",
        "diff/src/lib.rs",
        "picture/src/lib.rs",
        "report/src/lib.rs",
        "query/src/lib.rs",
        "shell/src/lib.rs",
        "bindings/python/src/lib.rs",
        "bindings/wasm/src/lib.rs",
        "history/src/lib.rs",
        "history-cli/src/main.rs",
        "coco-cli/src/main.rs",
        "inspect-cli/src/lib.rs",
        "integrations/mcp/src/main.rs",
        "inspect-cli/src/main.rs",
    ];
    for root in roots.into_iter().chain(OF_TESTS) {
        if !read_file(root).code().any(|(_, code)| code == "#![forbid(unsafe_code)]") {
            complaints.add(root, 1, "`#![forbid(unsafe_code)]` is missing");
        }
    }
    complaints.assert_none();
}

#[test]
fn every_section_sign_leads_to_a_heading_of_the_specification() {
    let Some(headings) = headings_of_the_specification() else { return };
    let mut complaints = Complaints::default();
    for file in read_tree(".rs") {
        for (line, text) in file.lines() {
            for section in sections(text) {
                if !headings.contains(section) {
                    complaints.add(
                        &file.path,
                        line,
                        format!("§{section} is no heading of the specification"),
                    );
                }
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn every_section_about_bytes_has_one_home() {
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    let mut complaints = Complaints::default();
    for file in read_tree(".rs") {
        let is_source = ["format/src/", "codec/src/"].iter().any(|root| file.path.starts_with(root));
        if !is_source || file.path.ends_with("/tests.rs") {
            continue;
        }
        let claimed = claimed_sections(file.text.lines().next().unwrap_or_default());
        if file.path.starts_with("codec/src/wire/") && claimed.is_empty() {
            complaints.add(&file.path, 1, "the first line must name its section: `//! \u{a7}n.m Name.`");
        }
        for section in claimed.into_iter().filter(|section| is_about_bytes(section)) {
            if let Some(home) = homes.insert(section.clone(), file.path.clone()) {
                complaints.add(&file.path, 1, format!("\u{a7}{section} is at home in {home} already"));
            }
        }
    }
    complaints.assert_none();

    // A section without a home of its own is at home where the one around it is.
    let home_of = |section: &str| homes.get(section).or_else(|| homes.get(section.split('.').next()?));
    let mut table = String::from("section\theading\thome\n");
    for (section, heading) in headings_about_bytes() {
        match home_of(&section) {
            Some(home) => table.push_str(&format!("{section}\t{heading}\t{home}\n")),
            None => complaints.add("spec", 1, format!("\u{a7}{section} {heading} has no home")),
        }
    }
    complaints.assert_none();
    let path = root().join("tests/homes.tsv");
    if std::env::var_os("COCONUT_BLESS").is_some() {
        fs::write(&path, &table).expect("the registry can be written");
    }
    let registry = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(registry, table, "tests/homes.tsv is not current; COCONUT_BLESS=1 writes it anew");
}

/// The sections that a first line claims: `§5.9`, `§5.3 and §5.12`, `§8.2–§8.4`.
fn claimed_sections(first_line: &str) -> Vec<String> {
    let mut claimed: Vec<String> = Vec::new();
    let mut rest = first_line.strip_prefix("//! ").unwrap_or_default();
    while let Some(after) = rest.strip_prefix('\u{a7}') {
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        let (section, after) = (after[..end].trim_end_matches('.'), &after[end..]);
        claimed.push(section.to_owned());
        let link = ["\u{2013}", ", ", " and "].into_iter().find(|link| after.starts_with(link));
        rest = link.map_or("", |link| &after[link.len()..]);
        if link == Some("\u{2013}")
            && let Some((chapter, first)) = section.split_once('.')
            && let Some(last) = rest.strip_prefix(&format!("\u{a7}{chapter}."))
        {
            let digits = last.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            let number = |text: &str| text.parse::<u8>().expect("a section has a number");
            claimed.extend((number(first) + 1..number(digits)).map(|n| format!("{chapter}.{n}")));
        }
    }
    claimed
}

/// Chapters 4 to 9 of the specification say what the bytes of a file are.
fn is_about_bytes(section: &str) -> bool {
    section.split('.').next().is_some_and(|chapter| matches!(chapter, "4" | "5" | "6" | "7" | "8" | "9"))
}

/// Numbers and names of the sections of these chapters, in the order of the text.
fn headings_about_bytes() -> Vec<(String, String)> {
    let mut headings = Vec::new();
    for file in read_tree(".md").iter().filter(|file| file.path.starts_with("spec/format/0")) {
        for (_, line) in file.lines().filter(|(_, line)| line.starts_with('#')) {
            let Some((number, name)) = line.trim_start_matches('#').trim().split_once(' ') else { continue };
            if is_about_bytes(number) {
                headings.push((number.to_owned(), name.to_owned()));
            }
        }
    }
    headings
}

#[test]
fn paths_that_documents_name_exist() {
    let mut complaints = Complaints::default();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "README.md"] {
        let file = read_file(document);
        for (line, text) in file.lines() {
            for path in text.split('`').skip(1).step_by(2).filter(|text| text.contains("/src/")) {
                let is_pattern = path.contains(['*', '{', ' ', '<']);
                if !is_pattern && !root().join(path).exists() {
                    complaints.add(document, line, format!("`{path}` does not exist"));
                }
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn the_registry_of_errors_equals_the_enum() {
    let registry = read_file("spec/format/registry/errors.tsv");
    let mut rows = registry.lines();
    assert_eq!(rows.next().map(|(_, header)| header), Some("code\tsection\tmessage"), "{}", registry.path);

    let headings = headings_of_the_specification();
    let mut complaints = Complaints::default();
    let mut found = Vec::new();
    for (line, row) in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let [code, section, message] = columns[..] else {
            complaints.add(&registry.path, line, "a row has three columns");
            continue;
        };
        if headings.as_ref().is_some_and(|headings| !headings.contains(section)) {
            complaints.add(&registry.path, line, format!("{section} is no heading of the specification"));
        }
        found.push((code, message));
    }
    let expected: Vec<_> =
        ErrorKind::CODES.iter().copied().zip(ErrorKind::MESSAGES.iter().copied()).collect();
    for (code, message) in expected.iter().filter(|row| !found.contains(row)) {
        complaints.add(&registry.path, 1, format!("missing, or with another message: {code}\t…\t{message}"));
    }
    for (code, _) in found.iter().filter(|row| !expected.contains(row)) {
        complaints.add(&registry.path, 1, format!("no kind with this message has the code {code}"));
    }
    complaints.assert_none();
    assert_eq!(found, expected, "the rows of {} are in another order than the enum", registry.path);
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    // Put together here, so that this file does not find itself.
    let traces = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/."),
        concat!("index.crates", ".io"),
        concat!("static.crates", ".io"),
        concat!("py", "pi.org"),
        concat!("python", "hosted.org"),
        concat!("registry.np", "mjs.org"),
        concat!("proxy.go", "lang.org"),
    ];
    let mut complaints = Complaints::default();
    for file in read_tree("") {
        // The lock files of other ecosystems name their public registry by design.
        let is_npm_lock = file.path.ends_with("package-lock.json");
        for (line, text) in file.lines() {
            let mut found = traces.iter().filter(|&&trace| text.contains(trace));
            if let Some(trace) = found.find(|trace| !(is_npm_lock && trace.contains("registry"))) {
                complaints.add(&file.path, line, format!("`{trace}` is of one machine, not of the project"));
            }
        }
        if file.path.ends_with("Cargo.lock") {
            let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
            for (line, text) in
                file.lines().filter(|(_, text)| text.starts_with("source = ") && *text != public)
            {
                complaints.add(&file.path, line, format!("not the public registry: {text}"));
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn both_licences_are_there_and_every_package_names_them() {
    assert!(read_file("LICENSE-MIT").text.starts_with("MIT License\n\nCopyright (c)"), "LICENSE-MIT");
    let apache = read_file("LICENSE-APACHE").text;
    assert!(apache.contains("Version 2.0, January 2004") && apache.contains("END OF TERMS AND CONDITIONS"));
    assert!(read_file("Cargo.toml").text.contains("license = \"MIT OR Apache-2.0\""), "Cargo.toml");

    let mut complaints = Complaints::default();
    for manifest in read_tree("Cargo.toml").iter().filter(|file| file.text.contains("[package]")) {
        let names_them =
            |line: &str| matches!(line, "license.workspace = true" | "license = \"MIT OR Apache-2.0\"");
        if !manifest.lines().any(|(_, line)| names_them(line)) {
            complaints.add(&manifest.path, 1, "the package names no licence");
        }
    }
    complaints.assert_none();
}

#[test]
fn file_names_describe_their_contents() {
    let empty_words = ["mod", "utils", "util", "helpers", "helper", "common", "misc", "types", "manager"];
    let mut complaints = Complaints::default();
    for file in read_tree(".rs") {
        let name = Path::new(&file.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if empty_words.contains(&name) {
            complaints.add(&file.path, 1, "the name does not answer what is in it");
        }
    }
    complaints.assert_none();
}

/// A file of tests that no program includes never runs, and nobody sees it.
#[test]
fn every_file_of_tests_is_part_of_a_program() {
    let sources = read_tree(".rs");
    let mut complaints = Complaints::default();
    let mut looked_at = 0;
    for manifest in read_tree("Cargo.toml") {
        let folder = manifest.path.replace("Cargo.toml", "tests/");
        if !manifest.text.contains("autotests = false") {
            continue;
        }
        let is_program = |name: &str| manifest.text.contains(&format!("path = \"tests/{name}\""));
        let files: Vec<(&str, &SourceFile)> = sources
            .iter()
            .filter_map(|file| Some((file.path.strip_prefix(&folder)?, file)))
            .filter(|(name, _)| !name.contains('/'))
            .collect();
        let modules: BTreeSet<&str> = files
            .iter()
            .filter(|(name, _)| is_program(name))
            .flat_map(|(_, program)| program.text.lines())
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
            .collect();
        looked_at += files.len();
        for (name, file) in &files {
            if !is_program(name) && !modules.contains(name.trim_end_matches(".rs")) {
                complaints.add(&file.path, 1, "no program of the manifest includes this file");
            }
        }
    }
    complaints.assert_none();
    assert!(looked_at >= 40, "only {looked_at} files were looked at");
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    const WIDEST: usize = 100;
    let mut complaints = Complaints::default();
    for file in read_tree(".rs") {
        for (line, text) in file.lines().filter(|(_, text)| text.trim_start().starts_with("//")) {
            let width = text.chars().count();
            if width > WIDEST {
                complaints.add(
                    &file.path,
                    line,
                    format!("a comment of {width} columns, the limit is {WIDEST}"),
                );
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn docs_begin_with_a_verb_or_a_noun() {
    let questions = ["What", "Where", "Who", "Which"];
    let mut complaints = Complaints::default();
    let mut found = 0;
    for file in read_tree(".rs") {
        let mut before = "";
        for (line, text) in file.lines().map(|(line, text)| (line, text.trim_start())) {
            let mark = ["///", "//!"].into_iter().find(|mark| text.starts_with(mark)).unwrap_or("");
            if !mark.is_empty() && mark != before {
                found += 1;
                let first = text[mark.len()..].trim_start();
                let word = first.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
                if questions.contains(&word) {
                    complaints.add(
                        &file.path,
                        line,
                        format!("a doc begins with `{word}`, as a question does"),
                    );
                }
            }
            before = mark;
        }
    }
    complaints.assert_none();
    assert!(found > 5_000, "only {found} docs were found");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut complaints = Complaints::default();
    for file in read_tree(".md") {
        let directory = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        for (line, text) in file.lines() {
            for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
                let is_elsewhere =
                    target.is_empty() || target.contains("://") || target.starts_with("mailto:");
                if !is_elsewhere && !root().join(directory).join(target).exists() {
                    complaints.add(&file.path, line, format!("`{target}` does not exist"));
                }
            }
        }
    }
    complaints.assert_none();
}

#[test]
fn examples_that_a_text_runs_are_there() {
    let manifests = read_tree("Cargo.toml");
    let mut complaints = Complaints::default();
    let mut commands = 0;
    for file in read_tree(".md").into_iter().chain(read_tree(".rs")) {
        for (line, text) in file.lines().filter(|(_, text)| text.contains("cargo run ")) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let behind = |option: &str| words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1]);
            let (Some(package), Some(example)) = (behind("-p"), behind("--example")) else { continue };
            commands += 1;
            let names = format!("name = \"{package}\"\n");
            let manifest = manifests.iter().find(|manifest| manifest.text.contains(&names));
            let directory = manifest.and_then(|manifest| Path::new(&manifest.path).parent());
            let source = Path::new("examples").join(example).with_extension("rs");
            if !directory.is_some_and(|directory| root().join(directory).join(&source).exists()) {
                complaints.add(&file.path, line, format!("`{package}` has no example `{example}`"));
            }
        }
    }
    complaints.assert_none();
    assert!(commands >= 4, "only {commands} commands were looked at");
}

/// The numbers of all headings like `## 5.2 String table` in both books; `None`, with a note,
/// while there are none.
fn headings_of_the_specification() -> Option<BTreeSet<String>> {
    let mut headings = BTreeSet::new();
    for file in read_tree(".md")
        .iter()
        .filter(|file| file.path.starts_with("spec/format/") || file.path.starts_with("spec/model/"))
    {
        for (_, line) in file.lines().filter(|(_, line)| line.starts_with('#')) {
            let number = line.trim_start_matches('#').split_whitespace().next().unwrap_or_default();
            let number = number.trim_end_matches('.');
            if !number.is_empty() && number.split('.').all(|part| part.parse::<u8>().is_ok()) {
                headings.insert(number.to_owned());
            }
        }
    }
    if headings.is_empty() {
        println!("skipped: the specification has no numbered headings yet");
        return None;
    }
    Some(headings)
}

/// The numbers after section signs, except those of other documents: `RFC 2045 §5.1`, `YAML 1.2
/// §5.1`.
fn sections(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('§').filter_map(|(at, sign)| {
        let before = text[..at].trim_end();
        let is_foreign = ["RFC ", "YAML "]
            .iter()
            .filter_map(|name| before.rsplit_once(name))
            .any(|(_, number)| number.parse::<f32>().is_ok());
        let rest = &text[at + sign.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches('.');
        (!is_foreign && !number.is_empty()).then_some(number)
    })
}

mod the_checks_themselves {
    use super::*;

    #[test]
    fn find_sections_but_not_those_of_other_documents() {
        // Escaped, since these numbers need not be headings.
        let text =
            "\u{a7}5.2 String table. See \u{a7}2, (\u{a7}10.3.1), in YAML \u{a7}3.1. A lone \u{a7} is none.";
        assert_eq!(sections(text).collect::<Vec<_>>(), ["5.2", "2", "10.3.1", "3.1"]);
        let foreign = "RFC 2045 \u{a7}5.1 and YAML 1.2 \u{a7}10.3 have sections, too.";
        assert_eq!(sections(foreign).next(), None);
    }

    #[test]
    fn tell_code_from_comments_and_quotes() {
        assert_eq!(code_of("    let a = \"unsafe \\\" // x\"; // unsafe"), "let a = ;");
        assert_eq!(code_of("if c == '\"' { unsafe_code }"), "if c ==  { unsafe_code }");
        assert!(has_word("unsafe {", "unsafe") && !has_word("unsafe_code", "unsafe"));
    }

    #[test]
    fn read_every_form_of_a_dependency() {
        let manifest = "[dependencies]\na.workspace = true\nb = \"1\"\n# c = \"1\"\nd = { package = \"e\", path = \"x\" }\n\
                        [features]\nf = []\n[dev-dependencies.g]\nversion = \"1\"\n\
                        [target.'cfg(unix)'.dependencies]\nh = \"1\"\n[target.x.build-dependencies.i]\n";
        let found: Vec<_> = dependency_lines(manifest).collect();
        let expected = [
            (2, "dependencies", "a"),
            (3, "dependencies", "b"),
            (5, "dependencies", "e"),
            (8, "dev-dependencies", "g"),
            (11, "dependencies", "h"),
            (12, "build-dependencies", "i"),
        ];
        assert_eq!(found, expected.map(|(line, kind, name)| (line, kind, name.to_owned())));
    }
}
