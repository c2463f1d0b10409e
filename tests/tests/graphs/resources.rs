//! §15.5 Resources and snapshots of every dialect, through the same accessors.

use coconut_format::Value;
use coconut_format::graph::address::Address;
use coconut_format::graph::{Graph, Resource};
use coconut_format::landmark::Dialect;
use coconut_format::urn::Urn;

use super::documents::parse;

/// Calls `read` with the graph in a JSON text, which must be of this dialect.
fn with_graph(dialect: &str, text: &str, read: impl FnOnce(&Graph<'_, &Value>)) {
    let document = parse(text.as_bytes()).unwrap();
    let found = Dialect::of(&document).unwrap();
    assert_eq!(found.name, dialect);
    read(&Graph::new(&document, found));
}

#[track_caller]
fn only<'g, 'a>(graph: &'g Graph<'a, &'a Value>, key: &str) -> Resource<'g, 'a, &'a Value> {
    let mut found = graph.resource(key);
    let resource = found.next().expect("no resource has this key");
    assert!(found.next().is_none(), "several resources have the key {key}");
    resource
}

#[test]
fn a_coconut_snapshot_has_properties_for_inputs() {
    let text = r##"{"package": "shop/web:*", "args": {"size": 3}, "resources": {
        "VPC": {"id": "vpc-1", "type": "aws:ec2/vpc:VPC"},
        "Subnet": {"type": "aws:ec2/subnet:Subnet", "properties": {"vpcId": {"#ref": "VPC"}}}}}"##;
    with_graph("coconut-snapshot", text, |graph| {
        let vpc = only(graph, "VPC");
        assert_eq!((vpc.resource_type(), vpc.id()), (Some("aws:ec2/vpc:VPC"), Some("vpc-1")));
        assert!(vpc.inputs().is_none() && !vpc.key().starts_with("urn:"));
        let subnet = only(graph, "Subnet");
        assert_eq!(subnet.id(), None);
        assert!(subnet.inputs().is_some_and(|inputs| inputs.get("vpcId").is_some()));
        let dependencies: Vec<_> = graph.dependencies(subnet).map(|(kind, to)| (kind, to.key())).collect();
        assert_eq!(dependencies, [("ref", "VPC".into())]);
        let snapshot = graph.snapshot();
        assert_eq!(snapshot.package, Some("shop/web:*"));
        assert!(snapshot.arguments.is_some_and(|arguments| arguments.get("size").is_some()));
        assert_eq!((snapshot.environment, snapshot.time), (None, None));
    });
}

#[test]
fn a_coconut_environment_records_its_origin() {
    let text = r##"{"target": "prod", "config": {"a:b": 1}, "latest": {
        "time": "2017-06-20T12:00:00.5-07:00", "reftag": "@", "info": {"pkg": "shop/web", "args": null},
        "resources": {
            "urn:lumi:prod::shop/web:index::aws:s3/bucket:Bucket::b": {"id": "b", "type": "aws:s3/bucket:Bucket",
                "inputs": {}, "outputs": {"arn": "x"}},
            "urn:lumi:prod::shop/web:index::aws:s3/object:Object::o": {"id": "o", "type": "aws:s3/object:Object",
                "inputs": {"bucket": {"@": "urn:lumi:prod::shop/web:index::aws:s3/bucket:Bucket::b"}}}}}}"##;
    with_graph("coconut-environment", text, |graph| {
        let snapshot = graph.snapshot();
        assert_eq!(snapshot.environment, Some("prod"));
        assert_eq!(snapshot.package, Some("shop/web"));
        assert_eq!(snapshot.time, Some("2017-06-20T12:00:00.5-07:00"));
        assert_eq!(snapshot.arguments, Some(&Value::Null));
        let object = only(graph, "urn:lumi:prod::shop/web:index::aws:s3/object:Object::o");
        assert_eq!(Urn::parse(&object.key()).map(Urn::name), Ok("o"));
        let (kind, bucket) = graph.dependencies(object).next().unwrap();
        assert_eq!((kind, bucket.id()), ("ref", Some("b")));
        assert!(bucket.outputs().is_some_and(|outputs| outputs.get("arn").is_some()));
    });
}

#[test]
fn a_pulumi_checkpoint_has_edges_of_several_kinds() {
    let text = r#"{"version": 3, "checkpoint": {"stack": "dev", "latest": {
        "manifest": {"time": "2024-05-01T10:00:00Z", "magic": "", "version": "v3.115.0"},
        "resources": [
            {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "custom": false, "type": "pulumi:pulumi:Stack"},
            {"urn": "urn:pulumi:dev::shop::pulumi:providers:aws::p", "custom": true, "type": "pulumi:providers:aws", "id": "7d"},
            {"urn": "urn:pulumi:dev::shop::aws:sqs/queue:Queue::q", "custom": true, "delete": true,
             "type": "aws:sqs/queue:Queue", "id": "q-1", "inputs": {"name": "q"}, "outputs": {"arn": "x"},
             "parent": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
             "provider": "urn:pulumi:dev::shop::pulumi:providers:aws::p::7d",
             "dependencies": ["urn:pulumi:dev::shop::nothing::n"]}]}}}"#;
    with_graph("pulumi-checkpoint", text, |graph| {
        let queue = only(graph, "urn:pulumi:dev::shop::aws:sqs/queue:Queue::q");
        assert!(queue.is_pending_delete());
        assert!(queue.inputs().is_some() && queue.outputs().is_some());
        let dependencies: Vec<_> = graph.dependencies(queue).map(|(kind, to)| (kind, to.ordinal())).collect();
        assert_eq!(dependencies, [("parent", 0), ("provider", 1)]);
        assert_eq!(graph.facts().dangling.len(), 1);
        let snapshot = graph.snapshot();
        assert_eq!((snapshot.environment, snapshot.tool_version), (Some("dev"), Some("v3.115.0")));
    });
}

