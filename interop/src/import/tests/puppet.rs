//! Puppet catalogs.

use super::*;

const CATALOG: &str = r#"{"document_type": "Catalog", "data": {"name": "node.example", "classes": [], "resources": [
    {"type": "Stage", "title": "main"},
    {"type": "Stage", "title": "pre", "parameters": {"before": "Stage[main]"}},
    {"type": "Class", "title": "main"},
    {"type": "Class", "title": "Apt", "parameters": {"stage": "pre"}},
    {"type": "Apt::Source", "title": "backports", "parameters": {"require": "class[apt]"}},
    {"type": "File", "title": "/etc/motd", "parameters": {"notify": "Service[motd]", "before": ["Exec[a, b]"]}},
    {"type": "File", "title": "conf", "parameters": {"path": "/etc/conf", "require": "File['/etc/motd', '/etc/gone']"}},
    {"type": "Service", "title": "motd", "parameters": {"subscribe": ["FILE[/etc/conf]", ["Apt::source[backports]"]]}},
    {"type": "Exec", "title": "a, b", "parameters": {"require": ["Nothing[x]", "no reference"]}}],
  "edges": [
    {"source": "Stage[main]", "target": "Class[main]"},
    {"source": "Stage[main]", "target": "Class[Apt]"},
    {"source": "Class[main]", "target": "Exec[a, b]"},
    {"source": "Class[Apt]", "target": "Apt::Source[backports]"}]}}"#;

#[test]
fn a_catalog_has_these_edges_and_no_other() {
    let catalog = json(CATALOG);
    let import = inferred(&catalog);
    check(&catalog, &import);
    assert_eq!(import.system(), System::Puppet);
    let expected = "
        Stage[main] require Stage[pre]
        Class[main] owner Stage[main]
        Class[Apt] owner Stage[main]
        Class[Apt] owner Stage[pre]
        Apt::Source[backports] owner Class[Apt]
        Apt::Source[backports] require Class[Apt]
        Service[motd] subscribe File[/etc/motd]
        Exec[a, b] require File[/etc/motd]
        File[conf] require File[/etc/motd]
        Service[motd] subscribe File[conf]
        Service[motd] subscribe Apt::Source[backports]";
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(
        missing(&import),
        [
            "File[conf] require File[/etc/gone] /data/resources/6/parameters/require",
            "Exec[a, b] require Nothing[x] /data/resources/8/parameters/require/0",
            "Exec[a, b] require no reference /data/resources/8/parameters/require/1",
        ]
    );
    assert_eq!(import.resources()[4].urn, "urn:coconut:import::node.example::puppet:Apt/Source::backports");
}

#[test]
fn contents_of_the_main_class_are_shown_on_request() {
    let catalog = json(CATALOG);
    let options = Options { class_main: true, ..Options::default() };
    let all = import(System::Puppet, &[Source { name: "", root: &catalog }], &options).unwrap();
    let hidden = inferred(&catalog);
    let more: Vec<String> = edges(&all).difference(&edges(&hidden)).cloned().collect();
    assert_eq!(more, ["Exec[a, b] owner Class[main]"]);
}

#[test]
fn a_catalog_of_the_database_has_relations_between_objects() {
    let text = r#"{"name": "n", "environment": "e",
      "resources": {"data": [{"type": "File", "title": "a"}, {"type": "File", "title": "b"}, {"type": "File", "title": 7}]},
      "edges": {"data": [
        {"source": {"type": "File", "title": "a"}, "target": {"type": "File", "title": "b"}, "relationship": "before"},
        {"source": {"type": "File", "title": "b"}, "target": {"type": "File", "title": "7"}, "relationship": "notifies"},
        {"source": {"type": "File", "title": "a"}, "target": {"type": "File", "title": "7"}, "relationship": "contains"},
        {"source": {"type": "File", "title": "x"}, "target": {"type": "File", "title": "7"}, "relationship": "required-by"}]}}"#;
    let catalog = json(text);
    let import = inferred(&catalog);
    check(&catalog, &import);
    let expected = "File[b] require File[a]\nFile[7] subscribe File[b]\nFile[7] owner File[a]";
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(missing(&import), ["File[7] require File[x] /edges/data/3/source"]);
}

#[test]
fn of_two_catalogs_each_is_a_world_of_its_own() {
    let catalog = |other: &str| {
        json(&format!(
            r#"{{"name": "n", "resources": [{{"type": "File", "title": "a", "parameters": {{"require": "File[{other}]"}}}}, {{"type": "File", "title": "b"}}]}}"#
        ))
    };
    let (first, second) = (catalog("b"), catalog("c"));
    let sources = [Source { name: "x.json", root: &first }, Source { name: "y.json", root: &second }];
    let import = import(System::Puppet, &sources, &Options::default()).unwrap();
    assert_eq!(import.edges().len(), 1);
    assert_eq!(import.missing().len(), 1);
    assert_eq!(import.resources()[2].urn, "urn:coconut:import::y.json::puppet:File::a");
    assert!(import.findings().is_empty(), "equal names of two worlds are no doubles");
}

/// A server answers with the catalog under `catalog`, and PuppetDB wraps the lists.
#[test]
fn a_catalog_of_a_server_or_of_puppetdb_has_the_same_edges() {
    let plain = json(CATALOG);
    let inner = plain.get("data").unwrap().clone();
    let own = |key: &str| inner.get(key).unwrap().clone();
    let object = |entries: Vec<(&str, Value)>| {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    };
    let wrapped = |key: &str| object(vec![("href", Value::String("/x".into())), ("data", own(key))]);
    let stored = object(vec![
        ("certname", Value::String("node.example".into())),
        ("environment", Value::String("production".into())),
        ("resources", wrapped("resources")),
        ("edges", wrapped("edges")),
    ]);
    let served = object(vec![("catalog", inner.clone())]);
    for catalog in [served, stored.clone(), Value::List(vec![stored])] {
        let import = inferred(&catalog);
        check(&catalog, &import);
        assert_eq!(edges(&import), edges(&inferred(&plain)));
    }
}

/// Without `edges`, the parameters of resources still name others.
#[test]
fn relations_of_a_catalog_without_edges_are_in_its_parameters() {
    let catalog = json(
        r#"{"document_type": "Catalog", "name": "n", "environment": "e", "resources": [
        {"type": "File", "title": "/a", "parameters": {"require": "Package[b]"}},
        {"type": "Package", "title": "b", "parameters": {"before": ["Service[c]"]}},
        {"type": "Service", "title": "c"}]}"#,
    );
    let import = inferred(&catalog);
    check(&catalog, &import);
    assert_eq!(edges(&import), lines("File[/a] require Package[b]\nService[c] require Package[b]"));
}

#[test]
fn rich_data_is_kept_and_a_doubtful_duration_is_reported() {
    let catalog = json(
        r#"{"name": "n", "catalog_uuid": "u", "resources": [{"type": "Class", "title": "a", "parameters": {
            "t": [{"__ptype": "Timespan", "__pvalue": "0-00:00:00.5"},
                {"__ptype": "Timespan", "__pvalue": "0-00:00:00.000000005"},
                {"__ptype": "Timespan", "__pvalue": "0-00:01:30.0"}],
            "r": {"__ptype": "Regexp", "__pvalue": "a.b"}}}]}"#,
    );
    let import = inferred(&catalog);
    assert_eq!(findings(&import), ["IMP-TIMESPAN 0-00:00:00.5 /resources/0/parameters/t/0"]);
    let kind = value_at(import.resources()[0].value, "/parameters/r/__ptype");
    assert_eq!(kind.and_then(Value::as_str), Some("Regexp"));
}
