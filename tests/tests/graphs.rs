//! §15 Graphs: rules and marked places against case files, and the graphs of other tools.

mod dialects;
mod documents;
mod edges;
mod places;
mod real_graphs;
mod resources;
mod rules;
