//! The configuration of a plan: modules, resources, and the references in their expressions.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::limits::STEPS;
use super::address::{Step, is_mode, steps};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{Pointer, push_key};
use std::collections::HashMap;
use std::rc::Rc;

/// All modules of a configuration, each before the modules it calls.
pub(super) struct Configuration<'a, N> {
    pub(super) modules: Vec<Module<'a, N>>,
    /// All resources. Those of a module and its child modules are consecutive.
    pub(super) resources: Vec<ConfiguredResource<'a, N>>,
    /// The resources by their address without instance keys.
    pub(super) by_address: HashMap<String, usize>,
    /// The modules by their address without instance keys; the root has the empty address.
    pub(super) module_by_address: HashMap<String, usize>,
}

pub(super) struct Module<'a, N> {
    node: N,
    pointer: String,
    /// The module that calls this one, and the call.
    pub(super) caller: Option<(usize, Call<N>)>,
    /// The names of the calls from the root.
    pub(super) path: Rc<[&'a str]>,
    /// The outputs by name.
    calls: HashMap<&'a str, usize>,
    /// The resources by their address within the module.
    own: HashMap<String, usize>,
    /// The range of resources in this module and its child modules.
    pub(super) resources: std::ops::Range<usize>,
}

/// A call of a module.
pub(super) struct Call<N> {
    pub(super) node: N,
    pub(super) pointer: String,
}

