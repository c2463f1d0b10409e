//! States: each recorded dependency leads to all instances of its resource.

use super::*;

/// An address without instance keys.
fn bare(address: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0);
    for c in address.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[test]
fn states_of_version_4_have_the_dependencies_that_they_record() {
    let folders = ["tfstate", "testdata/2-interchange/tfstate-to-pulumi-state"].map(folder);
    let (mut compared, mut states) = (0, 0);
    for path in folders.iter().flatten().flat_map(|folder| files_below(folder)) {
        if !path.to_string_lossy().contains(".tfstate") {
            continue;
        }
        let Some(root) = value(&path) else { continue };
        let is_state = system_of(&root) == Some(System::TerraformState) && infer(&root).is_none();
        let Some(resources) = root.get("resources").and_then(Value::as_list).filter(|_| is_state) else {
            continue;
        };
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut all: Vec<(String, &Value)> = Vec::new();
        for resource in resources {
            let mut address = text(resource, "module");
            if !address.is_empty() {
                address.push('.');
            }
            if text(resource, "mode") == "data" {
                address.push_str("data.");
            }
            address += &format!("{}.{}", text(resource, "type"), text(resource, "name"));
            for instance in resource.get("instances").and_then(Value::as_list).unwrap_or_default() {
                all.push((bare(&address), instance));
            }
        }
        let mut expected = BTreeSet::new();
        for (from, (_, instance)) in all.iter().enumerate() {
            for dependency in instance.get("dependencies").and_then(Value::as_list).unwrap_or_default() {
                let dependency = dependency.as_str().map(bare).unwrap_or_default();
                for (to, (address, other)) in all.iter().enumerate() {
                    if *address == dependency && to != from && other.get("deposed").is_none() {
                        expected.insert((from, to));
                    }
                }
            }
        }
        let import = imported(System::TerraformState, &root);
        let found: BTreeSet<(usize, usize)> =
            import.edges().iter().map(|edge| (edge.from as usize, edge.to as usize)).collect();
        assert_eq!(found, expected, "{}", path.display());
        compared += expected.len();
        states += 1;
    }
    assert!(states == 0 || compared > 5, "{compared} edges of {states} states");
}

#[test]
fn states_of_version_3_are_imported() {
    let Some(folder) = folder("tfstate") else { return };
    let mut count = 0;
    for path in files_below(&folder) {
        let Some(root) = value(&path).filter(|root| root.get("modules").is_some()) else { continue };
        let import = infer(&root).unwrap().unwrap();
        for edge in import.edges() {
            let module = |number: u32| {
                import.resources()[number as usize].pointer.split('/').nth(2).unwrap().to_owned()
            };
            assert_eq!(module(edge.from), module(edge.to), "{}", path.display());
        }
        count += 1;
    }
    assert!(count >= 2, "{count}");
}
