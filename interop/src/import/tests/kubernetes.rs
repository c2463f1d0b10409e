//! Kubernetes objects.

use super::*;

const SHOP: &str = include_str!("../../../tests/fixtures/shop.yaml");
const SHOP_EDGES: &str = include_str!("../../../tests/fixtures/shop.edges");

fn shop() -> Value {
    yaml(SHOP)
}

#[test]
fn a_shop_has_these_edges_and_no_other() {
    let shop = shop();
    let import = inferred(&shop);
    check(&shop, &import);
    assert_eq!(import.system(), System::Kubernetes);
    assert_eq!(edges(&import), lines(SHOP_EDGES));
}

#[test]
fn names_without_a_target_are_missing_with_their_places() {
    let shop = shop();
    let import = inferred(&shop);
    assert_eq!(
        missing(&import),
        [
            "Deployment/shop/web.v1 config-map debug \
             /8/spec/template/spec/ephemeralContainers/0/envFrom/0/configMapRef/name",
            "Deployment/shop/web.v1 secret absent \
             /8/spec/template/spec/containers/0/env/1/valueFrom/secretKeyRef/name",
            "Deployment/shop/web.v1 secret gone /8/spec/template/spec/imagePullSecrets/1/name",
            "Ingress/shop/web secret tls /16/spec/tls/0/secretName",
            "Ingress/shop/web ingress nginx /16/spec/ingressClassName",
            "Gateway/infra/gate ingress cilium /18/spec/gatewayClassName",
            "Tenant/acme owner gone /29/metadata/ownerReferences/0",
        ]
    );
    let optional: Vec<&str> =
        import.missing().iter().filter(|missing| missing.is_optional).map(|missing| &*missing.name).collect();
    assert_eq!(optional, ["absent"]);
}

#[test]
fn a_label_that_is_not_a_string_is_compared_as_one_and_reported() {
    let shop = shop();
    assert_eq!(findings(&inferred(&shop)), ["IMP-LABEL version: 1 /8"]);
}

#[test]
fn objects_of_the_cluster_are_in_no_namespace() {
    let shop = shop();
    let import = inferred(&shop);
    let urn = |key: &str| {
        let number = import.numbers_of(key).next().unwrap();
        &*import.resources()[number as usize].urn
    };
    assert_eq!(
        urn("Deployment/shop/web.v1"),
        "urn:coconut:import::shop::kubernetes:apps/v1:Deployment::web.v1"
    );
    assert_eq!(
        urn("StorageClass/fast"),
        "urn:coconut:import::_cluster::kubernetes:storage.k8s.io/v1:StorageClass::fast"
    );
    // The input itself defines this kind.
    assert_eq!(urn("Tenant/acme"), "urn:coconut:import::_cluster::kubernetes:example.org/v1:Tenant::acme");
}

#[test]
fn lists_in_lists_are_visited_and_typed_lists_give_their_items_a_kind() {
    let text = r#"{"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
             "spec": {"volumes": [{"secret": {"secretName": "s"}}]}}]},
        {"apiVersion": "v1", "kind": "SecretList", "items": [{"metadata": {"name": "s"}}]},
        {"apiVersion": "v1", "kind": "ConfigMapList", "items": []},
        7]}"#;
    let document = json(text);
    let import = inferred(&document);
    check(&document, &import);
    assert_eq!(edges(&import), lines("Pod/a secret Secret/s"));
    let pointers: Vec<&str> = import.resources().iter().map(|resource| &*resource.pointer).collect();
    assert_eq!(pointers, ["/items/0/items/0", "/items/1/items/0"]);
    assert_eq!(findings(&import), ["IMP-RESOURCE integer /items/3"]);
}

#[test]
fn an_object_that_the_cluster_will_name_has_its_position_as_its_name() {
    let text = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: run-}\nspec: {template: {spec: {volumes: [{configMap: {name: c}}]}}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {}";
    let document = yaml(text);
    let import = inferred(&document);
    assert_eq!(edges(&import), lines("Job/run-#0 config-map ConfigMap/c"));
    assert_eq!(findings(&import), ["IMP-NAME Job/run-#0 /0", "IMP-NAME ConfigMap/#2 /2"]);
}

#[test]
fn of_the_same_object_twice_the_later_counts() {
    let object = |data: &str, namespace: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{namespace}}}\ndata: {{a: {data}}}")
    };
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{envFrom: [{configMapRef: {name: c}}]}]}";
    // The second object names the default namespace of the first.
    let text = [object("x", ""), pod.to_owned(), object("y", ", namespace: default")].join("\n---\n");
    let document = yaml(&text);
    let import = inferred(&document);
    assert_eq!(edges(&import), lines("Pod/p config-map ConfigMap/default/c"));
    assert_eq!(findings(&import), ["IMP-TWICE ConfigMap/c /0"]);
    assert_eq!(import.resources()[0].replaced_by, Some(2));
    let imported = super::document(&import);
    let resources = imported.get("resources").and_then(Value::as_object).unwrap();
    let urns: Vec<&str> = resources.iter().map(|(urn, _)| &**urn).collect();
    assert_eq!(
        urns,
        [
            "urn:coconut:import::default::kubernetes:v1:Pod::p",
            "urn:coconut:import::default::kubernetes:v1:ConfigMap::c"
        ]
    );
}