pub(super) struct ConfiguredResource<'a, N> {
    pub(super) module: usize,
    pub(super) node: N,
    pub(super) pointer: String,
    pub(super) path: Rc<[&'a str]>,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Target<'a> {
    /// The number of the resource.
    pub(super) resource: usize,
    /// The key of the instance, if the reference has one.
    pub(super) index: Option<&'a str>,
    /// Keys of module instances in the reference: the level in the path, and the key.
    pub(super) pins: Vec<(usize, &'a str)>,
    /// Whether the expression names it directly, not through a variable or an output.
    pub(super) is_direct: bool,
}

/// The targets of an expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolved<'a> {
    pub(super) targets: Vec<Target<'a>>,
    /// Names without a target, with the pointer of the reference.
    pub(super) missing: Vec<(&'a str, Rc<str>)>,
    /// Whether the expression depends on the instance for which it is evaluated.
    pub(super) is_of_instance: bool,
    /// A name that led through too many other names.
    pub(super) too_deep: Option<(&'a str, Rc<str>)>,
}

impl<'a> Resolved<'a> {
    fn add(&mut self, other: &Resolved<'a>) {
        self.targets.extend(other.targets.iter().cloned());
        self.missing.extend(other.missing.iter().cloned());
        self.too_deep = self.too_deep.take().or_else(|| other.too_deep.clone());
    }

    fn distinct(mut self) -> Resolved<'a> {
        let mut known = std::collections::HashSet::new();
        self.targets.retain(|target| known.insert(target.clone()));
        let mut known = std::collections::HashSet::new();
        self.missing.retain(|missing| known.insert(missing.clone()));
        self
    }
}

impl<'a, N: Node<'a>> Configuration<'a, N> {
    /// Reads the modules and resources of a `root_module`.
    pub(super) fn of(
        root: N,
        pointer: &str,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Configuration<'a, N>, ImportError> {
        let mut configuration = Configuration {
            modules: Vec::new(),
            resources: Vec::new(),
            by_address: HashMap::new(),
            module_by_address: HashMap::new(),
        };
        configuration.module(root, pointer.to_owned(), None, Rc::new([]), draft)?;
        Ok(configuration)
    }

    /// Adds a module and its child modules. Recurses once per level of calls, each of which is
    /// three levels of the document.
    fn module(
        &mut self,
        node: N,
        pointer: String,
        caller: Option<(usize, Call<N>)>,
        path: Rc<[&'a str]>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<usize, ImportError> {
        draft.work(path.len() + 1)?;
        let number = self.modules.len();
        let calls: Vec<String> = path.iter().map(|name| format!("module.{name}")).collect();
        let address = calls.join(".");
        let first = self.resources.len();
        let mut own = HashMap::new();
        for (index, resource) in node.get("resources").into_iter().flat_map(Node::items).enumerate() {
            draft.work(1)?;
            let Some(relative) = relative_address(resource) else { continue };
            let dot = if address.is_empty() { "" } else { "." };
            self.by_address.insert(format!("{address}{dot}{relative}"), self.resources.len());
            own.insert(relative, self.resources.len());
            let pointer = format!("{pointer}/resources/{index}");
            self.resources.push(ConfiguredResource {
                module: number,
                node: resource,
                pointer,
                path: path.clone(),
            });
        }
        self.module_by_address.insert(address, number);
        self.modules.push(Module {
            node,
            pointer: pointer.clone(),
            caller,
            path: path.clone(),
            calls: HashMap::new(),
            own,
            resources: first..first,
        });
        for (name, call) in node.get("module_calls").into_iter().flat_map(Node::entries) {
            let Some(module) = call.get("module") else { continue };
            let mut call_pointer = format!("{pointer}/module_calls");
            push_key(&mut call_pointer, name);
            let module_pointer = format!("{call_pointer}/module");
            let caller = Some((number, Call { node: call, pointer: call_pointer }));
            let below = path.iter().copied().chain([name]).collect();
            let below = self.module(module, module_pointer, caller, below, draft)?;
            self.modules[number].calls.insert(name, below);
        }
        self.modules[number].resources.end = self.resources.len();
        Ok(number)
    }
}

/// The address of a resource within its module.
fn relative_address<'a, N: Node<'a>>(resource: N) -> Option<String> {
    let field = |key| resource.get(key).and_then(Node::as_str);
    let (kind, name) = (field("type")?, field("name")?);
    match field("mode") {
        None | Some("managed") => Some(format!("{kind}.{name}")),
        Some(mode) => Some(format!("{mode}.{kind}.{name}")),
    }
}

/// The lists of references in a value, with their pointers. Expressions are objects with
/// `references` or `constant_value`; blocks are objects and lists that contain them.
pub(super) fn references<'a, N: Node<'a>>(
    node: N,
    pointer: &mut Pointer,
    draft: &mut Draft<'a, '_, N>,
    found: &mut Vec<(N, Rc<str>)>,
) -> Result<(), ImportError> {
    draft.work(1)?;
    match node.kind() {
        Kind::Object => {
            let list = node.get("references").filter(|list| {
                list.kind() == Kind::List && list.items().all(|item| item.kind() == Kind::String)
            });
            if let Some(list) = list {
                pointer.push_key("references");
                found.push((list, pointer.as_str().into()));
                pointer.pop();
                return Ok(());
            }
            // A constant can be any value, even one with the form of an expression.
            if node.get("constant_value").is_some() && node.width() == 1 {
                return Ok(());
            }
            for (key, value) in node.entries() {
                if value.kind().is_container() {
                    pointer.push_key(key);
                    references(value, pointer, draft, found)?;
                    pointer.pop();
                }
            }
        }
        Kind::List => {
            for (index, item) in node.items().enumerate() {
                if item.kind().is_container() {
                    pointer.push_index(index);
                    references(item, pointer, draft, found)?;
                    pointer.pop();
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// Follows references through variables and outputs. Caches the result for each of them.
pub(super) struct Resolver<'c, 'a, N> {
    pub(super) configuration: &'c Configuration<'a, N>,
    known: HashMap<(Through, usize, &'a str), Option<Rc<Resolved<'a>>>>,
}

/// A variable or an output through which a reference leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Through {
    /// A variable of a module, which leads to the call of the module.
    Variable,
    /// An output of a module.
    Output,
}

/// The target of one text.
enum Found<'a> {
    Resources(Rc<Resolved<'a>>),
    /// The end of a reference: a local value, a key.
    End,
    /// A shorter text may lead somewhere.
    Nothing,
    /// There is no such name.
    Missing,
}

impl<'c, 'a, N: Node<'a>> Resolver<'c, 'a, N> {
    pub(super) fn new(configuration: &'c Configuration<'a, N>) -> Resolver<'c, 'a, N> {
        Resolver { configuration, known: HashMap::new() }
    }

    /// The targets of the references below `node`, resolved in `module`.
    pub(super) fn of_value(
        &mut self,
        module: usize,
        node: N,
        pointer: &str,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Vec<Resolved<'a>>, ImportError> {
        self.lists(module, node, pointer, 0, draft)
    }

    fn lists(
        &mut self,
        module: usize,
        node: N,
        pointer: &str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Vec<Resolved<'a>>, ImportError> {
        let mut found = Vec::new();
        references(node, &mut Pointer::root(), draft, &mut found)?;
        let lists = found
            .into_iter()
            .map(|(list, at)| self.list(module, list, &format!("{pointer}{at}"), depth, draft));
        lists.collect()
    }

    /// The targets of a list of references. The list contains each reference with its prefixes,
    /// longest first; the first one with a target counts.
    pub(super) fn list(
        &mut self,
        module: usize,
        list: N,
        pointer: &str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Resolved<'a>, ImportError> {
        let mut resolved = Resolved::default();
        let (mut previous, mut is_done) = ("", false);
        let mut shortest: Option<(&'a str, Rc<str>)> = None;
        for (index, text) in list.items().enumerate() {
            draft.work(1)?;
            let Some(text) = text.as_str() else { continue };
            let is_prefix = text.len() < previous.len()
                && previous.starts_with(text)
                && previous[text.len()..].starts_with(['.', '[']);
            if !is_prefix {
                resolved.missing.extend(shortest.take());
                is_done = false;
            }
            previous = text;
            if is_done {
                continue;
            }
            match self.one(module, text, depth, draft)? {
                Found::Resources(found) => {
                    draft.work(found.targets.len() + found.missing.len())?;
                    resolved.add(&found);
                    (is_done, shortest) = (true, None);
                }
                Found::End => {
                    resolved.is_of_instance |= text.starts_with("each.") || text == "count.index";
                    (is_done, shortest) = (true, None);
                }
                Found::Nothing => shortest = Some((text, format!("{pointer}/{index}").into())),
                Found::Missing => {
                    resolved.missing.push((text, format!("{pointer}/{index}").into()));
                    (is_done, shortest) = (true, None);
                }
            }
        }
        resolved.missing.extend(shortest);
        Ok(resolved.distinct())
    }

    fn one(
        &mut self,
        module: usize,
        text: &'a str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Found<'a>, ImportError> {
        let steps: Vec<Step<'a>> = steps(text).take(4).collect();
        let resource = |address: String, index: Option<&'a str>| match self.configuration.modules[module]
            .own
            .get(&address)
        {
            Some(&resource) => {
                let target = Target { resource, index, pins: Vec::new(), is_direct: true };
                Found::Resources(Rc::new(Resolved { targets: vec![target], ..Resolved::default() }))
            }
            None => Found::Nothing,
        };
        Ok(match &steps[..] {
            [Step { name: "each" | "count" | "self" | "path" | "terraform" | "local", .. }, ..] => Found::End,
            [Step { name: "var", .. }, variable, ..] => {
                self.variable(module, variable.name, text, depth, draft)?
            }
            [Step { name: "module", .. }, call, rest @ ..] => {
                let level = self.configuration.modules[module].path.len();
                let Some(&below) = self.configuration.modules[module].calls.get(call.name) else {
                    return Ok(Found::Nothing);
                };
                let found = match rest.first() {
                    Some(output) => match self.output(below, output.name, text, depth, draft)? {
                        Some(found) => found,
                        None => return Ok(Found::Missing),
                    },
                    None => self.outputs(below, text, depth, draft)?,
                };
                // Only an explicit key picks an instance of the module.
                let mut found = Resolved::clone(&found);
                for target in &mut found.targets {
                    target.is_direct = false;
                    if let Some(index) = call.index {
                        target.pins.push((level, index));
                    }
                }
                Found::Resources(Rc::new(found))
            }
            [mode, kind, name, ..] if is_mode(mode.name) => {
                resource(format!("{}.{}.{}", mode.name, kind.name, name.name), name.index)
            }
            [kind, name, ..] => resource(format!("{}.{}", kind.name, name.name), name.index),
            _ => Found::Nothing,
        })
    }

    /// The value that the call of `module` passes to a variable.
    fn variable(
        &mut self,
        module: usize,
        name: &'a str,
        text: &'a str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Found<'a>, ImportError> {
        let configuration = self.configuration;
        let Some((caller, call)) = &configuration.modules[module].caller else { return Ok(Found::End) };
        let Some(expression) = call.node.get("expressions").and_then(|all| all.get(name)) else {
            // The variable has its default.
            return Ok(Found::End);
        };
        let mut pointer = format!("{}/expressions", call.pointer);
        push_key(&mut pointer, name);
        let key = (Through::Variable, module, name);
        let found = self.through(key, (*caller, &[(expression, pointer)]), text, depth, draft)?;
        Ok(Found::Resources(found))
    }

    /// The targets of an output; `None` if the module has no such output.
    fn output(
        &mut self,
        module: usize,
        name: &'a str,
        text: &'a str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Option<Rc<Resolved<'a>>>, ImportError> {
        let configuration = self.configuration;
        let Module { node, pointer, .. } = &configuration.modules[module];
        let Some(output) = node.get("outputs").and_then(|outputs| outputs.get(name)) else { return Ok(None) };
        let mut pointer = format!("{pointer}/outputs");
        push_key(&mut pointer, name);
        let expression =
            output.get("expression").map(|expression| (expression, format!("{pointer}/expression")));
        let expression: Vec<(N, String)> = expression.into_iter().collect();
        let key = (Through::Output, module, name);
        self.through(key, (module, &expression), text, depth, draft).map(Some)
    }

    /// The targets of all outputs of a module.
    fn outputs(
        &mut self,
        module: usize,
        text: &'a str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Rc<Resolved<'a>>, ImportError> {
        let mut all = Resolved::default();
        let outputs = self.configuration.modules[module].node.get("outputs");
        for (name, _) in outputs.into_iter().flat_map(Node::entries) {
            if let Some(found) = self.output(module, name, text, depth, draft)? {
                draft.work(found.targets.len())?;
                all.add(&found);
            }
        }
        Ok(Rc::new(all.distinct()))
    }

    /// Follows each expression once. A cycle ends at its first repetition.
    fn through(
        &mut self,
        key: (Through, usize, &'a str),
        (module, expressions): (usize, &[(N, String)]),
        text: &'a str,
        depth: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Rc<Resolved<'a>>, ImportError> {
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone().unwrap_or_default());
        }
        if depth >= STEPS {
            let at = expressions.first().map_or("", |(_, pointer)| pointer);
            let too_deep = Some((text, Rc::from(at)));
            return Ok(Rc::new(Resolved { too_deep, ..Resolved::default() }));
        }
        self.known.insert(key, None);
        let mut all = Resolved::default();
        for (expression, pointer) in expressions {
            for list in self.lists(module, *expression, pointer, depth + 1, draft)? {
                all.add(&list);
            }
        }
        let mut all = all.distinct();
        for target in &mut all.targets {
            target.is_direct = false;
        }
        let all = Rc::new(all.distinct());
        self.known.insert(key, Some(all.clone()));
        Ok(all)
    }
}
