//! Conversions there and back, for all graphs of the corpus.

use super::*;

/// All documents of the corpus that are graphs of another system.
fn graphs() -> Vec<(PathBuf, Value, Form)> {
    let Some(corpus) = coconut_testing::corpus() else { return Vec::new() };
    let of_corpus = ["tfstate", "tfstate-show", "pulumi", "coconut"].map(|name| Some(corpus.join(name)));
    let of_testdata = ["2-interchange", "1-diff"].map(coconut_testing::testdata);
    let mut graphs = Vec::new();
    for path in of_corpus
        .iter()
        .chain(&of_testdata)
        .flatten()
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| files_below(folder))
    {
        let is_text = [".json", ".tfstate"].iter().any(|end| path.to_string_lossy().ends_with(end));
        let text = std::fs::read(&path).unwrap();
        let Some(value) = oracle::read(&text).ok().filter(|_| is_text) else { continue };
        if let Some(form) = Form::of(&value) {
            graphs.push((path, value, form));
        }
    }
    graphs
}

/// The target that has the form of a source.
fn same(form: Form) -> Option<Target> {
    match form {
        Form::PulumiExport => Some(Target::PulumiExport),
        Form::PulumiCheckpoint => Some(Target::PulumiCheckpoint),
        Form::TerraformState => Some(Target::TerraformState),
        _ => None,
    }
}

#[test]
fn a_graph_of_2017_leads_back_to_the_document_that_it_was_made_from() {
    let mut counts = [0; 2];
    for (path, source, form) in graphs() {
        let Some(target) = same(form) else { continue };
        let path = path.display();
        let (graph, _) = match converted(&source, Target::CocoGl) {
            Ok(converted) => converted,
            Err(GraphError::Malformed { pointer, .. }) => panic!("{path}: {pointer}"),
            Err(error) => panic!("{path}: {error}"),
        };
        let dialect = Dialect::of(&graph).unwrap_or_else(|| panic!("{path}: of no dialect"));
        assert_eq!(dialect.name, "coconut-snapshot", "{path}");
        let (back, findings) = converted(&graph, target).unwrap();
        assert!(back == source, "{path}: {}", text(&back));
        assert_eq!(findings, [], "{path}");
        counts[usize::from(form == Form::TerraformState)] += 1;
    }
    assert!(coconut_testing::corpus().is_none() || counts[0] > 40 && counts[1] > 100, "{counts:?}");
}

#[test]
fn an_export_leads_back_through_a_checkpoint() {
    let mut count = 0;
    for (path, source, form) in graphs().into_iter().filter(|(.., form)| *form == Form::PulumiExport) {
        let (checkpoint, findings) = converted(&source, Target::PulumiCheckpoint).unwrap();
        assert_eq!(Form::of(&checkpoint), Some(Form::PulumiCheckpoint), "{form:?}");
        let resources = source.get("deployment").and_then(|one| one.get("resources"));
        if resources.is_some_and(|list| list.as_list().is_some_and(|list| !list.is_empty())) {
            assert_eq!(findings, [], "{}", path.display());
        }
        let (back, findings) = converted(&checkpoint, Target::PulumiExport).unwrap();
        assert!(back == source && findings.is_empty(), "{}: {findings:?}", path.display());
        count += 1;
    }
    assert!(coconut_testing::corpus().is_none() || count > 20, "{count}");
}

#[test]
fn every_graph_has_every_form_and_no_rule_is_broken_by_it() {
    let targets = [
        Target::CocoGl,
        Target::PulumiExport,
        Target::PulumiCheckpoint,
        Target::TerraformState,
        Target::PulumiImport,
        Target::TerraformShow,
    ];
    for (path, source, form) in graphs() {
        let broken = |document: &Value| {
            let dialect = Dialect::of(document);
            dialect.map_or(0, |dialect| verify_graph(document, dialect).len())
        };
        let before = broken(&source);
        for target in targets {
            match converted(&source, target) {
                Ok((document, findings)) => {
                    let (again, _) = converted(&source, target).unwrap();
                    assert!(again == document, "{}", path.display());
                    let after = broken(&document);
                    let name = target.name();
                    assert!(after <= before, "{} {name}: {after} > {before}", path.display());
                    for finding in &findings {
                        let place = resolve(&source, &finding.pointer);
                        assert!(place.is_some(), "{} {name}: {finding:?}", path.display());
                    }
                }
                Err(GraphError::NoState) => assert_eq!(target, Target::TerraformShow),
                Err(GraphError::SameForm) => assert_eq!(target.name(), form.name()),
                Err(error) => panic!("{} {}: {error}", path.display(), target.name()),
            }
        }
    }
}