#[test]
fn two_sources_are_one_cluster() {
    let pod =
        yaml("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {serviceAccountName: s, containers: []}");
    let account = yaml("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s}");
    let sources = [Source { name: "a", root: &pod }, Source { name: "b", root: &account }];
    let import = import(System::Kubernetes, &sources, &Options::default()).unwrap();
    assert_eq!(edges(&import), lines("Pod/p service-account ServiceAccount/s"));
    let options = Options { environment: "prod", namespace: "x", ..Options::default() };
    let import = super::super::import(System::Kubernetes, &sources, &options).unwrap();
    assert_eq!(import.resources()[0].urn, "urn:coconut:prod::x::kubernetes:v1:Pod::p");
    assert_eq!(import.resources()[1].source, 1);
}

#[test]
fn kinds_of_equal_name_are_distinguished_by_their_group() {
    let text = "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{env: [{valueFrom: {secretKeyRef: {name: s}}}]}]}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {defaultBackend: {service: {name: a}}}";
    let document = yaml(text);
    let import = inferred(&document);
    let [custom, core] = import.numbers_of("Service/a").collect::<Vec<_>>()[..] else { panic!() };
    assert!(import.findings().is_empty());
    let kinds = |number| import.dependencies(number).iter().map(|edge| edge.kind).collect::<Vec<_>>();
    assert_eq!((kinds(custom), kinds(core)), (vec![EdgeKind::Secret], vec![]));
    assert_eq!(import.dependents().of_resource(core).len(), 1);
}

#[test]
fn the_document_has_edges_by_kind_and_missing_references() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  serviceAccountName: s\n  containers: [{envFrom: [{configMapRef: {name: c, optional: true}}, {secretRef: {name: x}}]}]\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}";
    let value = yaml(text);
    let found = document(&inferred(&value));
    let expected = json(
        r#"{"package": "import/kubernetes#*",
        "origin": {"kind": "kubernetes", "inference": "kubernetes-1", "sources": [{"path": "a.yaml", "sha-256": "00"}]},
        "resources": {
          "urn:coconut:import::default::kubernetes:v1:Pod::p": {"type": "kubernetes:v1:Pod", "id": "default/p",
            "properties": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
              "serviceAccountName": "s", "containers": [{"envFrom": [
                {"configMapRef": {"name": "c", "optional": true}}, {"secretRef": {"name": "x"}}]}]}},
            "edges": {"config-map": ["urn:coconut:import::default::kubernetes:v1:ConfigMap::c"]},
            "optional": {"config-map": ["urn:coconut:import::default::kubernetes:v1:ConfigMap::c"]},
            "missing": [
              {"kind": "service-account", "name": "s", "at": "/spec/serviceAccountName"},
              {"kind": "secret", "name": "x", "at": "/spec/containers/0/envFrom/1/secretRef/name"}]},
          "urn:coconut:import::default::kubernetes:v1:ConfigMap::c": {"type": "kubernetes:v1:ConfigMap",
            "id": "default/c", "properties": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}}}}"#,
    );
    assert_eq!(found, expected);
}

#[test]
fn ten_thousand_services_of_one_label_cost_no_more_than_their_edges() {
    let object = |kind: &str, n: usize, spec: &str| {
        format!(
            r#"{{"apiVersion": "v1", "kind": "{kind}", "metadata": {{"name": "n{n}", "labels": {{"app": "a", "n": "{n}"}}}}, "spec": {spec}}}"#
        )
    };
    let pods = (0..10_000).map(|n| object("Pod", n, r#"{"containers": []}"#));
    let services =
        (0..10_000).map(|n| object("Service", n, &format!(r#"{{"selector": {{"app": "a", "n": "{n}"}}}}"#)));
    let all: Vec<String> = pods.chain(services).collect();
    let document = json(&format!("[{}]", all.join(",")));
    assert_eq!(inferred(&document).edges().len(), 10_000);
}

#[test]
fn an_object_of_the_cluster_finds_names_in_namespaces() {
    let text = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nparameters: {secretName: a, secretNamespace: x, adminSecretName: b, userSecretName: a}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: x}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: z}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b, namespace: z}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: [{resources: [secrets], resourceNames: [a]}]";
    let document = yaml(text);
    let import = inferred(&document);
    let expected = "
        StorageClass/s secret Secret/x/a
        StorageClass/s secret Secret/z/b
        ClusterRole/r secret Secret/x/a
        ClusterRole/r secret Secret/z/a";
    assert_eq!(edges(&import), lines(expected));
    // Two objects have this name, and the input does not tell which one is meant.
    assert_eq!(missing(&import), ["StorageClass/s secret a /0/parameters/userSecretName"]);
}
