//! Terraform plans.

use super::*;

/// A plan with these changes and this root module in the configuration.
fn plan(changes: &[&str], root_module: &str, more: &str) -> Value {
    let changes: Vec<String> = changes.iter().map(|address| change(address)).collect();
    json(&format!(
        r#"{{"format_version": "1.2", "resource_changes": [{}],
            "configuration": {{"root_module": {root_module}}} {more}}}"#,
        changes.join(",")
    ))
}

fn change(address: &str) -> String {
    let quoted = address.replace('\\', r"\\").replace('"', "\\\"");
    format!(r#"{{"address": "{quoted}", "type": "t", "change": {{"actions": ["create"]}}}}"#)
}

/// A resource of the configuration with these references in one expression.
fn resource(address: &str, references: &[&str]) -> String {
    let references: Vec<String> = references.iter().map(|text| format!("{:?}", *text)).collect();
    let words: Vec<&str> = address.split('.').collect();
    let (mode, kind, name) = match words[..] {
        ["data", kind, name] => ("data", kind, name),
        [kind, name] => ("managed", kind, name),
        _ => panic!("{address}"),
    };
    format!(
        r#"{{"address": "{address}", "mode": "{mode}", "type": "{kind}", "name": "{name}", "provider_config_key": "p",
            "expressions": {{"x": {{"references": [{}]}}}}}}"#,
        references.join(",")
    )
}

#[test]
fn the_longest_reference_with_a_target_counts() {
    let module = format!(
        r#"{{"resources": [{}]}}"#,
        [
            resource("t.a", &[]),
            resource("data.t.d", &["path.module", "terraform.workspace", "local.x"]),
            resource("t.one", &["t.a[0].id", "t.a[0]", "t.a"]),
            resource("t.all", &["t.a", "data.t.d.id", "data.t.d"]),
            resource("t.both", &["t.a[1].id", "t.a[1]", "t.a", "t.a"]),
            resource("t.lost", &["t.gone.id", "t.gone", "module.none.x", "module.none"]),
        ]
        .join(",")
    );
    let plan = plan(&["t.a[0]", "t.a[1]", "data.t.d", "t.one", "t.all", "t.both", "t.lost"], &module, "");
    let import = inferred(&plan);
    check(&plan, &import);
    let expected = "
        t.one reference t.a[0]
        t.all reference t.a[0]
        t.all reference t.a[1]
        t.all reference data.t.d
        t.both reference t.a[0]
        t.both reference t.a[1]";
    assert_eq!(edges(&import), lines(expected));
    let at = "/configuration/root_module/resources/5/expressions/x/references";
    assert_eq!(
        missing(&import),
        [format!("t.lost reference module.none {at}/3"), format!("t.lost reference t.gone {at}/1")]
    );
}

#[test]
fn variables_and_outputs_are_followed_through_modules() {
    let inner = format!(
        r#"{{"resources": [{}], "outputs": {{"o": {{"expression": {{"references": ["t.deep.id", "t.deep"]}}}}}}}}"#,
        resource("t.deep", &["var.from", "var.default"])
    );
    let outer = format!(
        r#"{{"resources": [{}],
            "outputs": {{"out": {{"expression": {{"references": ["module.inner.o", "module.inner"]}}}}, "own": {{"expression": {{"references": ["t.mid.id", "t.mid"]}}}}}},
            "module_calls": {{"inner": {{"expressions": {{"from": {{"references": ["var.vpc"]}}}}, "module": {inner}}}}}}}"#,
        resource("t.mid", &[])
    );
    let root = format!(
        r#"{{"resources": [{}],
            "module_calls": {{"outer": {{"expressions": {{"vpc": {{"references": ["t.vpc.id", "t.vpc"]}}}}, "module": {outer}}}}}}}"#,
        [
            resource("t.vpc", &["var.root"]),
            resource("t.user", &["module.outer.out", "module.outer"]),
            resource("t.whole", &["module.outer"]),
            resource("t.wrong", &["module.outer.none", "module.outer"]),
        ]
        .join(",")
    );
    let addresses =
        ["t.vpc", "t.user", "t.whole", "t.wrong", "module.outer.t.mid", "module.outer.module.inner.t.deep"];
    let plan = plan(&addresses, &root, "");
    let import = inferred(&plan);
    check(&plan, &import);
    let expected = "
        module.outer.module.inner.t.deep reference t.vpc
        t.user reference module.outer.module.inner.t.deep
        t.whole reference module.outer.module.inner.t.deep
        t.whole reference module.outer.t.mid";
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(
        missing(&import),
        [
            "t.wrong reference module.outer.none /configuration/root_module/resources/3/expressions/x/references/0"
        ]
    );
}

