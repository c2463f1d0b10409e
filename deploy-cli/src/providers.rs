//! The providers of an environment.

use crate::settings::Settings;
use coconut_deploy::{DeployError, Providers};
use std::sync::OnceLock;

/// The providers that are part of the program.
static NATIVE: OnceLock<Providers> = OnceLock::new();

pub(crate) fn set_native(providers: Providers) {
    // The first call decides. There is one in a process.
    let _ = NATIVE.set(providers);
}

/// Does something with the providers of an environment.
pub(crate) fn with<T>(
    settings: &Settings,
    run: impl FnOnce(&Providers) -> Result<T, DeployError>,
) -> Result<T, DeployError> {
    let mut providers = NATIVE.get().cloned().unwrap_or_default();
    for (package, configuration) in settings.provider_configurations() {
        providers.set_configuration(package, configuration.to_vec());
    }
    run(&providers)
}
