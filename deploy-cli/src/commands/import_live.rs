//! `import-live`: adds a resource that exists to an environment.

use crate::failure::OrFail;
use crate::passphrase;
use crate::place::Place;
use crate::providers;
use crate::settings::Settings;
use clap::Args;
use coconut_deploy::{Environment, import_live};
use coconut_report::json::{list, object, report, text};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::visible;

/// Add a resource that exists to an environment
///
/// Reads the resource by its id. It is managed from then on: a deployment of a program without it
/// deletes it. Prints its URN and its properties.
///
/// Exits with 1 if there is no such resource.
#[derive(Debug, Args)]
pub(crate) struct ImportLive {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    /// The type of the resource, as in `aws:ec2/vpc:Vpc`
    #[arg(value_name = "TYPE")]
    type_token: String,
    /// Its id
    #[arg(value_name = "ID")]
    id: String,
    /// The name in the URN (default: the id)
    #[arg(long)]
    name: Option<String>,
    /// The package in the URN (default: that of the environment's other resources)
    #[arg(long)]
    package: Option<String>,
}

impl ImportLive {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let settings = Settings::of(&place)?;
        let mut environment = Environment::open(&place.snapshot).or_fail()?;
        passphrase::unlock(&mut environment)?;
        let package = self.package.clone().or_else(|| package_of(&environment));
        let Some(package) = package else {
            return Err(Failure::usage(
                "the environment has no resources that name its package; use `--package`",
            ));
        };
        let name = self.name.as_deref().unwrap_or(&self.id);
        let urn = format!("urn:pulumi:{}::{package}::{}::{name}", place.name(), self.type_token);
        let found = providers::with(&settings, &place.name(), |providers| {
            import_live(&mut environment, &urn, &self.type_token, &self.id, providers)
        });
        let Some(state) = found.or_fail()? else {
            let message = format!("there is no `{}` with the id `{}`", self.type_token, self.id);
            return Err(Failure::negative(code::KEY_MISSING, message));
        };
        if console.json {
            let names = list(state.outputs(), |(name, _)| text(name));
            let members =
                [("urn", text(&urn)), ("id", text(state.id().unwrap_or_default())), ("outputs", names)];
            console.print_json(&report("import-live", [("resource", object(members))]))?;
            return Ok(Exit::Good);
        }
        console.line(&visible(&format!("= {} {name}  {}", self.type_token, self.id)))?;
        console.line(&visible(&urn))?;
        Ok(Exit::Good)
    }
}

/// The package in the URNs of an environment.
fn package_of(environment: &Environment) -> Option<String> {
    let resource = environment.state().resources().next()?;
    resource.urn().split("::").nth(1).map(str::to_owned)
}
