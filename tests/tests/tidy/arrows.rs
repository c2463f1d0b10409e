//! The arrows between the files of a crate, found by reading the sources.
//!
//! An arrow is a path that begins with `crate` or `super`, in a `use` or in code, outside of tests.
//! It leads to the file that has the item, through all re-exports. Paths of a file into its own
//! folder, as in `mod child; use child::Item`, are not counted: the two are one idea.

use std::collections::{BTreeMap, BTreeSet};

use super::reading::read_tree;

/// The files of one crate, by module path: `read/view`. The root is `lib`.
pub(super) struct Arrows {
    files: BTreeMap<String, Source>,
}

/// An arrow from a file to another, and the path that makes it.
pub(super) struct Arrow {
    pub(super) line: usize,
    pub(super) path: String,
    pub(super) to: String,
    /// The path goes through a re-export of the root.
    pub(super) is_through_root: bool,
}

struct Source {
    imports: Vec<Import>,
    /// Paths in code, from `crate` or `super` on.
    paths: Vec<Import>,
}

/// A `use` of one item, or a path in code.
struct Import {
    line: usize,
    /// Modules inside of the file around it.
    inside: Vec<String>,
    path: Vec<String>,
    /// The name that the item has in this file.
    name: String,
}

impl Arrows {
    /// Reads the sources in `crate_folder/src`, without modules for tests.
    pub(super) fn read(crate_folder: &str) -> Arrows {
        let folder = format!("{crate_folder}/src/");
        let files = read_tree(".rs").into_iter().filter_map(|file| {
            let name = file.path.strip_prefix(&folder)?.trim_end_matches(".rs").to_owned();
            Some((name, file.text))
        });
        Arrows::of(files)
    }

