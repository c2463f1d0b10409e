//! Plans as JSON: `plan-1`.
//!
//! The vertices are the changed, the planned and the read resources. The edges are in the
//! configuration, whose expressions list their references. A plan does not contain local values, so
//! edges through them are known only if the prior state records them.

use super::super::draft::Draft;
use super::super::scalar::{at, string};
use super::super::{Edge, EdgeKind, ImportError, ImportFindingKind, Missing, World};
use super::address::{Placed, Step, module_in_configuration, modules_of};
use super::configuration::{Configuration, Resolved, Resolver, Target};
use super::described;
use super::recorded::{Dependency, Instances};
use coconut_format::node::Node;
use std::collections::HashMap;

pub(in super::super) fn import<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut plan = Plan {
        world,
        known: HashMap::new(),
        deposed: HashMap::new(),
        addresses: Vec::new(),
        recorded: Vec::new(),
    };
    plan.vertices(draft)?;
    plan.recorded_edges(draft)?;
    let root = at(world.root, &["configuration", "root_module"]);
    match root {
        Some(root) => {
            let configuration = Configuration::of(root, "/configuration/root_module", draft)?;
            Expansion::of(&configuration, &plan).edges(world, draft)
        }
        None => draft.finding(ImportFindingKind::NoConfiguration, "", world.number, ""),
    }
}

/// The vertices of a plan.
struct Plan<'a, 's, N> {
    world: World<'s, N>,
    /// By the address, and by the address before a move. Without deposed objects.
    known: HashMap<&'a str, u32>,
    deposed: HashMap<(&'a str, &'a str), u32>,
    /// Addresses with their vertex, in order, without those from before a move.
    addresses: Vec<(&'a str, u32)>,
    /// Dependencies in the prior state: the vertex, the list and its pointer.
    recorded: Vec<(u32, N, String)>,
}

impl<'a, N: Node<'a>> Plan<'a, '_, N> {
    fn vertices(&mut self, draft: &mut Draft<'a, '_, N>) -> Result<(), ImportError> {
        let root = self.world.root;
        self.changes("resource_changes", draft)?;
        for path in [&["planned_values"][..], &["prior_state", "values"]] {
            let pointer = format!("/{}/root_module", path.join("/"));
            if let Some(module) = at(root, path).and_then(|values| values.get("root_module")) {
                self.module(module, pointer, draft)?;
            }
        }
        self.changes("resource_drift", draft)
    }

    /// Adds the resources in a list of changes that are not known yet.
    fn changes(&mut self, key: &str, draft: &mut Draft<'a, '_, N>) -> Result<(), ImportError> {
        let changes = self.world.root.get(key).into_iter().flat_map(Node::items);
        let mut previous = Vec::new();
        for (index, change) in changes.enumerate() {
            let pointer = format!("/{key}/{index}");
            let Some(address) = string(change, "address") else {
                let what = "a change without `address`";
                draft.finding(ImportFindingKind::NoResource, what, self.world.number, pointer)?;
                continue;
            };
            let id = |side| at(change, &["change", side, "id"]).and_then(Node::as_str);
            let deposed = string(change, "deposed");
            let is_known = match deposed {
                Some(deposed) => self.deposed.contains_key(&(address, deposed)),
                None => self.known.contains_key(address),
            };
            if is_known {
                continue;
            }
            let kind = string(change, "type");
            let id = id("after").or_else(|| id("before"));
            let number = draft.resource(described(self.world, address, pointer, kind, id, change))?;
            match deposed {
                Some(deposed) => drop(self.deposed.insert((address, deposed), number)),
                None => {
                    self.known.insert(address, number);
                    self.addresses.push((address, number));
                    previous.extend(string(change, "previous_address").map(|address| (address, number)));
                }
            }
        }
        // The address may have been given to another resource at the same time.
        for (address, number) in previous {
            self.known.entry(address).or_insert(number);
        }
        Ok(())
    }

