//! §15.1 The edges of dialects, found in other ways: from Terraform's addresses, from the output of
//! cfn-lint, and by searching the strings of a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use coconut_format::Value;
use coconut_format::graph::Graph;
use coconut_format::graph::address::Address;
use coconut_format::landmark::Dialect;
use coconut_format::node::Node;
use coconut_tests::{corpus, skip};

use super::documents::{cases, files_below, parse};

type Edges = BTreeSet<(String, String)>;

/// The edges of a graph by its rule, without their kinds.
fn by_rule(document: &Value) -> Edges {
    let graph = Graph::new(document, Dialect::of(document).unwrap());
    let of =
        |from| graph.dependencies(from).map(move |(_, to)| (from.key().into_owned(), to.key().into_owned()));
    graph.resources().flat_map(of).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The address of a resource in the configuration, from that of the resource or an instance.
fn configured(address: &str) -> Option<(Vec<&str>, bool, &str, &str)> {
    let address = Address::parse(address).ok()?;
    let steps = address.module().unwrap_or_default();
    // The names of modules follow `module.`, outside quotes.
    let (mut names, mut rest) = (Vec::new(), steps);
    while let Some(after) = rest.strip_prefix("module.") {
        let end = after.find(['.', '[']).unwrap_or(after.len());
        names.push(&after[..end]);
        rest = match after[end..].strip_prefix('[') {
            Some(index) if index.starts_with('"') => {
                let mut quoted = index[1..].char_indices();
                let mut close = 0;
                while let Some((at, c)) = quoted.next() {
                    match c {
                        '\\' => drop(quoted.next()),
                        '"' => {
                            close = at;
                            break;
                        }
                        _ => {}
                    }
                }
                &index[1 + close + 2..]
            }
            Some(index) => &index[index.find(']').unwrap() + 1..],
            None => &after[end..],
        };
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    Some((names, address.is_data(), address.resource_type(), address.name()))
}

/// The edges of a state of version 4: each instance depends on all resources of a configuration
/// address.
fn of_state(document: &Value) -> Edges {
    let resources = document.get("resources").unwrap().as_list().unwrap();
    let address = |resource: &Value| {
        let module = text(resource, "module").map_or(String::new(), |module| format!("{module}."));
        let data = if text(resource, "mode") == Some("data") { "data." } else { "" };
        Some(format!("{module}{data}{}.{}", text(resource, "type")?, text(resource, "name")?))
    };
    let addresses: Vec<String> = resources.iter().filter_map(address).collect();
    let mut edges = Edges::new();
    for resource in resources {
        let Some(own) = address(resource) else { continue };
        let instances = resource.get("instances").and_then(Value::as_list).unwrap_or_default();
        for instance in instances {
            let from = match instance.get("index_key") {
                Some(Value::String(key)) => format!("{own}[{}]", serde_json::to_string(key).unwrap()),
                Some(Value::Integer(key)) => format!("{own}[{key}]"),
                _ => own.clone(),
            };
            let dependencies = instance.get("dependencies").and_then(Value::as_list).unwrap_or_default();
            for dependency in dependencies.iter().filter_map(Value::as_str) {
                // A very old state may have instance keys, and then refers to these instances
                // alone.
                let is_named = |address: &&String| match dependency.contains('[') {
                    true => **address == dependency,
                    false => configured(address).is_some_and(|named| configured(dependency) == Some(named)),
                };
                edges.extend(addresses.iter().filter(is_named).map(|to| (from.clone(), to.clone())));
            }
        }
    }
    edges
}

#[test]
fn the_dependencies_of_states_lead_to_the_targets_of_terraform() {
    let mut documents: Vec<Value> = Vec::new();
    let ours = cases("dialects").into_iter();
    let theirs = corpus().map(|corpus| files_below(&corpus.join("tfstate"))).unwrap_or_default();
    for path in ours.chain(theirs) {
        let Ok(document) = parse(&fs::read(path).unwrap()) else { continue };
        if Dialect::of(&document).is_some_and(|dialect| dialect.name == "terraform-state-4") {
            documents.push(document);
        }
    }
    assert!(!documents.is_empty());
    for document in &documents {
        let resources = document.get("resources").unwrap().as_list().unwrap();
        // A dependency on an instance leads to the instance; the search finds only resources.
        let found = by_rule(document)
            .into_iter()
            .filter(|(_, to)| Address::parse(to).is_ok_and(|to| to.index().is_none()));
        assert_eq!(found.collect::<Edges>(), of_state(document), "{} resources", resources.len());
    }
}

/// The edges between resources of a template in JSON, as cfn-lint found them.
#[test]
fn the_references_of_templates_are_those_that_cfn_lint_finds() {
    let beside = |corpus: std::path::PathBuf| corpus.join("../testdata/2-interchange");
    let Some(folder) = corpus().map(beside).filter(|folder| folder.join("cfn-lint-edges.jsonl").exists())
    else {
        return skip("the edges that cfn-lint finds");
    };
    let facts = fs::read_to_string(folder.join("cfn-lint-edges.jsonl")).unwrap();
    let (mut templates, mut all) = (0, 0);
    for line in facts.lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let path = folder.join("cfn-lint-templates").join(fact["template"].as_str().unwrap());
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let Ok(document) = parse(&fs::read(&path).unwrap()) else { continue };
        if Dialect::of(&document).is_none_or(|dialect| dialect.name != "cloudformation") {
            continue;
        }
        let resources: BTreeSet<&str> =
            document.get("Resources").into_iter().flat_map(Node::entries).map(|(key, _)| key).collect();
        let is_between =
            |(from, to): &(String, String)| resources.contains(&**from) && resources.contains(&**to);
        let edge = |edge: &serde_json::Value| {
            let end = |name: &str| edge[name].as_str().unwrap_or_default().to_owned();
            (end("from"), end("to"))
        };
        let expected: Edges = fact["edges"].as_array().unwrap().iter().map(edge).filter(is_between).collect();
        let found: Edges = by_rule(&document).into_iter().filter(is_between).collect();
        assert_eq!(found, expected, "{}", path.display());
        (templates, all) = (templates + 1, all + expected.len());
    }
    assert_eq!((templates, all), (6, 163), "templates and edges");
}

/// The names in `${…}` of a string, by hand.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at + 1 < characters.len() {
        if characters[at] == '$' && characters[at + 1] == '{' {
            let Some(length) = characters[at + 2..].iter().position(|&c| c == '}') else { break };
            let inside: String = characters[at + 2..at + 2 + length].iter().collect();
            let name = inside.split(['.', '[']).next().unwrap().to_owned();
            if !name.is_empty() && !name.starts_with('!') {
                names.push(name);
            }
            at += length + 3;
        } else {
            at += 1;
        }
    }
    names
}

#[test]
fn the_references_of_programs_are_the_names_in_their_strings() {
    let case = cases("dialects").into_iter().find(|path| path.ends_with("pulumi-yaml.json")).unwrap();
    let document = parse(&fs::read(case).unwrap()).unwrap();
    let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for group in ["resources", "variables", "config"] {
        for (key, value) in document.get(group).into_iter().flat_map(Node::entries) {
            values.insert(key, vec![value]);
        }
    }
    let keys: BTreeSet<String> = values.keys().map(|&key| key.to_owned()).collect();
    let mut expected = Edges::new();
    for (from, mut pending) in values {
        while let Some(value) = pending.pop() {
            pending.extend(value.entries().map(|(_, value)| value).chain(value.items()));
            let to = value.as_str().map(names).unwrap_or_default().into_iter();
            expected.extend(to.filter(|to| keys.contains(to)).map(|to| (from.to_owned(), to)));
        }
    }
    assert_eq!(expected.len(), 5);
    assert_eq!(by_rule(&document), expected);
}