#[test]
fn instances_of_a_module_are_kept_apart() {
    let module = format!(
        r#"{{"resources": [{}], "outputs": {{"o": {{"expression": {{"references": ["t.b.id", "t.b"]}}}}}}}}"#,
        [resource("t.a", &[]), resource("t.b", &["t.a.id", "t.a"])].join(",")
    );
    let root = format!(
        r#"{{"resources": [{}], "module_calls": {{"m": {{"count_expression": {{"references": ["t.n"]}}, "depends_on": ["t.before"], "module": {module}}}}}}}"#,
        [
            resource("t.n", &[]),
            resource("t.before", &[]),
            resource("t.first", &["module.m[0].o", "module.m[0]", "module.m"]),
            resource("t.every", &["module.m"]),
        ]
        .join(",")
    );
    let addresses = [
        "t.n",
        "t.before",
        "t.first",
        "t.every",
        "module.m[0].t.a",
        "module.m[1].t.a",
        "module.m[0].t.b",
        "module.m[1].t.b",
    ];
    let expected = "
        module.m[0].t.b reference module.m[0].t.a
        module.m[1].t.b reference module.m[1].t.a
        module.m[0].t.a reference t.n
        module.m[1].t.a reference t.n
        module.m[0].t.b reference t.n
        module.m[1].t.b reference t.n
        module.m[0].t.a depends-on t.before
        module.m[1].t.a depends-on t.before
        module.m[0].t.b depends-on t.before
        module.m[1].t.b depends-on t.before
        t.first reference module.m[0].t.b
        t.every reference module.m[0].t.b
        t.every reference module.m[1].t.b";
    assert_eq!(edges(&inferred(&plan(&addresses, &root, ""))), lines(expected));
}

#[test]
fn instances_with_the_same_keys_are_paired_if_the_expression_uses_its_key() {
    let root = format!(
        r#"{{"resources": [{}]}}"#,
        [
            resource("t.a", &[]),
            resource("t.paired", &["t.a", "each.key"]),
            resource("t.splat", &["t.a"]),
            resource("t.other", &["t.a", "each.value.id", "each.value"]),
        ]
        .join(",")
    );
    let addresses = [
        r#"t.a["x"]"#,
        r#"t.a["y"]"#,
        r#"t.paired["x"]"#,
        r#"t.paired["y"]"#,
        r#"t.splat["x"]"#,
        r#"t.splat["y"]"#,
        r#"t.other["x"]"#,
        r#"t.other["z"]"#,
    ];
    let plan = plan(&addresses, &root, "");
    let import = inferred(&plan);
    let expected = r#"
        t.paired["x"] reference t.a["x"]
        t.paired["y"] reference t.a["y"]
        t.splat["x"] reference t.a["x"]
        t.splat["x"] reference t.a["y"]
        t.splat["y"] reference t.a["x"]
        t.splat["y"] reference t.a["y"]
        t.other["x"] reference t.a["x"]
        t.other["x"] reference t.a["y"]
        t.other["z"] reference t.a["x"]
        t.other["z"] reference t.a["y"]"#;
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(import.edges().iter().filter(|edge| edge.is_assumed).count(), 2);
}

#[test]
fn blocks_provisioners_and_dependencies_are_read() {
    let user = r#"{"address": "t.u", "mode": "managed", "type": "t", "name": "u", "provider_config_key": "p.west",
        "expressions": {"block": [{"inner": {"deep": {"references": ["t.a.id", "t.a"]}}}],
                        "constant": {"constant_value": {"references": ["t.z"]}}},
        "provisioners": [{"type": "local-exec", "expressions": {"command": {"references": ["t.b.id", "t.b", "self.id", "self"]}}}],
        "depends_on": ["t.c", "module.m", "data.t.d", "t.nothing"]}"#;
    let module = format!(r#"{{"resources": [{}]}}"#, resource("t.inside", &[]));
    let resources = [
        resource("t.a", &[]),
        resource("t.b", &[]),
        resource("t.c", &[]),
        resource("t.z", &[]),
        resource("data.t.d", &[]),
        resource("t.region", &[]),
    ];
    let root = format!(
        r#"{{"resources": [{}, {user}], "module_calls": {{"m": {{"module": {module}}}}}}}"#,
        resources.join(",")
    );
    let text = format!(
        r#"{{"format_version": "1.2", "resource_changes": [{}], "configuration": {{"root_module": {root},
            "provider_config": {{"p": {{"name": "p"}}, "p.west": {{"name": "p", "alias": "west", "expressions": {{"region": {{"references": ["t.region.id", "t.region"]}}}}}}}}}}}}"#,
        ["t.a", "t.b", "t.c", "t.z", "data.t.d", "t.region", "t.u", "module.m.t.inside"]
            .map(change)
            .join(",")
    );
    let plan = json(&text);
    let import = inferred(&plan);
    check(&plan, &import);
    let expected = "
        t.u reference t.a
        t.u reference t.b
        t.u depends-on t.c
        t.u depends-on data.t.d
        t.u depends-on module.m.t.inside
        t.u provider t.region";
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(
        missing(&import),
        ["t.u depends-on t.nothing /configuration/root_module/resources/6/depends_on/3"]
    );
}