    /// Adds the resources of a module and its child modules that are not known yet.
    fn module(
        &mut self,
        module: N,
        pointer: String,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let mut open = vec![(module, pointer)];
        while let Some((module, pointer)) = open.pop() {
            draft.work(1)?;
            let children = module.get("child_modules").into_iter().flat_map(Node::items).enumerate();
            let first = open.len();
            open.extend(children.map(|(index, child)| (child, format!("{pointer}/child_modules/{index}"))));
            open[first..].reverse();
            for (index, resource) in module.get("resources").into_iter().flat_map(Node::items).enumerate() {
                draft.work(1)?;
                let Some(address) = string(resource, "address") else { continue };
                let pointer = format!("{pointer}/resources/{index}");
                let deposed = string(resource, "deposed_key");
                let known = match deposed {
                    Some(deposed) => self.deposed.get(&(address, deposed)),
                    None => self.known.get(address),
                };
                let number = match known {
                    Some(&number) => number,
                    None => {
                        let kind = string(resource, "type");
                        let id = at(resource, &["values", "id"]).and_then(Node::as_str);
                        let described = described(self.world, address, pointer.clone(), kind, id, resource);
                        let number = draft.resource(described)?;
                        match deposed {
                            Some(deposed) => drop(self.deposed.insert((address, deposed), number)),
                            None => {
                                self.known.insert(address, number);
                                self.addresses.push((address, number));
                            }
                        }
                        number
                    }
                };
                if let Some(list) = resource.get("depends_on") {
                    self.recorded.push((number, list, format!("{pointer}/depends_on")));
                }
            }
        }
        Ok(())
    }

    /// Adds the edges recorded in the prior state.
    fn recorded_edges(&self, draft: &mut Draft<'a, '_, N>) -> Result<(), ImportError> {
        let mut instances = Instances::default();
        for &(address, number) in &self.addresses {
            instances.add(address, number);
        }
        // Sorted by number, so that the result does not depend on the order of a hash table.
        let mut moved: Vec<_> = self.known.iter().collect();
        moved.sort_unstable();
        let current: std::collections::HashSet<_> = self.addresses.iter().copied().collect();
        for (&address, &number) in moved {
            if !current.contains(&(address, number)) {
                instances.add(address, number);
            }
        }
        for (from, list, pointer) in &self.recorded {
            for (index, text) in list.items().enumerate() {
                let Some(text) = text.as_str().filter(|text| !text.is_empty()) else { continue };
                let at = format!("{pointer}/{index}");
                let dependency = Dependency { from: *from, kind: EdgeKind::DependsOn, text, at };
                instances.lead(&dependency, draft)?;
            }
        }
        Ok(())
    }
}

/// An instance of a resource: the keys of its modules, and its own key.
struct Instance<'a> {
    number: u32,
    modules: Vec<Option<&'a str>>,
    index: Option<&'a str>,
}

/// Positions of instances by some of their keys.
type Groups<'a> = HashMap<Vec<Option<&'a str>>, Vec<u32>>;

/// The instances of each resource of the configuration.
struct Expansion<'c, 'a, N> {
    configuration: &'c Configuration<'a, N>,
    instances: Vec<Vec<Instance<'a>>>,
    /// For each resource, the distinct keys of its instances, in order.
    indices: Vec<Vec<Option<&'a str>>>,
    /// For a resource, a number of levels, and whether its own key counts: the positions of the
    /// instances by the keys of these levels.
    groups: HashMap<(usize, usize, bool), Groups<'a>>,
}

