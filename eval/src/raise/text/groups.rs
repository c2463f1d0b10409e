//! The parts of a raised program: single resources, and components with all that is in them.

use super::super::draft::Draft;
use super::super::expression::Expression;

/// The type of the root of a stack, which is no component.
const STACK: &str = "pulumi:pulumi:Stack";

pub(super) enum Group {
    One(usize),
    /// The resources from one position to another. Those of `returned` are used outside.
    Component {
        from: usize,
        to: usize,
        returned: Vec<usize>,
    },
}

/// The resources in order, with the outermost components as groups. A component is a group if no
/// other resource is between its parts, so that the order stays the same.
pub(super) fn groups(draft: &Draft<'_>, values: &[Expression]) -> Vec<Group> {
    let resources = &draft.resources;
    let is_stack = |at: usize| draft.resources[at].type_in_graph(draft) == STACK;
    // The outermost component around each resource, which comes before it.
    let mut tops: Vec<usize> = Vec::with_capacity(resources.len());
    let mut sizes = vec![0usize; resources.len()];
    for (at, resource) in resources.iter().enumerate() {
        let top = resource.parent.filter(|parent| !is_stack(*parent)).map_or(at, |parent| tops[parent]);
        tops.push(top);
        sizes[top] += 1;
    }
    // The last resource that uses each.
    let mut last_use = vec![0; resources.len()];
    for (at, value) in values.iter().enumerate() {
        let mut used = |other: usize| last_use[other] = at;
        visit(value, &mut used);
        draft.options(at).iter().for_each(|(_, value)| visit(value, &mut used));
    }
    let mut groups = Vec::new();
    let mut from = 0;
    while from < resources.len() {
        let to = from + tops[from..].iter().take_while(|top| **top == from).count();
        if to > from + 1 && to - from == sizes[from] {
            let returned = (from..to).filter(|at| last_use[*at] >= to).collect();
            groups.push(Group::Component { from, to, returned });
            from = to;
        } else {
            groups.push(Group::One(from));
            from += 1;
        }
    }
    groups
}

/// Calls `used` with the resources that an expression names.
fn visit(expression: &Expression, used: &mut dyn FnMut(usize)) {
    match expression {
        Expression::Resource(at) | Expression::Output(at, _) => used(*at),
        Expression::List(items) => items.iter().for_each(|item| visit(item, used)),
        Expression::Object(entries) => entries.iter().for_each(|(_, value)| visit(value, used)),
        Expression::Binary(left, _, right) | Expression::Property(left, right) => {
            visit(left, used);
            visit(right, used);
        }
        Expression::Sized(_, size) => visit(size, used),
        Expression::Null
        | Expression::Bool(_)
        | Expression::Number(_)
        | Expression::Text(_)
        | Expression::Hidden(_) => {}
    }
}