#[test]
fn a_terraform_state_has_resources_and_indexed_instances() {
    let text = r#"{"version": 4, "terraform_version": "1.8.2", "serial": 1, "resources": [
        {"module": "module.net", "mode": "data", "type": "aws_vpc", "name": "main", "instances": [
            {"attributes": {"id": "vpc-1"}}]},
        {"mode": "managed", "type": "aws_subnet", "name": "s", "instances": [
            {"index_key": "a", "attributes": {"id": "s-a"}, "dependencies": ["module.net.data.aws_vpc.main"]},
            {"index_key": "b", "deposed": "01", "attributes": {"id": "s-b"}}]}]}"#;
    with_graph("terraform-state-4", text, |graph| {
        let keys: Vec<_> = graph.resources().map(Resource::key).collect();
        assert_eq!(
            keys,
            ["module.net.data.aws_vpc.main", "aws_subnet.s", r#"aws_subnet.s["a"]"#, r#"aws_subnet.s["b"]"#]
        );
        let vpc = only(graph, "module.net.data.aws_vpc.main");
        assert_eq!(vpc.id(), Some("vpc-1"));
        assert!(Address::parse(&vpc.key()).is_ok_and(Address::is_data));
        let instance = only(graph, r#"aws_subnet.s["a"]"#);
        assert_eq!((instance.resource_type(), instance.id()), (Some("aws_subnet"), Some("s-a")));
        assert_eq!(instance.parent().map(Resource::key).as_deref(), Some("aws_subnet.s"));
        assert_eq!(graph.dependencies(instance).next().map(|(_, to)| to.ordinal()), Some(0));
        // Several instances have no common id.
        assert_eq!(only(graph, "aws_subnet.s").id(), None);
        assert!(only(graph, r#"aws_subnet.s["b"]"#).is_pending_delete());
    });
}

#[test]
fn templates_and_programs_have_types_and_inputs() {
    let template = r#"{"Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": 1}}}}"#;
    let program = r#"{"name": "p", "runtime": "yaml",
        "resources": {"Q": {"type": "AWS::SQS::Queue", "properties": {"DelaySeconds": 1}}}}"#;
    for (dialect, text) in [("cloudformation", template), ("pulumi-yaml", program)] {
        with_graph(dialect, text, |graph| {
            let queue = only(graph, "Q");
            assert_eq!((queue.resource_type(), queue.id()), (Some("AWS::SQS::Queue"), None));
            assert!(queue.inputs().is_some_and(|inputs| inputs.get("DelaySeconds").is_some()));
            assert!(queue.outputs().is_none());
        });
    }
}

#[test]
fn shown_states_and_plans_have_values() {
    let shown = r#"{"format_version": "1.0", "terraform_version": "1.8.2", "values": {"root_module": {
        "resources": [{"address": "a_b.c", "type": "a_b", "name": "c", "values": {"id": "1"}}],
        "child_modules": [{"resources": [
            {"address": "module.m.a_b.c", "type": "a_b", "values": {"id": "2"}, "depends_on": ["a_b.c"]}]}]}}}"#;
    with_graph("terraform-show", shown, |graph| {
        let inner = only(graph, "module.m.a_b.c");
        assert_eq!(inner.id(), Some("2"));
        assert_eq!(graph.dependencies(inner).next().map(|(_, to)| to.key()).as_deref(), Some("a_b.c"));
    });
    let plan = r#"{"format_version": "1.2", "timestamp": "2024-05-01T10:00:00Z", "resource_changes": [
        {"address": "a_b.c", "type": "a_b", "change": {"actions": ["update"], "after": {"id": "3", "x": 1}}}]}"#;
    with_graph("terraform-plan", plan, |graph| {
        let change = only(graph, "a_b.c");
        assert_eq!(change.id(), Some("3"));
        assert!(change.outputs().is_some_and(|after| after.get("x").is_some()));
        assert_eq!(graph.snapshot().time, Some("2024-05-01T10:00:00Z"));
    });
}

#[test]
fn an_old_terraform_state_has_resources_by_module() {
    let text = r#"{"version": 3, "terraform_version": "0.11.14", "modules": [
        {"path": ["root"], "resources": {
            "a_b.c": {"type": "a_b", "depends_on": ["a_b.d"], "primary": {"id": "1", "attributes": {"id": "1"}}},
            "a_b.d": {"type": "a_b", "depends_on": []}}}]}"#;
    with_graph("terraform-state-3", text, |graph| {
        let resource = only(graph, "a_b.c");
        assert_eq!((resource.resource_type(), resource.id()), (Some("a_b"), Some("1")));
        // Its references are relative to a module, which a rule cannot express.
        assert_eq!(graph.dependencies(resource).count(), 0);
    });
}