impl<'c, 'a, N: Node<'a>> Expansion<'c, 'a, N> {
    fn of(configuration: &'c Configuration<'a, N>, plan: &Plan<'a, '_, N>) -> Expansion<'c, 'a, N> {
        let mut instances: Vec<Vec<Instance<'a>>> =
            configuration.resources.iter().map(|_| Vec::new()).collect();
        for &(address, number) in &plan.addresses {
            let Some(placed) = Placed::parse(address) else { continue };
            if let Some(&resource) = configuration.by_address.get(&placed.in_configuration()) {
                let modules = placed.modules.iter().map(|step| step.index).collect();
                instances[resource].push(Instance { number, modules, index: placed.index });
            }
        }
        let indices = instances.iter().map(|instances| {
            let mut indices: Vec<_> = instances.iter().map(|instance| instance.index).collect();
            indices.sort_unstable();
            indices.dedup();
            indices
        });
        let indices = indices.collect();
        Expansion { configuration, instances, indices, groups: HashMap::new() }
    }

    fn edges(mut self, world: World<'_, N>, draft: &mut Draft<'a, '_, N>) -> Result<(), ImportError> {
        let configuration = self.configuration;
        let mut resolver = Resolver::new(configuration);
        for (number, resource) in configuration.resources.iter().enumerate() {
            if self.instances[number].is_empty() {
                continue;
            }
            for key in ["expressions", "count_expression", "for_each_expression", "provisioners"] {
                let Some(value) = resource.node.get(key) else { continue };
                let pointer = format!("{}/{key}", resource.pointer);
                for found in resolver.of_value(resource.module, value, &pointer, draft)? {
                    self.lead(number, EdgeKind::Reference, &found, world, draft)?;
                }
            }
            self.depends_on(
                number..number + 1,
                resource.module,
                resource.node,
                &resource.pointer,
                world,
                draft,
            )?;
        }
        // A dependency of a module call is a dependency of all resources in the module.
        for module in &configuration.modules {
            let Some((caller, call)) = &module.caller else { continue };
            for key in ["count_expression", "for_each_expression"] {
                let Some(value) = call.node.get(key) else { continue };
                let pointer = format!("{}/{key}", call.pointer);
                for found in resolver.of_value(*caller, value, &pointer, draft)? {
                    for number in module.resources.clone() {
                        self.lead(number, EdgeKind::Reference, &found, world, draft)?;
                    }
                }
            }
            self.depends_on(module.resources.clone(), *caller, call.node, &call.pointer, world, draft)?;
        }
        self.providers(&mut resolver, world, draft)
    }

    /// Adds the edges of a list `depends_on` in `module`. A module in the list stands for all
    /// resources in that module.
    fn depends_on(
        &mut self,
        dependents: std::ops::Range<usize>,
        module: usize,
        node: N,
        pointer: &str,
        world: World<'_, N>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let configuration = self.configuration;
        let scope = configuration.modules[module].path.iter();
        let scope: Vec<Step<'a>> = scope.map(|&name| Step { name, index: None }).collect();
        for (index, text) in node.get("depends_on").into_iter().flat_map(Node::items).enumerate() {
            let Some(text) = text.as_str() else { continue };
            let calls = modules_of(text);
            let mut resolved = Resolved::default();
            let path: Vec<Step<'a>> = scope.iter().copied().chain(calls.iter().copied()).collect();
            let is_module = !calls.is_empty() && Placed::parse(text).is_none();
            if is_module {
                let below = configuration.module_by_address.get(&module_in_configuration(&path));
                if let Some(&below) = below {
                    let pins: Vec<(usize, &'a str)> =
                        (0..).zip(&path).filter_map(|(level, step)| Some((level, step.index?))).collect();
                    let targets = configuration.modules[below].resources.clone().map(|resource| Target {
                        resource,
                        index: None,
                        pins: pins.clone(),
                        is_direct: false,
                    });
                    resolved.targets.extend(targets);
                } else {
                    resolved.missing.push((text, format!("{pointer}/depends_on/{index}").into()));
                }
            } else {
                let placed = Placed::parse(text).map(|placed| {
                    let mut address = module_in_configuration(&path);
                    if !address.is_empty() {
                        address.push('.');
                    }
                    (address + &placed.resource, placed.index)
                });
                let found = placed
                    .and_then(|(address, index)| Some((*configuration.by_address.get(&address)?, index)));
                match found {
                    Some((resource, index)) => {
                        resolved.targets.push(Target { resource, index, pins: Vec::new(), is_direct: true });
                    }
                    None => resolved.missing.push((text, format!("{pointer}/depends_on/{index}").into())),
                }
            }
            for number in dependents.clone() {
                draft.work(resolved.targets.len())?;
                self.lead(number, EdgeKind::DependsOn, &resolved, world, draft)?;
            }
        }
        Ok(())
    }

    /// Adds the edges of the configuration of providers to the resources that use them.
    fn providers(
        &mut self,
        resolver: &mut Resolver<'c, 'a, N>,
        world: World<'_, N>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let configuration = self.configuration;
        let providers = at(world.root, &["configuration", "provider_config"]);
        let mut of_provider: HashMap<&str, Vec<Resolved<'a>>> = HashMap::new();
        for (key, provider) in providers.into_iter().flat_map(Node::entries) {
            let Some(expressions) = provider.get("expressions") else { continue };
            let address = string(provider, "module_address").unwrap_or_default();
            let module = configuration.module_by_address.get(&module_in_configuration(&modules_of(address)));
            let Some(&module) = module else { continue };
            let mut pointer = String::from("/configuration/provider_config");
            coconut_format::pointer::push_key(&mut pointer, key);
            pointer.push_str("/expressions");
            of_provider.insert(key, resolver.of_value(module, expressions, &pointer, draft)?);
        }
        if of_provider.is_empty() {
            return Ok(());
        }
        for (number, resource) in configuration.resources.iter().enumerate() {
            let key = string(resource.node, "provider_config_key");
            for found in key.and_then(|key| of_provider.get(key)).into_iter().flatten() {
                self.lead(number, EdgeKind::Provider, found, world, draft)?;
            }
        }
        Ok(())
    }

    /// Adds the edges from the instances of a resource to the targets of its expression.
    fn lead(
        &mut self,
        from: usize,
        kind: EdgeKind,
        found: &Resolved<'a>,
        world: World<'_, N>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        for target in &found.targets {
            self.pairs(from, kind, target, found.is_of_instance, draft)?;
        }
        for instance in &self.instances[from] {
            for (name, at) in &found.missing {
                let (name, at) = ((*name).to_owned(), at.to_string());
                draft.missing(Missing { from: instance.number, kind, name, at, is_optional: false })?;
            }
        }
        if let Some((name, at)) = &found.too_deep {
            draft.finding(ImportFindingKind::TooDeep, *name, world.number, &**at)?;
        }
        Ok(())
    }

    /// Adds the edges from the instances of a resource to those of another.
    ///
    /// Both instances are in the same instance of their common modules. If an expression uses its
    /// own key, and the target resource has the same keys, the target is the instance with that
    /// key.
    fn pairs(
        &mut self,
        from: usize,
        kind: EdgeKind,
        target: &Target<'a>,
        is_of_instance: bool,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let configuration = self.configuration;
        let to = target.resource;
        let (own, other) = (&configuration.resources[from].path, &configuration.resources[to].path);
        let levels = own.iter().zip(other.iter()).take_while(|(own, other)| own == other).count();
        let is_assumed = is_of_instance
            && target.is_direct
            && target.index.is_none()
            && from != to
            && self.indices[from].iter().all(Option::is_some)
            && self.indices[from] == self.indices[to];
        let key = |instance: &Instance<'a>| {
            let mut key: Vec<Option<&'a str>> = instance.modules.iter().take(levels).copied().collect();
            if is_assumed {
                key.push(instance.index);
            }
            key
        };
        let instances = &self.instances;
        let groups = self.groups.entry((to, levels, is_assumed)).or_insert_with(|| {
            let mut groups = Groups::new();
            for (position, instance) in (0..).zip(&instances[to]) {
                groups.entry(key(instance)).or_default().push(position);
            }
            groups
        });
        for instance in &instances[from] {
            let Some(positions) = groups.get(&key(instance)) else { continue };
            draft.work(positions.len())?;
            for &position in positions {
                let dependency = &instances[to][position as usize];
                let is_picked = target.index.is_none_or(|index| dependency.index == Some(index));
                let is_pinned = |&(level, index): &(usize, &'a str)| {
                    dependency.modules.get(level).copied().flatten() == Some(index)
                };
                if is_picked && target.pins.iter().all(is_pinned) && dependency.number != instance.number {
                    let (from, to) = (instance.number, dependency.number);
                    draft.edge_with(Edge { from, kind, to, is_optional: false, is_assumed })?;
                }
            }
        }
        Ok(())
    }
}
