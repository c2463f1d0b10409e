//! The same types through files, through serde_json and through rmp-serde.

use super::{PROFILES, assert_round_trip, file};
use crate::serde::from_view;
use crate::wire::header::Profile;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A type of every shape that serde knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Resource {
    urn: String,
    #[serde(rename = "type")]
    kind: Kind,
    replicas: Option<u32>,
    offset: i64,
    large: u64,
    weight: f64,
    ratio: f32,
    initial: char,
    marker: (),
    enabled: bool,
    pair: (u8, String),
    tags: BTreeMap<String, String>,
    ports: BTreeMap<u16, Vec<Port>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<Resource>,
    #[serde(flatten)]
    rest: BTreeMap<String, Loose>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Custom,
    Component(String),
    Remote(String, u8),
    Provider { version: String, plugin: Option<bool> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "lowercase")]
enum Port {
    Tcp { number: u16 },
    Udp { number: u16, fragments: bool },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Loose {
    Flag(bool),
    Number(i64),
    Text(String),
    Many(Vec<Loose>),
}

fn loose() -> impl Strategy<Value = Loose> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Loose::Flag),
        any::<i64>().prop_map(Loose::Number),
        "[a-c]{0,3}".prop_map(Loose::Text),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Loose::Many))
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Custom),
        "[a-c]{0,3}".prop_map(Kind::Component),
        ("[a-c]{0,3}", any::<u8>()).prop_map(|(name, port)| Kind::Remote(name, port)),
        ("[0-2][.][0-2]", any::<Option<bool>>())
            .prop_map(|(version, plugin)| Kind::Provider { version, plugin }),
    ]
}

fn port() -> impl Strategy<Value = Port> {
    prop_oneof![
        (0..3u16).prop_map(|number| Port::Tcp { number }),
        (any::<u16>(), any::<bool>()).prop_map(|(number, fragments)| Port::Udp { number, fragments }),
    ]
}

fn resource() -> impl Strategy<Value = Resource> {
    let names = ("[a-d]{0,4}", kind(), any::<Option<u32>>(), any::<char>(), (any::<u8>(), "[a-d]{0,2}"));
    let float = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    let narrow = prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO;
    let numbers = (any::<i64>(), any::<u64>(), float, narrow, any::<bool>());
    let maps = (
        prop::collection::btree_map("[a-d]{0,2}", "[a-d]{0,4}", 0..4),
        prop::collection::btree_map(any::<u16>(), prop::collection::vec(port(), 0..3), 0..3),
        prop::collection::btree_map("x[a-d]{0,2}", loose(), 0..3),
    );
    let leaf = (names, numbers, maps).prop_map(|(names, numbers, maps)| {
        let (urn, kind, replicas, initial, pair) = names;
        let (offset, large, weight, ratio, enabled) = numbers;
        let (tags, ports, rest) = maps;
        let (marker, children) = ((), vec![]);
        Resource {
            urn,
            kind,
            replicas,
            offset,
            large,
            weight,
            ratio,
            initial,
            marker,
            enabled,
            pair,
            tags,
            ports,
            children,
            rest,
        }
    });
    leaf.prop_recursive(2, 6, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..3))
            .prop_map(|(parent, children)| Resource { children, ..parent })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_shape_comes_back(resources in prop::collection::vec(resource(), 0..5)) {
        let resources: Vec<Resource> = resources.iter().chain(&resources).cloned().collect();
        assert_round_trip(&resources);
    }

    #[test]
    fn files_and_json_read_alike(resources in prop::collection::vec(resource(), 0..5)) {
        let json = serde_json::to_string(&resources).unwrap();
        for profile in PROFILES {
            let file = file(&resources, profile);
            let printed = serde_json::to_string(&file.view().root()).unwrap();
            let (ours, theirs): (serde_json::Value, serde_json::Value) =
                (serde_json::from_str(&printed).unwrap(), serde_json::from_str(&json).unwrap());
            prop_assert_eq!(ours, theirs);
            let read: Vec<Resource> = from_view(file.view().root()).unwrap();
            prop_assert_eq!(read, serde_json::from_str::<Vec<Resource>>(&json).unwrap());
        }
    }

    #[test]
    fn rmp_serde_reads_the_root_of_a_plain_file(resources in prop::collection::vec(tree(), 0..5)) {
        let file = file(&resources, Profile::Plain);
        let span = file.view().root().span().unwrap();
        let bytes = &file.view().bytes()[usize::try_from(span.start).unwrap()..usize::try_from(span.end).unwrap()];
        prop_assert_eq!(rmp_serde::from_slice::<Vec<Tree>>(bytes).unwrap(), resources);
    }

    #[test]
    fn narrow_floats_come_back(bits in any::<u32>()) {
        let float = f32::from_bits(bits);
        prop_assume!(float.is_finite());
        let file = file(&float, Profile::Plain);
        prop_assert_eq!(from_view::<f32>(file.view().root()).unwrap().to_bits(), bits);
        // If there are several shortest decimals, printers choose different ones.
        let digits = |text: String| text.trim_start_matches(['-', '0', '.']).trim_end_matches('0').len();
        let wide = from_view::<f64>(file.view().root()).unwrap();
        prop_assert!(digits(format!("{wide}")) <= digits(format!("{float}")), "{} as {}", float, wide);
    }
}

/// A type with the same form in JSON and msgpack: no narrow floats, no integer keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Tree {
    name: String,
    kind: Kind,
    size: Option<u64>,
    delta: i64,
    weight: f64,
    pair: (bool, u8),
    labels: BTreeMap<String, Option<String>>,
    children: Vec<Tree>,
}

fn tree() -> impl Strategy<Value = Tree> {
    let labels = prop::collection::btree_map("[a-d]{0,2}", any::<Option<String>>(), 0..3);
    let float = prop::num::f64::NORMAL | prop::num::f64::ZERO;
    let parts =
        ("[a-d]{0,40}", kind(), any::<Option<u64>>(), any::<i64>(), float, any::<(bool, u8)>(), labels);
    let leaf = parts.prop_map(|(name, kind, size, delta, weight, pair, labels)| Tree {
        name,
        kind,
        size,
        delta,
        weight,
        pair,
        labels,
        children: vec![],
    });
    leaf.prop_recursive(3, 8, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..3))
            .prop_map(|(parent, children)| Tree { children, ..parent })
    })
}
