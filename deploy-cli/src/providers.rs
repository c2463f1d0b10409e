//! The providers of an environment: those that are part of the program, and plug-ins, which are
//! started when a resource first needs them.

use crate::settings::Settings;
use coconut_deploy::{DeployError, Provider, Providers};
use coconut_providers::pulumi::{self, Launch, PulumiProvider, Source};
use coconut_providers::{Log, Severity};
use coconut_shell::console::visible;
use std::io::Write as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The providers that are part of the program.
static NATIVE: OnceLock<Providers> = OnceLock::new();

/// The plug-ins that were started.
static STARTED: Mutex<Vec<Weak<PulumiProvider>>> = Mutex::new(Vec::new());

/// Stops all plug-ins, for a process that ends at once.
pub(crate) fn stop_all() {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.iter().filter_map(Weak::upgrade).for_each(|plugin| plugin.stop());
}

pub(crate) fn set_native(providers: Providers) {
    // The first call decides. There is one in a process.
    let _ = NATIVE.set(providers);
}

/// Does something with the providers of an environment. If it needs another provider, starts its
/// plug-in and does it again: a deployment continues where it has ended.
pub(crate) fn with<T>(
    settings: &Settings,
    environment: &str,
    mut run: impl FnMut(&Providers) -> Result<T, DeployError>,
) -> Result<T, DeployError> {
    let mut providers = NATIVE.get().cloned().unwrap_or_default();
    for (package, configuration) in settings.provider_configurations() {
        providers.set_configuration(package, configuration.to_vec());
    }
    let mut started: Vec<String> = Vec::new();
    loop {
        match run(&providers) {
            Err(DeployError::NoProvider { urn, package }) if !started.contains(&package) => {
                let plugin = start(settings, environment, &package)
                    .map_err(|message| DeployError::Unavailable { package: package.clone(), message })?;
                let Some(plugin) = plugin else { return Err(DeployError::NoProvider { urn, package }) };
                let all = settings.provider_configurations();
                let own = all.into_iter().find(|(name, _)| *name == package);
                let configuration = own.map(|(_, configuration)| configuration.to_vec()).unwrap_or_default();
                providers = providers.with(&package, plugin, configuration);
                started.push(package);
            }
            other => return other,
        }
    }
}

/// Starts the plug-in of a package. `None` if there is none.
fn start(settings: &Settings, environment: &str, package: &str) -> Result<Option<Arc<dyn Provider>>, String> {
    let source = match settings.provider_program(package) {
        Some((program, arguments)) => Source::Program { program, arguments },
        None => match pulumi::find(package, None) {
            Ok(source) => source,
            Err(coconut_providers::LaunchError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        },
    };
    let mut launch = Launch::new(package, source);
    launch.stack = environment.to_owned();
    launch.log = Log::new(|severity, line| {
        if severity >= Severity::Warning {
            // There is nothing left to do if standard error cannot be written.
            let _ = writeln!(std::io::stderr().lock(), "{}", visible(line));
        }
    });
    match pulumi::launch(launch) {
        Ok(plugin) => {
            let plugin = Arc::new(plugin);
            STARTED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&plugin));
            Ok(Some(plugin))
        }
        Err(error) => Err(error.to_string()),
    }
}
