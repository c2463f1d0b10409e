//! The options that select a part of the graph.

use crate::commands::deps::distance;
use clap::Args;
use coconut_picture::graph;

/// The selected part of the graph.
#[derive(Args, Debug)]
pub(super) struct Selection {
    /// Only this resource and its neighbourhood (repeatable)
    ///
    /// These are all direct and indirect dependencies and dependents.
    #[arg(long, value_name = "KEY")]
    focus: Vec<String>,

    /// With --focus, follow at most this many edges
    ///
    /// The limit applies to each direction.
    #[arg(long, value_name = "N", requires = "focus", value_parser = clap::builder::ValueParser::new(distance))]
    depth: Option<u32>,

    /// With --focus, follow at most this many edges to dependents
    #[arg(long, value_name = "N", requires = "focus", value_parser = clap::builder::ValueParser::new(distance), hide_short_help = true)]
    up: Option<u32>,

    /// With --focus, follow at most this many edges to dependencies
    #[arg(long, value_name = "N", requires = "focus", value_parser = clap::builder::ValueParser::new(distance), hide_short_help = true)]
    down: Option<u32>,

    /// Only the resources on paths between two of them
    #[arg(long, value_names = ["FROM", "TO"], num_args = 2, conflicts_with = "focus")]
    between: Vec<String>,

    /// Only resources of this type (repeatable)
    ///
    /// The whole type, its last part, or a pattern.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Draw only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Omit providers
    #[arg(long)]
    no_providers: bool,
}

impl Selection {
    /// The kinds of edges to draw.
    pub(super) fn kinds(&self) -> &[String] {
        &self.kind
    }

    pub(super) fn to_part(&self) -> graph::Selection {
        graph::Selection {
            focus: self.focus.clone(),
            depth: self.depth,
            up: self.up,
            down: self.down,
            between: self.between.clone(),
            types: self.types.clone(),
            no_providers: self.no_providers,
        }
    }
}
