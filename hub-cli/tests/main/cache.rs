//! Documents of registries in the cache: they are counted and removed as other entries are.

use crate::running::{Place, Registry, package};
use coconut_codec::cache::{Cache, HubEntry, HubEntryKind, PruneLimits, hub_cache, hub_lock};
use coconut_testing::missing;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn cache(place: &Place) -> Cache {
    Cache::new(place.path().join("cache"))
}

fn of(place: &Place, kind: HubEntryKind) -> Vec<HubEntry> {
    let mut entries = cache(place).hub_entries().unwrap();
    entries.retain(|entry| entry.kind == kind);
    entries
}

/// Pulls two documents, of which the first was used 40 days ago, and reads a third one in place.
fn filled(registry: &Registry) -> (Place, [String; 3]) {
    let place = Place::new();
    let pushed = [("a", 30), ("b", 20), ("c", 4000)].map(|(name, modules)| {
        let file = place.file(&format!("{name}.coco"), package(name, modules)).display().to_string();
        place.good(&["push", &file, &format!("oci://{}/{name}:1", registry.address)])
    });
    place.good(&["pull", &pushed[0]]);
    let first = place.cached().pop().unwrap();
    File::open(first).unwrap().set_modified(SystemTime::now() - 40 * DAY).unwrap();
    place.good(&["pull", &pushed[1]]);
    place.good(&["get", &pushed[2], "/modules/m7"]);
    (place, pushed)
}

#[test]
fn documents_are_listed_and_removed_by_age_and_by_size() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, pushed) = filled(&registry);
    let documents = of(&place, HubEntryKind::Document);
    let parts = of(&place, HubEntryKind::Parts);
    assert_eq!((documents.len(), parts.len()), (2, 1));
    let sizes = [package("a", 30), package("b", 20)].map(|bytes| bytes.len() as u64);
    assert_eq!(documents.iter().map(|entry| entry.bytes).sum::<u64>(), sizes.iter().sum::<u64>());
    assert!(parts[0].bytes >= 16 << 10, "{parts:?}");
    assert_eq!(of(&place, HubEntryKind::Manifest).len(), 3);

    let limits = PruneLimits::default().older_than(30 * DAY);
    let report = cache(&place).prune(limits).unwrap();
    assert_eq!((report.removed, report.removed_bytes, report.kept), (1, sizes[0], 2));
    assert_eq!(report.kept_bytes, sizes[1] + parts[0].bytes);
    place.good(&["pull", "--offline", &pushed[1]]);
    assert_eq!(place.failure(&["pull", "--offline", &pushed[0]]).0, "HUB-OFFLINE");
    place.good(&["pull", &pushed[0]]);

    let report = cache(&place).prune(PruneLimits::default().max_bytes(0u64)).unwrap();
    assert_eq!((report.removed, report.kept), (3, 0));
    assert_eq!(of(&place, HubEntryKind::Manifest).len(), 3, "the next pull needs no request for them");
}

#[test]
fn a_use_makes_a_document_young_again() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, pushed) = filled(&registry);
    place.good(&["pull", &pushed[0]]);
    let report = cache(&place).prune(PruneLimits::default().older_than(30 * DAY)).unwrap();
    assert_eq!((report.removed, report.kept), (0, 3));
}

#[test]
fn documents_in_use_stay_and_everything_else_goes() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, pushed) = filled(&registry);
    let hub = hub_cache(&place.path().join("cache"));
    let lock = |entry: &HubEntry, is_in_place| {
        let path = hub_lock(&hub, &entry.digits, is_in_place);
        let file = File::options().create(true).truncate(false).write(true).open(path).unwrap();
        file.lock_shared().unwrap();
        file
    };
    let (documents, parts) = (of(&place, HubEntryKind::Document), of(&place, HubEntryKind::Parts));
    let held = [lock(&documents[0], false), lock(&parts[0], true)];
    let report = cache(&place).clean().unwrap();
    assert_eq!((report.removed, report.kept, report.failed), (4, 2, 0), "{report:?}");
    assert_eq!(of(&place, HubEntryKind::Document), [documents[0].clone()]);
    assert_eq!(of(&place, HubEntryKind::Parts), [parts[0].clone()]);

    drop(held);
    let report = cache(&place).clean().unwrap();
    assert_eq!((report.removed, report.kept, report.failed), (2, 0, 0));
    assert_eq!(cache(&place).hub_entries().unwrap(), []);
    assert_eq!(fs::read_dir(hub.join("locks")).unwrap().count(), 0);
    place.good(&["pull", &pushed[0]]);
}

/// The cache of sources may be empty, or missing.
#[test]
fn a_cache_with_nothing_of_sources_is_cleaned() {
    let place = Place::new();
    let file = place.file("a.coco", package("a", 3)).display().to_string();
    place.good(&["push", &file, "oci-layout:hub:1"]);
    place.good(&["pull", "oci-layout:hub:1"]);
    assert!(!place.path().join("cache/v1").exists());
    assert_eq!(cache(&place).clean().unwrap().removed, 2);
    assert!(place.cached().is_empty());
}
