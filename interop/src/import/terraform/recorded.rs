//! Dependencies that a state recorded.
//!
//! Since Terraform 0.12 they are addresses of the configuration: they lead to every instance of the
//! resource in every instance of its module. Before that, they were relative to the module:
//!
//! | text | leads to |
//! |---|---|
//! | `aws_subnet.a`, `aws_subnet.a.*`, `data.aws_ami.b` | all instances in the same module |
//! | `aws_subnet.a.0` | that instance |
//! | `module.net`, `module.net.vpc_id` | all resources in the module below, and below that |
//! | `module.net.aws_vpc.main` | that resource of it |
//!
//! Some tools wrote addresses there, too. A text that begins with `module.` and leads to nothing
//! below its module is read as an address.

use super::super::draft::Draft;
use super::super::{EdgeKind, ImportError, Missing};
use super::address::{Placed, is_mode, module_in_configuration};
use coconut_format::node::Node;
use std::collections::HashMap;

/// Instances by the addresses that a dependency can have.
#[derive(Default)]
pub(super) struct Instances {
    by_address: HashMap<String, Vec<u32>>,
    by_configuration: HashMap<String, Vec<u32>>,
    /// By the address of the resource within its module instance.
    by_scope: HashMap<String, Vec<u32>>,
    /// The resources of each module, including those of its child modules.
    by_module: HashMap<String, Vec<u32>>,
    /// Whether each text that leads to nothing in its module is an address. Otherwise only one that
    /// begins with `module.` is.
    pub(super) or_addresses: bool,
}

/// A list of dependencies, and the instance to which it belongs.
pub(super) struct Pending<N> {
    pub(super) from: u32,
    pub(super) list: N,
    pub(super) at: String,
    /// The module to which the texts are relative; `None` if they are addresses.
    pub(super) within: Option<String>,
}

/// A parsed dependency.
pub(super) struct Dependency<'d> {
    pub(super) from: u32,
    pub(super) kind: EdgeKind,
    pub(super) text: &'d str,
    /// The pointer of the text.
    pub(super) at: String,
}

impl Instances {
    /// Adds an instance by its address.
    pub(super) fn add(&mut self, address: &str, number: u32) {
        let Some(placed) = Placed::parse(address) else {
            self.by_address.entry(address.to_owned()).or_default().push(number);
            return;
        };
        self.by_address.entry(address.to_owned()).or_default().push(number);
        self.by_configuration.entry(placed.in_configuration()).or_default().push(number);
        let scope =
            placed.index.and_then(|index| address.strip_suffix(']')?.strip_suffix(index)?.strip_suffix('['));
        let scope = scope.unwrap_or(address);
        self.by_scope.entry(scope.to_owned()).or_default().push(number);
        for depth in 1..=placed.modules.len() {
            let module = module_in_configuration(&placed.modules[..depth]);
            self.by_module.entry(module).or_default().push(number);
        }
    }

    /// Adds a resource that has no instances. A dependency on it has no target, but is not missing.
    pub(super) fn add_empty(&mut self, address: &str) {
        if let Some(placed) = Placed::parse(address) {
            self.by_configuration.entry(placed.in_configuration()).or_default();
            self.by_scope.entry(address.to_owned()).or_default();
        }
    }

    /// Adds the edges of a dependency that is an address of the configuration.
    pub(super) fn lead<'a, N: Node<'a>>(
        &self,
        dependency: &Dependency<'_>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let text = dependency.text;
        let found = self.at_address(text);
        // Some states of 0.12 have modules as dependencies.
        let found = found.or_else(|| self.by_module.get(text));
        self.edges(dependency, found.map(Vec::as_slice), draft)
    }

    /// Adds the edges of a dependency that is relative to `module`; the root is empty.
    pub(super) fn lead_within<'a, N: Node<'a>>(
        &self,
        dependency: &Dependency<'_>,
        module: &str,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        match self.within(dependency.text, module) {
            Relative::Nothing => Ok(()),
            Relative::Instances(None) if self.or_addresses || dependency.text.starts_with("module.") => {
                let found = self.at_address(dependency.text);
                self.edges(dependency, found.map(Vec::as_slice), draft)
            }
            Relative::Instances(found) => self.edges(dependency, found, draft),
        }
    }

