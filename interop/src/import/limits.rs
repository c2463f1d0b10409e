//! The limits of an import. Shared values can make a small document very large.

/// Resources of all sources together.
pub(super) const RESOURCES: usize = 1 << 22;

/// Edges before equal ones are left out.
pub(super) const EDGES: usize = 1 << 24;

/// References that lead nowhere.
pub(super) const MISSING: usize = 1 << 20;

/// Findings.
pub(super) const FINDINGS: usize = 1 << 20;

/// Steps of work beyond those for a resource or an edge: candidates of selectors, references of
/// expressions.
pub(super) const WORK: usize = 1 << 28;

/// Variables and outputs that a reference of a plan may lead through.
pub(super) const STEPS: u32 = 64;

/// Levels of lists in lists.
pub(super) const LEVELS: u32 = 64;