#[test]
fn resources_that_do_not_change_are_vertices_and_the_state_before_has_edges() {
    let text = r#"{"format_version": "1.2",
      "resource_changes": [
        {"address": "t.new[0]", "previous_address": "t.old", "type": "t", "change": {"actions": ["no-op"]}},
        {"address": "t.new[0]", "deposed": "abc", "type": "t", "change": {"actions": ["delete"], "before": {"id": "i-1"}}},
        {"address": "t.user", "type": "t", "change": {"actions": ["update"], "after": {"id": "i-2"}}},
        {"address": "ephemeral.t.e", "mode": "ephemeral", "type": "t", "change": {"actions": ["open"]}},
        {"type": "t"}],
      "resource_drift": [
        {"address": "t.user", "type": "t", "change": {"actions": ["update"]}},
        {"address": "t.drifted", "type": "t", "change": {"actions": ["delete"]}}],
      "planned_values": {"root_module": {"child_modules": [{"resources": [{"address": "module.m.t.same", "type": "t"}]}]}},
      "prior_state": {"values": {"root_module": {"resources": [
        {"address": "data.t.read", "mode": "data", "type": "t", "values": {"id": "r"}},
        {"address": "t.new[0]", "deposed_key": "abc", "type": "t", "depends_on": ["data.t.read"]},
        {"address": "t.user", "type": "t", "depends_on": ["t.old", "module.m.t.same", "data.t.read", "t.gone"]}]}}}}"#;
    let plan = json(text);
    let import = inferred(&plan);
    check(&plan, &import);
    let keys: Vec<&str> = import.resources().iter().map(|resource| &*resource.key).collect();
    assert_eq!(
        keys,
        ["t.new[0]", "t.new[0]", "t.user", "ephemeral.t.e", "module.m.t.same", "data.t.read", "t.drifted"]
    );
    let pairs: Vec<(u32, u32)> = import.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(pairs, [(1, 5), (2, 0), (2, 4), (2, 5)]);
    assert_eq!(
        missing(&import),
        ["t.user depends-on t.gone /prior_state/values/root_module/resources/2/depends_on/3"]
    );
    assert_eq!(
        findings(&import),
        ["IMP-RESOURCE a change without `address` /resource_changes/4", "IMP-CONFIGURATION  "]
    );
    assert_eq!(import.resources()[1].id.as_deref(), Some("i-1"));
    assert_eq!(import.resources()[1].urn, "urn:coconut:import::root::t::t.new[0]#2");
}

#[test]
fn a_way_of_more_than_64_steps_is_cut_and_a_circle_ends() {
    let mut module = format!(r#"{{"resources": [{}]}}"#, resource("t.deep", &["var.v"]));
    let mut address = "t.deep".to_owned();
    for _ in 0..70 {
        module = format!(
            r#"{{"module_calls": {{"m": {{"expressions": {{"v": {{"references": ["var.v"]}}}}, "module": {module}}}}}}}"#
        );
        address = format!("module.m.{address}");
    }
    let import_of = |module: &str, address: &str| {
        let plan = plan(&[address], module, "");
        findings(&inferred(&plan)).iter().map(|text| text[..9].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(import_of(&module, &address), ["IMP-DEPTH"]);
    let circle = format!(
        r#"{{"resources": [{}], "module_calls": {{"m": {{"expressions": {{"v": {{"references": ["module.m.o", "module.m"]}}}},
            "module": {{"outputs": {{"o": {{"expression": {{"references": ["var.v"]}}}}}}}}}}}}}}"#,
        resource("t.a", &["module.m.o", "module.m"])
    );
    assert_eq!(import_of(&circle, "t.a"), [""; 0]);
}

#[test]
fn a_thousand_instances_of_a_module_cost_no_more_than_their_edges() {
    let module = format!(
        r#"{{"resources": [{}]}}"#,
        [resource("t.a", &[]), resource("t.b", &["t.a.id", "t.a"])].join(",")
    );
    let root = format!(r#"{{"module_calls": {{"m": {{"module": {module}}}}}}}"#);
    let addresses: Vec<String> =
        (0..20_000).flat_map(|n| [format!("module.m[{n}].t.a"), format!("module.m[{n}].t.b")]).collect();
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    assert_eq!(inferred(&plan(&addresses, &root, "")).edges().len(), 20_000);
}
