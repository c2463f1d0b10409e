//! Plans: the references in the expressions of the root module, and the dependencies in prior
//! states.

use super::*;
use coconut_interop::EdgeKind;

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

/// All strings in lists with the key `references`.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                match value {
                    Value::List(items)
                        if key == "references" && items.iter().all(|item| item.as_str().is_some()) =>
                    {
                        found.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    value if key != "constant_value" => references(value, found),
                    _ => {}
                }
            }
        }
        Value::List(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

fn plans() -> Vec<(PathBuf, Value)> {
    let folders = ["tfplan", "testdata/1-diff/tofu-show-json", "testdata/1-diff/tofu-cloud-plan"].map(folder);
    let files = folders.iter().flatten().flat_map(|folder| files_below(folder));
    let read = files.filter_map(|path| value(&path).map(|root| (path, root)));
    read.filter(|(_, root)| system_of(root) == Some(System::Plan)).collect()
}

#[test]
fn references_between_resources_of_the_root_module_are_edges() {
    let mut compared = 0;
    for (path, root) in plans() {
        let import = infer(&root).unwrap().unwrap();
        let module = root.get("configuration").and_then(|configuration| configuration.get("root_module"));
        let resources = module.and_then(|module| module.get("resources")).and_then(Value::as_list);
        let keys: BTreeSet<String> = import.resources().iter().map(|resource| bare(&resource.key)).collect();
        let found: BTreeSet<(String, String)> = import
            .edges()
            .iter()
            .map(|edge| {
                let key = |number: u32| bare(&import.resources()[number as usize].key);
                (key(edge.from), key(edge.to))
            })
            .collect();
        for resource in resources.unwrap_or_default() {
            let Some(address) = resource.get("address").and_then(Value::as_str) else { continue };
            let mut texts = Vec::new();
            for key in ["expressions", "count_expression", "for_each_expression", "provisioners"] {
                resource.get(key).into_iter().for_each(|value| references(value, &mut texts));
            }
            for text in texts.iter().map(|text| bare(text)) {
                let is_edge = keys.contains(&text) && keys.contains(address) && text != address;
                if is_edge {
                    let pair = (address.to_owned(), text);
                    assert!(found.contains(&pair), "{}: {pair:?}", path.display());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared == 0 || compared > 40, "{compared}");
}

#[test]
fn every_target_of_a_plan_reference_is_a_dependency_in_its_state() {
    let (mut compared, mut others) = (0, Vec::new());
    for (path, root) in plans() {
        let import = infer(&root).unwrap().unwrap();
        // Terraform records all direct and indirect dependencies of a resource.
        let mut recorded: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let prior = root.get("prior_state").and_then(|state| state.get("values"));
        let mut open: Vec<&Value> = prior.and_then(|values| values.get("root_module")).into_iter().collect();
        while let Some(module) = open.pop() {
            open.extend(module.get("child_modules").and_then(Value::as_list).unwrap_or_default());
            for resource in module.get("resources").and_then(Value::as_list).unwrap_or_default() {
                let texts = resource.get("depends_on").and_then(Value::as_list);
                let address = resource.get("address").and_then(Value::as_str);
                if let (Some(texts), Some(address)) = (texts, address) {
                    let texts = texts.iter().filter_map(Value::as_str).map(str::to_owned);
                    recorded.entry(bare(address)).or_default().extend(texts);
                }
            }
        }
        for edge in import.edges().iter().filter(|edge| edge.kind == EdgeKind::Reference) {
            let key = |number: u32| bare(&import.resources()[number as usize].key);
            let (from, to) = (key(edge.from), key(edge.to));
            if let Some(known) = recorded.get(&from).filter(|_| !to.contains("data.")) {
                compared += 1;
                if !known.contains(&to) {
                    others.push((path.clone(), from, to));
                }
            }
        }
    }
    println!("{compared} references compared with the states before");
    assert!(others.is_empty(), "{} of {compared}: {others:#?}", others.len());
}