    /// The instances of an address of the configuration.
    fn at_address(&self, text: &str) -> Option<&Vec<u32>> {
        self.by_configuration.get(text).or_else(|| self.by_address.get(text)).or_else(|| {
            let placed = Placed::parse(text)?;
            self.by_configuration.get(&placed.in_configuration())
        })
    }

    fn within(&self, text: &str, module: &str) -> Relative<'_> {
        let mut module = module.to_owned();
        let mut words: &[&str] = &text.split('.').collect::<Vec<_>>();
        let mut is_below = false;
        while let ["module", name, rest @ ..] = words {
            let name = name.split('[').next().unwrap_or_default();
            module =
                if module.is_empty() { format!("module.{name}") } else { format!("{module}.module.{name}") };
            (words, is_below) = (rest, true);
        }
        let all = || Relative::Instances(self.by_module.get(&module).map(Vec::as_slice));
        let (resource, index) = match words {
            [] if is_below => return all(),
            ["var" | "local" | "path" | "count" | "each" | "self" | "terraform" | "provider", ..] => {
                return Relative::Nothing;
            }
            [mode, kind, name, rest @ ..] if is_mode(mode) => (format!("{mode}.{kind}.{name}"), rest.first()),
            [kind, name, rest @ ..] => (format!("{kind}.{name}"), rest.first()),
            // The text is an output of the module.
            [_] if is_below => return all(),
            _ => return Relative::Instances(None),
        };
        let address = if module.is_empty() { resource } else { format!("{module}.{resource}") };
        let is_number = |index: &&&str| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
        let exact = match index.filter(is_number) {
            Some(index) => self.by_address.get(&format!("{address}[{index}]")),
            None => None,
        };
        let found = match index.filter(is_number) {
            // A counted resource with one instance is written without its number.
            Some(&"0") => exact.or_else(|| self.by_address.get(&address)),
            Some(_) => exact,
            None => self.by_scope.get(&address).or_else(|| {
                // `aws_subnet.a[0]`, as newer versions write it.
                let placed = Placed::parse(&address)?;
                placed.index.and_then(|_| self.by_address.get(&address))
            }),
        };
        match found {
            // The text is an attribute of an output: `module.net.subnets.first`.
            None if is_below => all(),
            found => Relative::Instances(found.map(Vec::as_slice)),
        }
    }

    fn edges<'a, N: Node<'a>>(
        &self,
        dependency: &Dependency<'_>,
        found: Option<&[u32]>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let &Dependency { from, kind, text, ref at } = dependency;
        match found {
            Some(found) => {
                draft.work(1)?;
                found.iter().filter(|&&to| to != from).try_for_each(|&to| draft.edge(from, kind, to))
            }
            None => {
                let (name, at) = (text.to_owned(), at.clone());
                draft.missing(Missing { from, kind, name, at, is_optional: false })
            }
        }
    }
}

/// The targets of a relative dependency.
enum Relative<'i> {
    /// The target is not a resource: a variable, a provider.
    Nothing,
    /// These resources; `None` if there is no such resource.
    Instances(Option<&'i [u32]>),
}

/// Adds the edges of these lists.
pub(super) fn resolve<'a, N: Node<'a>>(
    pending: &[Pending<N>],
    instances: &Instances,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    for Pending { from, list, at, within } in pending {
        for (index, text) in list.items().enumerate() {
            draft.work(1)?;
            let Some(text) = text.as_str().filter(|text| !text.is_empty()) else { continue };
            let at = format!("{at}/{index}");
            let dependency = Dependency { from: *from, kind: EdgeKind::DependsOn, text, at };
            match within {
                Some(module) => instances.lead_within(&dependency, module, draft)?,
                None => instances.lead(&dependency, draft)?,
            }
        }
    }
    Ok(())
}
