//! Terraform states of version 3, and older dependencies in version 4.

use super::*;

const VERSION_3: &str = r#"{"version": 3, "terraform_version": "0.11.14", "serial": 1, "lineage": "l", "modules": [
  {"path": ["root"], "resources": {
    "aws_vpc.main": {"type": "aws_vpc", "depends_on": [], "primary": {"id": "vpc-1"}},
    "aws_subnet.a.0": {"type": "aws_subnet", "depends_on": ["aws_vpc.main", "var.x", "provider.aws"]},
    "aws_subnet.a.1": {"type": "aws_subnet", "depends_on": ["aws_vpc.main"]},
    "aws_subnet.a.10": {"type": "aws_subnet", "depends_on": ["aws_vpc.main"]},
    "data.aws_ami.u": {"type": "aws_ami", "depends_on": []},
    "data.aws_ami.n.0": {"type": "aws_ami", "depends_on": []},
    "aws_instance.all": {"type": "aws_instance", "depends_on": ["aws_subnet.a.*", "data.aws_ami.u"]},
    "aws_instance.bare": {"type": "aws_instance", "depends_on": ["aws_subnet.a", "data.aws_ami.n.*"]},
    "aws_instance.first": {"type": "aws_instance", "depends_on": ["aws_subnet.a.0", "data.aws_ami.n.0"]},
    "aws_instance.tenth": {"type": "aws_instance", "depends_on": ["aws_subnet.a.10", "aws_subnet.a.7"]},
    "aws_instance.zero": {"type": "aws_instance", "depends_on": ["aws_vpc.main.0"]},
    "aws_instance.net": {"type": "aws_instance", "depends_on": ["module.net"]},
    "aws_instance.out": {"type": "aws_instance", "depends_on": ["module.net.subnet_id"]},
    "aws_instance.deep": {"type": "aws_instance", "depends_on": ["module.net.module.inner", "module.net.aws_subnet.b"]},
    "aws_instance.lost": {"type": "aws_instance", "depends_on": ["module.gone", "aws_subnet.gone"]}}},
  {"path": ["root", "net"], "depends_on": ["aws_instance.zero"], "resources": {
    "aws_vpc.main": {"type": "aws_vpc", "depends_on": []},
    "aws_subnet.b": {"type": "aws_subnet", "depends_on": ["aws_vpc.main", "aws_vpc.roots"]}}},
  {"path": ["root", "net", "inner"], "resources": {
    "null_resource.x": {"type": "null_resource", "depends_on": []},
    "aws_vpc.roots": {"type": "aws_vpc", "depends_on": []}}}]}"#;

#[test]
fn dependencies_of_version_3_stay_in_their_module() {
    let state = json(VERSION_3);
    let import = inferred(&state);
    check(&state, &import);
    assert_eq!(import.system(), System::TerraformState);
    let expected = "
        aws_subnet.a[0] depends-on aws_vpc.main
        aws_subnet.a[1] depends-on aws_vpc.main
        aws_subnet.a[10] depends-on aws_vpc.main
        aws_instance.all depends-on aws_subnet.a[0]
        aws_instance.all depends-on aws_subnet.a[1]
        aws_instance.all depends-on aws_subnet.a[10]
        aws_instance.all depends-on data.aws_ami.u
        aws_instance.bare depends-on aws_subnet.a[0]
        aws_instance.bare depends-on aws_subnet.a[1]
        aws_instance.bare depends-on aws_subnet.a[10]
        aws_instance.bare depends-on data.aws_ami.n[0]
        aws_instance.first depends-on aws_subnet.a[0]
        aws_instance.first depends-on data.aws_ami.n[0]
        aws_instance.tenth depends-on aws_subnet.a[10]
        aws_instance.zero depends-on aws_vpc.main
        aws_instance.net depends-on module.net.aws_vpc.main
        aws_instance.net depends-on module.net.aws_subnet.b
        aws_instance.net depends-on module.net.module.inner.null_resource.x
        aws_instance.net depends-on module.net.module.inner.aws_vpc.roots
        aws_instance.out depends-on module.net.aws_vpc.main
        aws_instance.out depends-on module.net.aws_subnet.b
        aws_instance.out depends-on module.net.module.inner.null_resource.x
        aws_instance.out depends-on module.net.module.inner.aws_vpc.roots
        aws_instance.deep depends-on module.net.module.inner.null_resource.x
        aws_instance.deep depends-on module.net.module.inner.aws_vpc.roots
        aws_instance.deep depends-on module.net.aws_subnet.b
        module.net.aws_vpc.main depends-on aws_instance.zero
        module.net.aws_subnet.b depends-on aws_instance.zero
        module.net.aws_subnet.b depends-on module.net.aws_vpc.main";
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(
        missing(&import),
        [
            "aws_instance.tenth depends-on aws_subnet.a.7 /modules/0/resources/aws_instance.tenth/depends_on/1",
            "aws_instance.lost depends-on aws_subnet.gone /modules/0/resources/aws_instance.lost/depends_on/1",
            "aws_instance.lost depends-on module.gone /modules/0/resources/aws_instance.lost/depends_on/0",
            "module.net.aws_subnet.b depends-on aws_vpc.roots /modules/1/resources/aws_subnet.b/depends_on/1",
        ]
    );
}