    fn of(files: impl IntoIterator<Item = (String, String)>) -> Arrows {
        let mut sources = BTreeMap::new();
        let mut tests = Vec::new();
        for (name, text) in files {
            let (tokens, modules) = without_tests(tokens(&text));
            tests.extend(modules.into_iter().map(|module| child(&name, &module)));
            sources.insert(name, Source::of(&tokens));
        }
        // The program of a crate that is also a library imports that as others do. A program
        // without a library is the root itself.
        if let Some(main) = sources.remove("main") {
            sources.entry(String::from("lib")).or_insert(main);
        }
        let is_test = |name: &str| tests.iter().any(|test| is_in(name, test));
        sources.retain(|name, _| !is_test(name));
        Arrows { files: sources }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// All arrows from a file to other files.
    pub(super) fn from(&self, file: &str) -> impl Iterator<Item = Arrow> {
        let source = &self.files[file];
        source.imports.iter().chain(&source.paths).filter_map(move |import| {
            if !matches!(import.path[0].as_str(), "crate" | "super") {
                return None;
            }
            let (to, first) = self.home(file, import, &mut BTreeSet::new())?;
            let is_through_root = first == "lib" && to != "lib";
            let path = import.path.join("::");
            (to != file).then_some(Arrow { line: import.line, path, to, is_through_root })
        })
    }

    /// Files that use each other, directly or through others, in the order of their names.
    pub(super) fn circles(&self) -> BTreeSet<Vec<&str>> {
        let reached: BTreeMap<&str, BTreeSet<String>> =
            self.files().map(|file| (file, self.reached_from(file))).collect();
        let circle = |file: &str| -> Vec<&str> {
            self.files()
                .filter(|&other| reached[file].contains(other) && reached[other].contains(file))
                .collect()
        };
        self.files().map(circle).filter(|files| files.len() > 1).collect()
    }

    fn reached_from(&self, file: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut left = vec![file.to_owned()];
        while let Some(file) = left.pop() {
            let new: Vec<_> =
                self.from(&file).map(|arrow| arrow.to).filter(|to| !reached.contains(to)).collect();
            reached.extend(new.iter().cloned());
            left.extend(new);
        }
        reached
    }

    /// The file that has the item of a path, and the file that the path itself names.
    fn home(
        &self,
        file: &str,
        import: &Import,
        seen: &mut BTreeSet<(String, String)>,
    ) -> Option<(String, String)> {
        let mut segments = import.path.as_slice();
        let mut module: Vec<&str> = match segments[0].as_str() {
            "crate" => Vec::new(),
            _ => file.split('/').filter(|&name| name != "lib").collect(),
        };
        module.extend(import.inside.iter().map(String::as_str).filter(|_| segments[0] != "crate"));
        while let Some(first) =
            segments.first().filter(|name| matches!(name.as_str(), "crate" | "self" | "super"))
        {
            if first == "super" {
                module.pop();
            }
            segments = &segments[1..];
        }
        let is_local = import.path.len() == segments.len();
        while let Some((next, rest)) = segments.split_first()
            && self.files.contains_key(&name_of(&module, Some(next)))
        {
            module.push(next);
            segments = rest;
        }
        if is_local && segments.len() == import.path.len() {
            return None; // Another crate.
        }
        // A module inside of a file is part of that file.
        while !self.files.contains_key(&name_of(&module, None)) {
            module.pop();
        }
        let named = name_of(&module, None);
        if let Some(item) = segments.first()
            && seen.insert((named.clone(), item.clone()))
        {
            let imports = self.files[&named].imports.iter();
            let mut homes = imports
                .filter(|import| import.name == *item && import.inside.is_empty())
                // `pub(super) use name` makes a macro of this file an item of it.
                .filter(|import| import.path != [item.as_str()])
                .map(|import| self.home(&named, import, seen))
                .peekable();
            if homes.peek().is_some() {
                // All of them may lead to another crate.
                return homes.flatten().next().map(|(home, _)| (home, named.clone()));
            }
        }
        Some((named.clone(), named))
    }
}

/// Whether a file is another one or in its folder.
pub(super) fn is_in(file: &str, room: &str) -> bool {
    file.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn child(file: &str, module: &str) -> String {
    if file == "lib" || file == "main" { module.to_owned() } else { format!("{file}/{module}") }
}

fn name_of(module: &[&str], next: Option<&str>) -> String {
    let names: Vec<&str> = module.iter().copied().chain(next).collect();
    if names.is_empty() { String::from("lib") } else { names.join("/") }
}

impl Source {
    fn of(tokens: &[Token]) -> Source {
        let mut source = Source { imports: Vec::new(), paths: Vec::new() };
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let (mut at, mut depth) = (0, 0);
        let mut inside: Vec<(usize, String)> = Vec::new();
        while at < tokens.len() {
            let names: Vec<String> = inside.iter().map(|(_, name)| name.clone()).collect();
            let import =
                |path: Vec<String>, name| Import { line: tokens[at].line, inside: names.clone(), path, name };
            match text(at) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inside.pop_if(|(around, _)| *around == depth);
                }
                "mod" if text(at + 2) == "{" => inside.push((depth, text(at + 1).to_owned())),
                // `use<'a>` is a bound.
                "use" if text(at + 1) != "<" => {
                    let mut found = Vec::new();
                    let start = if text(at + 1) == "::" { at + 2 } else { at + 1 };
                    let end = read_use(tokens, start, &[], &mut found);
                    // What a function imports for itself is no name of the file.
                    let is_of_file = depth == inside.len();
                    for (path, name) in found {
                        source.imports.push(import(path, if is_of_file { name } else { String::new() }));
                    }
                    at = end;
                    continue;
                }
                "crate" | "super" if text(at + 1) == "::" && (at == 0 || text(at - 1) != "::") => {
                    let mut path = vec![text(at).to_owned()];
                    while text(at + 1) == "::" && text(at + 2).starts_with(is_of_name) {
                        path.push(text(at + 2).to_owned());
                        at += 2;
                    }
                    // An exported macro is always at the root.
                    if path.len() == 2 && text(at + 1) == "!" {
                        at += 1;
                        continue;
                    }
                    source.paths.push(Import {
                        line: tokens[at].line,
                        inside: names,
                        path,
                        name: String::new(),
                    });
                }
                _ => {}
            }
            at += 1;
        }
        source
    }
}

/// Reads one tree of a `use` into paths with the names that they get; returns where it ends.
fn read_use(
    tokens: &[Token],
    mut at: usize,
    before: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut path = before.to_vec();
    loop {
        match text(at) {
            "{" => {
                at += 1;
                while text(at) != "}" && at < tokens.len() {
                    at = read_use(tokens, at, &path, found);
                    at += usize::from(text(at) == ",");
                }
                return at + 1;
            }
            "*" => {
                found.push((path, String::from("*")));
                return at + 1;
            }
            name => path.push(name.to_owned()),
        }
        at += 1;
        if text(at) != "::" {
            break;
        }
        at += 1;
    }
    // `use parent::{self}`
    path.pop_if(|last| last == "self");
    let mut name = path.last().cloned().unwrap_or_default();
    if text(at) == "as" {
        name = text(at + 1).to_owned();
        at += 2;
    }
    if !path.is_empty() {
        found.push((path, name));
    }
    at
}

struct Token {
    line: usize,
    text: String,
}

