//! A load does what the loader explained before.

#![cfg(unix)]

use super::loader::{Deploy, SOURCE, files_below, other_source, reference};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, LandmarkChoice};
use coconut_codec::loader::{CompiledForms, Explanation, Fallback, Freshness, LoaderBuilder};
use std::fs;

/// The path of a load, and the code and text of each fallback.
type Taken = (&'static str, Vec<(String, String)>);

fn told(fallbacks: &[Fallback]) -> Vec<(String, String)> {
    fallbacks
        .iter()
        .map(|fallback| (fallback.reason.code().to_owned(), fallback.reason.to_string()))
        .collect()
}

fn explained(explanation: &Explanation) -> Taken {
    (explanation.path.name(), told(&explanation.fallbacks))
}

/// Explains a load, does it, and compares both. Returns the name of the state and of the path.
#[track_caller]
fn agreed(situation: &str, builder: LoaderBuilder) -> (&'static str, &'static str) {
    let loader = builder.build();
    let explanation = loader.explain(&reference("aws")).expect("the package is there");
    let again = loader.explain(&reference("aws")).expect("the package is there");
    assert_eq!(explained(&again), explained(&explanation), "{situation}: explaining it changed something");
    let taken = match loader.load(&reference("aws")) {
        Ok(loaded) => {
            if let Some(proof) = loaded.origin.proof() {
                assert_eq!(explanation.proof(), Some(proof), "{situation}");
            }
            (loaded.origin.name(), told(&loaded.fallbacks))
        }
        Err(error) => ("none", told(&error.fallbacks)),
    };
    assert_eq!(explained(&explanation), taken, "{situation}");
    (explanation.cache.name(), explanation.path.name())
}

#[test]
fn a_source_is_explained_as_it_is_loaded() {
    let deploy = Deploy::new(SOURCE);
    let without_cache = || coconut_codec::loader::Loader::builder().search(deploy.search());
    assert_eq!(agreed("no cache", without_cache()), ("off", "source"));
    assert_eq!(
        agreed("binaries off", deploy.builder().compiled_forms(CompiledForms::Ignore)),
        ("off", "source")
    );
    let required = || deploy.builder().compiled_forms(CompiledForms::Require);
    assert_eq!(agreed("never loaded", deploy.builder()), ("miss", "source"));
    assert_eq!(agreed("a fresh entry", deploy.builder()), ("hit", "cache"));
    assert_eq!(agreed("a fresh entry, required", required()), ("hit", "cache"));

    let plain = CompileOptions { profile: Profile::Plain, ..CompileOptions::default() };
    assert_eq!(agreed("other options", deploy.builder().options(plain)), ("stale", "source"));
    deploy.edit(&other_source('b'));
    assert_eq!(agreed("an edited source", deploy.builder()), ("stale", "source"));
    assert_eq!(agreed("the edited source again", deploy.builder()), ("hit", "cache"));
    deploy.edit(&other_source('c'));
    assert_eq!(agreed("an edited source, required", required()), ("stale", "none"));
    // The source was digested by then, and no entry was created.
    assert_eq!(agreed("an edited source, seen", deploy.builder()), ("removed", "source"));

    for entry in files_below(&deploy.cache_path().join("v1/entries")) {
        fs::remove_file(entry).expect("it was just listed");
    }
    assert_eq!(agreed("a removed entry", deploy.builder()), ("removed", "source"));
    let deploy = Deploy::new(SOURCE);
    let required = deploy.builder().compiled_forms(CompiledForms::Require);
    assert_eq!(agreed("never loaded, required", required), ("miss", "none"));
}

#[test]
fn a_damaged_entry_is_explained_as_it_is_passed_over() {
    let damages: [fn(&mut Vec<u8>); 3] = [|bytes| bytes.truncate(100), |bytes| bytes[200] ^= 1, Vec::clear];
    for damage in damages {
        let deploy = Deploy::new(SOURCE);
        deploy.load();
        deploy.damage_entry(damage);
        assert_eq!(agreed("a damaged entry", deploy.builder()), ("refused", "source"));
        assert_eq!(agreed("after its repair", deploy.builder()), ("hit", "cache"));
    }
}

#[test]
fn a_precompiled_document_is_explained_as_it_is_loaded() {
    let deploy = Deploy::new(SOURCE);
    deploy.precompile(SOURCE, &CompileOptions::default());
    assert_eq!(agreed("made of the source", deploy.builder()), ("miss", "precompiled"));

    let deploy = Deploy::new(SOURCE);
    deploy.precompile(&other_source('b'), &CompileOptions::default());
    assert_eq!(agreed("made of another source", deploy.builder()), ("miss", "source"));
    assert_eq!(agreed("passed over for an entry", deploy.builder()), ("hit", "cache"));

    let deploy = Deploy::new(SOURCE);
    let unmarked = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
    deploy.precompile(SOURCE, &unmarked);
    agreed("made without landmarks", deploy.builder());
    fs::write(deploy.binary(), b"no document").expect("the folder is there");
    agreed("not compiled at all", deploy.builder().compiled_forms(CompiledForms::Require));
}

#[test]
fn a_missing_source_is_explained_as_its_absence_is_met() {
    let deploy = Deploy::new(SOURCE);
    deploy.precompile(SOURCE, &CompileOptions::default());
    fs::remove_file(deploy.source()).expect("it was just written");
    assert_eq!(agreed("no trust", deploy.builder()), ("miss", "none"));
    let trusting = || deploy.builder().freshness(Freshness::Trust);
    assert_eq!(agreed("trust", trusting()), ("miss", "precompiled"));
    assert_eq!(agreed("trust again", trusting()), ("miss", "precompiled"));

    fs::remove_file(deploy.binary()).expect("it was just written");
    let loader = deploy.builder().build();
    let (explained, loaded) = (loader.explain(&reference("aws")), loader.load(&reference("aws")));
    let code = |error: coconut_codec::loader::LoadError| error.kind.code();
    assert_eq!(explained.map(drop).map_err(code), loaded.map(drop).map_err(code));
}
