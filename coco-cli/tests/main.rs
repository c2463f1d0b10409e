//! All tests of `coco` as a program, in one test program, because each one costs a link.

mod determinism;
mod endings;
mod exits;
#[cfg(all(unix, feature = "fleet-aws", feature = "fleet-http"))]
mod fleet;
mod guide;
mod help;
mod hostile;
mod large;
mod locked;
mod names;
mod own_source;
mod pcore;
mod pipes;
mod recover;
mod rules;
mod schemas;
mod secrets;
mod sources;
mod transcripts;

/// `.ci/run` tests the fleet in a separate step.
#[cfg(not(all(unix, feature = "fleet-aws", feature = "fleet-http")))]
#[test]
fn the_fleet_is_skipped_without_its_features() {
    if std::env::var_os("COCONUT_COMPLETE").is_none() {
        coconut_testing::skip("fleet in this build (features `fleet-aws` and `fleet-http` of `coco`)");
    }
}