/// Names, `::`, and single signs; comments are left out, and a text or character is `""`.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest);
        let token = &rest[..length];
        let is_comment = token.starts_with("//") || token.starts_with("/*");
        let is_quoted = token.len() > 1 && token.ends_with(['"', '\'', '#']);
        if !first.is_whitespace() && !is_comment {
            let text = if is_quoted { "\"\"" } else { token };
            tokens.push(Token { line, text: text.to_owned() });
        }
        line += token.matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn token_length(rest: &str) -> usize {
    let from =
        |start: usize, end: &str| rest[start..].find(end).map_or(rest.len(), |at| start + at + end.len());
    let name = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
    let after_name = rest[name..].trim_start_matches('#');
    let hashes = rest.len() - name - after_name.len();
    match rest.as_bytes() {
        [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => from(2, "*/"),
        [b':', b':', ..] => 2,
        _ if matches!(&rest[..name], "r" | "br") && after_name.starts_with('"') => {
            from(name + hashes + 1, &format!("\"{}", "#".repeat(hashes)))
        }
        [b'"', ..] | [b'b', b'"', ..] => {
            let mut at = if rest.starts_with('b') { 2 } else { 1 };
            while let Some(found) = rest[at..].find(['"', '\\']) {
                at += found + 1;
                if rest.as_bytes()[at - 1] == b'"' {
                    return at;
                }
                at += rest[at..].chars().next().map_or(0, char::len_utf8);
            }
            rest.len()
        }
        [b'\'', b'\\', ..] => from(3, "'"),
        // A character, or else a lifetime.
        [b'\'', ..] => {
            let character = rest[1..].chars().next().map_or(0, char::len_utf8);
            if rest[1 + character..].starts_with('\'') { character + 2 } else { 1 }
        }
        _ if name > 0 => name,
        _ => rest.chars().next().map_or(0, char::len_utf8),
    }
}

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Leaves out each item that is compiled for tests alone. Returns also the files that such items
/// declare as modules.
fn without_tests(tokens: Vec<Token>) -> (Vec<Token>, Vec<String>) {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let (mut is_kept, mut modules) = (vec![true; texts.len()], Vec::new());
    let mut at = 0;
    while at < texts.len() {
        let is_for_tests = matches!(texts[at..], ["#", "[", "cfg", "(", "test", ")", ..])
            || matches!(texts[at..], ["#", "[", "cfg", "(", "all", "(", "test", ..]);
        if !is_for_tests {
            at += 1;
            continue;
        }
        let start = at;
        while texts.get(at) == Some(&"#") {
            at += end_of_group(&texts[at + 1..]) + 1;
        }
        let item = &texts[at..at + end_of_item(&texts[at..])];
        if let Some(module) = item.iter().position(|&text| text == "mod")
            && item.last() == Some(&";")
        {
            modules.push(item[module + 1].to_owned());
        }
        at += item.len();
        is_kept[start..at].fill(false);
    }
    let kept = tokens.into_iter().zip(is_kept).filter_map(|(token, is_kept)| is_kept.then_some(token));
    (kept.collect(), modules)
}

/// The number of tokens up to the bracket that closes the first one.
fn end_of_group(texts: &[&str]) -> usize {
    let mut depth = 0;
    for (at, text) in texts.iter().enumerate() {
        match *text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    texts.len()
}

/// The number of tokens of one item, field or statement: up to its `;`, `,` or last `}`.
fn end_of_item(texts: &[&str]) -> usize {
    let mut at = 0;
    while at < texts.len() {
        match texts[at] {
            ";" | "," => return at + 1,
            // The end of what is around the item.
            ")" | "]" | "}" => return at,
            "(" | "[" => at += end_of_group(&texts[at..]),
            "{" => return at + end_of_group(&texts[at..]),
            _ => at += 1,
        }
    }
    at
}

#[test]
fn arrows_lead_to_the_file_that_has_the_item() {
    let files = [
        ("lib", "mod a; mod b; pub use a::{Item, deep::Deep as Low};"),
        ("a", "mod deep; use deep::Deep; use crate::{Low, b::*}; // use crate::c;\nuse std::fmt;"),
        (
            "a/deep",
            "use super::super::b::{self, Other}; fn f<'a>(c: char) { c == '\"' && crate::Item::new(c) }",
        ),
        (
            "b",
            "#[cfg(test)]\nmod tests { use crate::a; } fn g() -> &str { \"crate::a\" } #[cfg(test)] mod b_tests;",
        ),
        ("b/b_tests", "use crate::a;"),
    ];
    let arrows = Arrows::of(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    assert_eq!(arrows.files().collect::<Vec<_>>(), ["a", "a/deep", "b", "lib"]);
    let found = |file| arrows.from(file).map(|arrow| (arrow.to, arrow.is_through_root)).collect::<Vec<_>>();
    let arrow = |to: &str, is_through_root| (to.to_owned(), is_through_root);
    assert_eq!(found("a"), [arrow("a/deep", true), arrow("b", false)]);
    assert_eq!(found("a/deep"), [arrow("b", false), arrow("b", false), arrow("a", true)]);
    assert_eq!(found("b"), []);
    assert_eq!(arrows.circles(), BTreeSet::from([vec!["a", "a/deep"]]));
}
