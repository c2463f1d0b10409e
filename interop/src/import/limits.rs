//! Limits for imports. Shared values can make a small document very large.

/// Resources in all sources together.
pub(super) const RESOURCES: usize = 1 << 22;

/// Edges before duplicates are removed.
pub(super) const EDGES: usize = 1 << 24;

/// References to missing resources.
pub(super) const MISSING: usize = 1 << 20;

/// Findings.
pub(super) const FINDINGS: usize = 1 << 20;

/// Steps of work other than those for a resource or an edge: candidates of selectors, references in
/// expressions.
pub(super) const WORK: usize = 1 << 28;

/// Variables and outputs through which a reference of a plan may lead.
pub(super) const STEPS: u32 = 64;

/// Nesting of lists.
pub(super) const LEVELS: u32 = 64;
