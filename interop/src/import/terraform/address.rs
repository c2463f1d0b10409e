//! Addresses and traversals, as states, plans and expressions write them (§15.4).

/// A step of a traversal: a name, and the first index after it as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step<'t> {
    pub(crate) name: &'t str,
    pub(crate) index: Option<&'t str>,
}

/// The steps of a traversal. Stops at the first text that is not a step.
pub(super) fn steps(text: &str) -> impl Iterator<Item = Step<'_>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (name, mut after) = text.split_at(end);
        if name.is_empty() {
            return None;
        }
        let mut index = None;
        while let Some(inner) = after.strip_prefix('[') {
            let end = index_end(inner)?;
            index = index.or(Some(&inner[..end]));
            after = &inner[end + 1..];
        }
        rest = after.strip_prefix('.');
        Some(Step { name, index })
    })
}

/// The position of the closing bracket. A key in quotes may contain brackets.
fn index_end(text: &str) -> Option<usize> {
    let mut in_quotes = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_quotes => is_escaped = true,
            b'"' => in_quotes = !in_quotes,
            b']' if !in_quotes => return Some(at),
            _ => {}
        }
    }
    None
}

/// The address of a resource or an instance, split into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed<'t> {
    /// The module calls from the root, with their keys.
    pub(super) modules: Vec<Step<'t>>,
    /// The resource within its module: `aws_vpc.main`, `data.aws_ami.a`.
    pub(super) resource: String,
    /// The key of the instance.
    pub(super) index: Option<&'t str>,
}

impl<'t> Placed<'t> {
    /// The parts of an address. Ignores the text after the resource.
    pub(super) fn parse(text: &'t str) -> Option<Placed<'t>> {
        let mut steps = steps(text);
        let mut modules = Vec::new();
        let mut first = steps.next()?;
        while first.name == "module" {
            modules.push(steps.next()?);
            first = steps.next()?;
        }
        let mut resource = String::from(first.name);
        let mut last = steps.next()?;
        if is_mode(first.name) {
            resource = format!("{resource}.{}", last.name);
            last = steps.next()?;
        }
        Some(Placed { modules, resource: format!("{resource}.{}", last.name), index: last.index })
    }

    /// The address in the configuration, which has no instance keys.
    pub(super) fn in_configuration(&self) -> String {
        let mut address = module_in_configuration(&self.modules);
        if !address.is_empty() {
            address.push('.');
        }
        address + &self.resource
    }
}

/// Whether this word before a type gives the mode of a resource.
pub(super) fn is_mode(word: &str) -> bool {
    matches!(word, "data" | "ephemeral" | "list" | "action")
}

/// The address of a module in the configuration, empty for the root.
pub(super) fn module_in_configuration(modules: &[Step<'_>]) -> String {
    let modules: Vec<String> = modules.iter().map(|step| format!("module.{}", step.name)).collect();
    modules.join(".")
}

/// The module calls in the address of a module.
pub(crate) fn modules_of(address: &str) -> Vec<Step<'_>> {
    let mut steps = steps(address);
    let mut modules = Vec::new();
    while steps.next().is_some_and(|step| step.name == "module") {
        modules.extend(steps.next());
    }
    modules
}

/// The key of an instance in the notation of addresses.
pub(super) fn quoted(key: &str) -> String {
    let mut text = String::from("\"");
    for c in key.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_have_dots_and_brackets() {
        let text = r#"module.a["x.y]"].module.b[0].data.aws_ami.c["q\"]"].id[0][1].z"#;
        let placed = Placed::parse(text).unwrap();
        let modules: Vec<_> = placed.modules.iter().map(|step| (step.name, step.index)).collect();
        assert_eq!(modules, [("a", Some(r#""x.y]""#)), ("b", Some("0"))]);
        assert_eq!((&*placed.resource, placed.index), ("data.aws_ami.c", Some(r#""q\"]""#)));
        assert_eq!(placed.in_configuration(), "module.a.module.b.data.aws_ami.c");
    }

    #[test]
    fn a_text_that_is_not_an_address_has_no_parts() {
        for text in ["", "module", "module.a", "aws_vpc", "data.aws_ami", "a..b", "module.a[0.b.c"] {
            assert_eq!(Placed::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_modules_of_an_address_are_its_beginning() {
        let names = |text| modules_of(text).iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(names("module.a[0].module.b"), ["a", "b"]);
        assert_eq!(names(""), [""; 0]);
    }
}
