//! Converts shapes to the events of their records (§6.2): the actions of a stream between two
//! stored values.

use crate::limits;
use crate::read::tables::{SlotForm, Tables};
use crate::wire::ids::ShapeId;

/// The next action of a stream for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The actions up to `end` are the same for every record. They are a run of events.
    Run {
        end: u32,
    },
    /// Begins an object with this number of entries.
    BeginObject(u32),
    /// Emits the key of this slot.
    Key(u32),
    /// Emits the constant of this slot.
    Constant(u32),
    /// Emits the next value of the record.
    Value {
        is_integer: bool,
    },
    /// Continues with the plan of another shape. Its values come next in the record.
    Nested(ShapeId),
    EndObject,
}

/// The actions for the records of every shape.
///
/// Nested objects are part of the plan of the shape around them. So a record is one level, and the
/// keys between two values are one run. Shared shapes can make such plans astronomically large, so
/// all plans together are limited to a few times the size of the shapes. Beyond that, the plan of a
/// nested shape stays separate.
#[derive(Debug)]
pub(super) struct Plans {
    actions: Vec<Action>,
    /// The start of the plan of each shape, and the end of the last.
    starts: Vec<u32>,
}

/// The number of actions of nested plans that may be copied per slot, and the number of slots that
/// count. More would take memory out of proportion to a crafted file.
const COPIED_PER_SLOT: usize = 13;
const SLOTS_OF_A_DOCUMENT: usize = 1 << 16;

/// Nested plans are copied while the number of actions is at most [`Planner::most`]. Without
/// copies, a slot produces at most three actions (a run, its key, its value). A shape also produces
/// at most three (a run, its beginning, its end).
const MOST_ACTIONS: usize =
    3 * (limits::SLOTS + limits::SHAPES) + COPIED_PER_SLOT * SLOTS_OF_A_DOCUMENT + 1024;
const _: () = assert!(MOST_ACTIONS < u32::MAX as usize / 2);

impl Plans {
    pub(super) fn new(tables: &Tables<'_>) -> Plans {
        let slots: usize = tables.shapes.iter().map(|shape| tables.slots(shape).len()).sum();
        let mut planner = Planner {
            actions: Vec::with_capacity(2 * slots + 3 * tables.shapes.len()),
            run: None,
            most: 3 * (slots + tables.shapes.len()) + COPIED_PER_SLOT * slots.min(SLOTS_OF_A_DOCUMENT) + 1024,
        };
        let mut starts = Vec::with_capacity(tables.shapes.len() + 1);
        starts.push(0);
        for id in (0..).map(ShapeId).take(tables.shapes.len()) {
            planner.shape(tables, id, &starts);
            starts.push(u32::try_from(planner.actions.len()).expect("`MOST_ACTIONS` fits"));
        }
        Plans { actions: planner.actions, starts }
    }

    /// Returns the start and end of the plan of a shape.
    pub(super) fn of(&self, shape: ShapeId) -> (usize, usize) {
        (self.starts[shape.index()] as usize, self.starts[shape.index() + 1] as usize)
    }

    #[inline]
    pub(super) fn action(&self, at: usize) -> Action {
        self.actions[at]
    }

    #[inline]
    pub(super) fn actions(&self, from: usize, to: usize) -> &[Action] {
        &self.actions[from..to]
    }
}

struct Planner {
    actions: Vec<Action>,
    run: Option<OpenRun>,
    /// The number of actions after which nested plans are no longer copied.
    most: usize,
}

/// A run whose end is not known yet.
struct OpenRun {
    at: usize,
    /// The number of objects that began in the run and have not ended.
    open: u32,
}

impl Planner {
    /// Adds the plan of a shape. The plans of the shapes that it nests must already exist.
    fn shape(&mut self, tables: &Tables<'_>, id: ShapeId, starts: &[u32]) {
        let range = tables.slot_range(id);
        self.push(Action::BeginObject(u32::try_from(range.len()).unwrap_or(u32::MAX)));
        for index in range {
            let slot = u32::try_from(index).expect("tables of more than `limits::SLOTS` slots are refused");
            self.push(Action::Key(slot));
            match tables.slot(index).form {
                SlotForm::Plain => self.push(Action::Value { is_integer: false }),
                SlotForm::Integer => self.push(Action::Value { is_integer: true }),
                SlotForm::Constant(_) => self.push(Action::Constant(slot)),
                SlotForm::Nested(inner) => {
                    let (start, end) = (starts[inner.index()] as usize, starts[inner.index() + 1] as usize);
                    if self.actions.len() + (end - start) > self.most {
                        self.push(Action::Nested(inner));
                    } else {
                        (start..end).for_each(|at| self.push(self.actions[at]));
                    }
                }
            }
        }
        self.push(Action::EndObject);
        self.end_run();
    }

    fn push(&mut self, action: Action) {
        match (action, &mut self.run) {
            // A run of a nested plan. Its actions are part of other runs here.
            (Action::Run { .. }, _) => return,
            (Action::BeginObject(_), Some(run)) => run.open += 1,
            (Action::EndObject, Some(run)) if run.open > 0 => run.open -= 1,
            (Action::Key(_) | Action::Constant(_), Some(_)) => {}
            (Action::BeginObject(_) | Action::Key(_), None) => {
                let open = u32::from(matches!(action, Action::BeginObject(_)));
                self.run = Some(OpenRun { at: self.actions.len(), open });
                self.actions.push(Action::Run { end: 0 });
            }
            _ => self.end_run(),
        }
        self.actions.push(action);
    }

    fn end_run(&mut self) {
        if let Some(run) = self.run.take() {
            let end = u32::try_from(self.actions.len()).expect("`MOST_ACTIONS` fits");
            self.actions[run.at] = Action::Run { end };
        }
    }
}