#[test]
fn older_dependencies_in_version_4_are_relative_to_the_module() {
    let text = r#"{"version": 4, "terraform_version": "0.12.0", "serial": 1, "lineage": "l", "resources": [
      {"mode": "managed", "type": "aws_vpc", "name": "main", "instances": [{"attributes": {"id": "v"}}]},
      {"module": "module.net", "mode": "managed", "type": "aws_vpc", "name": "main", "instances": [{}]},
      {"module": "module.net", "mode": "managed", "type": "aws_subnet", "name": "a", "instances": [
        {"index_key": 0, "depends_on": ["aws_vpc.main"]}, {"index_key": "x\"y", "depends_on": ["aws_vpc.main"]}]},
      {"mode": "managed", "type": "aws_lb", "name": "l", "instances": [
        {"depends_on": ["module.net"]}, {"deposed": "00000000", "depends_on": ["aws_vpc.main"]}]},
      {"mode": "data", "type": "aws_ami", "name": "d", "instances": [{"dependencies": ["module.net.aws_subnet.a", "aws_lb.none", "aws_eip.gone"]}]},
      {"mode": "managed", "type": "aws_lb", "name": "none", "instances": []}]}"#;
    let state = json(text);
    let import = inferred(&state);
    check(&state, &import);
    let edge = |edge: &Edge| {
        let pointer = |number: u32| &import.resources()[number as usize].pointer;
        format!("{} {}", pointer(edge.from), pointer(edge.to))
    };
    let found: BTreeSet<String> = import.edges().iter().map(edge).collect();
    let expected = "
        /resources/2/instances/0 /resources/1/instances/0
        /resources/2/instances/1 /resources/1/instances/0
        /resources/3/instances/0 /resources/1/instances/0
        /resources/3/instances/0 /resources/2/instances/0
        /resources/3/instances/0 /resources/2/instances/1
        /resources/3/instances/1 /resources/0/instances/0
        /resources/4/instances/0 /resources/2/instances/0
        /resources/4/instances/0 /resources/2/instances/1";
    assert_eq!(found, lines(expected));
    assert_eq!(
        missing(&import),
        ["data.aws_ami.d depends-on aws_eip.gone /resources/4/instances/0/dependencies/2"]
    );
    assert_eq!(import.resources()[3].key, r#"module.net.aws_subnet.a["x\"y"]"#);
}

#[test]
fn a_recorded_dependency_leads_to_every_instance_in_every_instance_of_the_module() {
    let text = r#"{"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "resources": [
      {"module": "module.a[0].module.b[\"k.l\"]", "mode": "managed", "type": "t", "name": "x", "instances": [{"index_key": 0}, {"index_key": 1}]},
      {"module": "module.a[1].module.b[\"k.l\"]", "mode": "managed", "type": "t", "name": "x", "instances": [{"index_key": 0}]},
      {"mode": "managed", "type": "t", "name": "y", "instances": [{"dependencies": ["module.a.module.b.t.x"]}]}]}"#;
    let state = json(text);
    assert!(infer(&state).is_none(), "its index has these edges");
    let import =
        import(System::TerraformState, &[Source { name: "", root: &state }], &Options::default()).unwrap();
    let expected = r#"
        t.y depends-on module.a[0].module.b["k.l"].t.x[0]
        t.y depends-on module.a[0].module.b["k.l"].t.x[1]
        t.y depends-on module.a[1].module.b["k.l"].t.x[0]"#;
    assert_eq!(edges(&import), lines(expected));
}

/// Some tools wrote addresses where version 4 has texts relative to a module.
#[test]
fn an_absolute_dependency_leads_to_its_resource() {
    let state = json(
        r#"{"version": 4, "terraform_version": "0.12.0", "resources": [
        {"module": "module.a", "mode": "managed", "type": "t", "name": "x", "instances": [
            {"attributes": {}, "depends_on": ["module.a.t.y", "module.b.t.z", "t.y", "module.a.t.none"]}]},
        {"module": "module.a", "mode": "managed", "type": "t", "name": "y", "instances": [{"attributes": {}}]},
        {"module": "module.b[0]", "mode": "managed", "type": "t", "name": "z", "instances": [{"attributes": {}}]}]}"#,
    );
    let import = inferred(&state);
    let expected = "
        module.a.t.x depends-on module.a.t.y
        module.a.t.x depends-on module.b[0].t.z";
    assert_eq!(edges(&import), lines(expected));
    assert_eq!(missing(&import).len(), 1);
}
