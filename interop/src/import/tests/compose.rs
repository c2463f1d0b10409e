//! Compose files.

use super::*;

const SHOP: &str = r#"
name: shop
x-base: &base
  restart: always
  networks: [back]
services:
  web:
    <<: *base
    image: web:${TAG}
    depends_on:
      db: {condition: service_healthy, restart: true}
      cache: {condition: service_started, required: false}
      mail: {condition: service_started, required: false}
    build:
      context: .
      additional_contexts: {base: "service:base", docs: ./docs}
      secrets: [token, {source: key}]
    volumes: ["static:/srv", "./src:/src", {type: volume, source: cache, target: /c}, {type: bind, source: x, target: /x}]
    secrets: [token, {source: gone}]
    configs: [{source: nginx, target: /etc}]
    models: {llm: {endpoint_var: URL}}
    profiles: [dev]
  db:
    image: postgres
    volumes: ["/anonymous"]
  cache:
    image: redis
    network_mode: "service:web"
    pid: "service:db"
    ipc: "container:other"
  base:
    image: base
    links: ["db:database", "web"]
    volumes_from: ["db:ro", "container:other:rw", cache]
  child:
    extends: {service: base}
  foreign:
    extends: {file: common.yml, service: base}
    networks: {back: {aliases: [f]}, default: null, front: null}
  worker:
    depends_on: [worker, db]
networks: {back: {}, front: {external: true}}
volumes: {static: {}, cache: null}
secrets: {token: {file: ./t}, key: {environment: K}}
configs: {nginx: {file: ./n}}
models: {llm: {model: ai/m}}
"#;

#[test]
fn a_project_has_these_edges_and_no_other() {
    let shop = yaml(SHOP);
    let import = inferred(&shop);
    check(&shop, &import);
    assert_eq!(import.system(), System::Compose);
    let pointers = |edge: &Edge| {
        let pointer = |number: u32| &import.resources()[number as usize].pointer;
        format!("{} {} {}", pointer(edge.from), edge.kind.name(), pointer(edge.to))
    };
    let found: BTreeSet<String> = import.edges().iter().map(pointers).collect();
    let expected = "
        /services/web depends-on /services/db
        /services/web depends-on /services/cache
        /services/web reference /services/base
        /services/web secret /secrets/token
        /services/web secret /secrets/key
        /services/web volume /volumes/static
        /services/web volume /volumes/cache
        /services/web config-map /configs/nginx
        /services/web reference /models/llm
        /services/web network /networks/back
        /services/cache network /services/web
        /services/cache reference /services/db
        /services/base reference /services/db
        /services/base reference /services/web
        /services/base reference /services/cache
        /services/child reference /services/base
        /services/foreign network /networks/back
        /services/foreign network /networks/front
        /services/worker depends-on /services/worker
        /services/worker depends-on /services/db";
    assert_eq!(found, lines(expected));
}

#[test]
fn undeclared_names_are_missing_with_their_places() {
    let shop = yaml(SHOP);
    let import = inferred(&shop);
    assert_eq!(
        missing(&import),
        [
            "web secret gone /services/web/secrets/1",
            "web depends-on mail /services/web/depends_on/mail",
            "foreign reference common.yml#base /services/foreign/extends",
        ]
    );
    assert!(import.missing()[1].is_optional, "it is not required");
    let optional: Vec<_> = import.edges().iter().filter(|edge| edge.is_optional).collect();
    assert_eq!(optional.len(), 1);
}

#[test]
fn a_circle_is_a_graph_like_any_other() {
    let circle = yaml("services:\n  a: {depends_on: [b]}\n  b: {depends_on: [c]}\n  c: {depends_on: [a]}\n");
    let import = inferred(&circle);
    assert_eq!(edges(&import), lines("a depends-on b\nb depends-on c\nc depends-on a"));
    assert!(import.findings().is_empty());
}

#[test]
fn a_service_without_networks_is_in_the_default_one_if_that_is_declared() {
    let text = "services:\n  a: {image: x}\n  b: {image: x, networks: []}\n  c: {network_mode: host}\nnetworks: {default: {driver: bridge}}\n";
    assert_eq!(edges(&inferred(&yaml(text))), lines("a network default\nb network default"));
}

#[test]
fn a_later_file_is_laid_over_an_earlier_one() {
    let base =
        yaml("services:\n  a: {depends_on: [b]}\n  b: {image: x}\ninclude: [other.yml, {path: [p.yml]}]");
    let over = yaml("services:\n  a: {environment: {X: y}}\n");
    let sources = [Source { name: "a", root: &base }, Source { name: "b", root: &over }];
    let import = import(System::Compose, &sources, &Options::default()).unwrap();
    assert_eq!(import.edges().iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>(), [(2, 1)]);
    assert_eq!(
        findings(&import),
        ["IMP-INCLUDE other.yml /include/0", "IMP-INCLUDE p.yml /include/1", "IMP-TWICE a /services/a"]
    );
}

#[test]
fn a_later_file_resets_and_overrides_fields_of_an_earlier_one() {
    let base = yaml(
        "services:\n  a: {depends_on: [b], networks: [n], volumes: ['v:/v'], links: [b]}\n  b: {image: x}\n\
         networks: {n: {}, m: {}, default: {}}\nvolumes: {v: {}}\n",
    );
    let over = yaml(
        "services:\n  a: {depends_on: !reset [], networks: !override [m, gone], volumes: !reset null}\n  \
         b: {networks: !reset {}, depends_on: {reset: {condition: service_started}}}\n",
    );
    let sources = [Source { name: "a", root: &base }, Source { name: "b", root: &over }];
    let import = import(System::Compose, &sources, &Options::default()).unwrap();
    assert_eq!(edges(&import), lines("a reference b\na network m\nb network default"));
    assert_eq!(
        missing(&import),
        ["a network gone /services/a/networks/override/1", "b depends-on reset /services/b/depends_on/reset"]
    );
}

#[test]
fn a_later_file_removes_and_replaces_whole_services() {
    let base = yaml(
        "services:\n  a: {depends_on: [b]}\n  b: {depends_on: [c]}\n  c: {image: c}\n\
         networks: {n: {}}\nvolumes: {reset: null}\n",
    );
    let over = yaml(
        "services:\n  b: !override {links: [c], depends_on: [gone]}\n  c: !reset null\n\
         networks: {n: !reset {}}\n",
    );
    let again = yaml("services: {c: {image: d}}\n");
    let source = |root| Source { name: "", root };
    let import_of = |sources: &[Source<'_, _>]| {
        let import = import(System::Compose, sources, &Options::default()).unwrap();
        let left = import.resources().iter().filter(|resource| resource.replaced_by.is_none());
        let keys = left.map(|resource| resource.pointer.clone()).collect::<Vec<_>>();
        (keys, edges(&import), missing(&import))
    };
    let two = [source(&base), source(&over)];
    let gone = |name: &str, at: &str| format!("b {name} {at}");
    assert_eq!(
        import_of(&two),
        (
            ["/services/a", "/volumes/reset", "/services/b/override"].map(str::to_owned).to_vec(),
            lines("a depends-on b"),
            vec![
                gone("reference c", "/services/b/override/links/0"),
                gone("depends-on gone", "/services/b/override/depends_on/0"),
            ],
        )
    );
    let (keys, found, _) = import_of(&[two[0], two[1], source(&again)]);
    assert_eq!(keys[2..], ["/services/b/override", "/services/c"]);
    assert_eq!(found, lines("a depends-on b\nb reference c"));
}
