//! Templates: the edges that cfn-lint finds.

use super::*;
use coconut_testing::oracle;

#[test]
fn templates_have_the_edges_that_cfn_lint_finds() {
    let Some(folder) = folder("testdata/2-interchange") else { return };
    let Ok(facts) = std::fs::read_to_string(folder.join("cfn-lint-edges.jsonl")) else { return };
    let (mut templates, mut all) = (0, 0);
    for line in facts.lines() {
        let fact = oracle::read(line.as_bytes()).unwrap();
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let path = folder.join("cfn-lint-templates").join(text(&fact, "template"));
        let Some(root) = path.is_file().then(|| value(&path)).flatten() else { continue };
        if system_of(&root) != Some(System::CloudFormation) {
            continue;
        }
        let import = imported(System::CloudFormation, &root);
        let known: BTreeSet<&str> = import.resources().iter().map(|one| &*one.key).collect();
        let edges_of = fact.get("edges").and_then(Value::as_list).unwrap();
        let expected: BTreeSet<(String, String)> = edges_of
            .iter()
            .map(|edge| (text(edge, "from"), text(edge, "to")))
            .filter(|(from, to)| known.contains(&**from) && known.contains(&**to))
            .collect();
        let key = |number: u32| import.resources()[number as usize].key.clone();
        let found: BTreeSet<(String, String)> =
            import.edges().iter().map(|edge| (key(edge.from), key(edge.to))).collect();
        assert_eq!(found, expected, "{}", path.display());
        (templates, all) = (templates + 1, all + expected.len());
    }
    assert!(templates == 0 || (templates > 90 && all > 400), "{templates} templates, {all} edges");
}

#[test]
fn references_of_templates_lead_to_resources_or_are_missing() {
    let template = r#"{"Parameters": {"P": {"Type": "String"}}, "Resources": {
        "A": {"Type": "T", "DependsOn": ["B", "Gone"], "Properties": {
            "ref": {"Ref": "B"}, "parameter": {"Ref": "P"}, "pseudo": {"Ref": "AWS::Region"},
            "get": {"Fn::GetAtt": "C.Arn.x"}, "list": [{"Fn::GetAtt": ["B", "Arn"]}, {"Ref": "Lost"}],
            "sub": {"Fn::Sub": "${!B}-${C.Arn}-${AWS::StackName}-${Nowhere}"},
            "own": {"Fn::Sub": ["${x}${B}", {"x": {"Ref": "C"}}]}, "two": {"Ref": "X", "Other": 1}}},
        "B": {"Type": "T"}, "C": {"Type": "T"}, "D": {"Properties": {}}}}"#;
    let root = oracle::read(template.as_bytes()).unwrap();
    let import = imported(System::CloudFormation, &root);
    assert!(infer(&root).is_none());
    let expected = ["A depends-on B", "A reference B", "A reference C"];
    assert_eq!(edges(&import).into_iter().collect::<Vec<_>>(), expected);
    let missing: Vec<String> =
        import.missing().iter().map(|one| format!("{} {} {}", one.kind.name(), one.name, one.at)).collect();
    let expected = [
        "reference Lost /Resources/A/Properties/list/1/Ref",
        "reference Nowhere /Resources/A/Properties/sub/Fn::Sub",
        "depends-on Gone /Resources/A/DependsOn",
    ];
    assert_eq!(missing, expected);
    let found: Vec<String> = import.findings().iter().map(ToString::to_string).collect();
    assert_eq!(found, ["expected a resource, found `D` without `Type`"]);
}
