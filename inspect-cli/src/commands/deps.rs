//! `deps`: shows the dependencies of a resource.

use clap::Args;
use coconut_report::answers::deps::{Answer, DepsQuestion};
use coconut_report::failure::{Exit, Failure};
use coconut_report::relations::{Direction, Relations};
use coconut_shell::console::Console;
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{FilesAndKey, Marks, Sources};

/// Show what a resource depends on, as a tree
///
/// KEY is the resource to start from: its key, a short form of the key, `KEY#2` for the second
/// resource with that key, or a JSON pointer. Each resource is shown once, where it is nearest to
/// KEY. A line has a short name, and in brackets the kinds of edges that lead to it from its parent
/// line. A name that only one resource has can be used as KEY again.
///
/// A resource and its instances count as one: `aws_subnet.a` has the dependencies of all its
/// instances, and whatever depends on `aws_subnet.a` depends on `aws_subnet.a["x"]`.
///
/// Dangling references are counted, because they may hide a dependency. Some documents only imply
/// their edges: Kubernetes, Terraform plans, Compose and Puppet. These edges are inferred, and a
/// note states that. If there are more than 200 resources, only the number of each type is shown.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/deps.trycmd"))]
pub struct Deps {
    #[command(flatten)]
    tree: Tree,
}

/// The start of the search, and how its result is shown.
#[derive(Args, Debug)]
pub(super) struct Tree {
    #[command(flatten)]
    named: FilesAndKey,

    /// Only landmarks of this class
    ///
    /// A number, a word or a pattern, as `info` shows them.
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,

    /// Follow at most this many edges
    #[arg(long, value_name = "N", value_parser = clap::builder::ValueParser::new(distance))]
    depth: Option<u32>,

    /// Follow only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Only resources of this type, and paths to them (repeatable)
    ///
    /// The whole type, its last part, or a pattern with `*` and `?`.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Guess that instances of a module use resources of their own instance
    ///
    /// A Terraform state does not record which instance of a module a resource depends on. Without
    /// this option, edges lead to all instances, and the number of resources is an upper bound.
    #[arg(long)]
    same_instance: bool,

    /// Print only full keys, one per line, nearest first
    #[arg(long)]
    list: bool,

    /// Print only the number of keys that --list would print
    #[arg(long, conflicts_with = "list")]
    count: bool,

    /// Show at most this many resources
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Show full keys in the tree
    #[arg(long)]
    full: bool,
}

impl Deps {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.tree.run(Direction::Dependencies, documents, console)
    }
}

impl Tree {
    pub(super) fn run(
        &self,
        direction: Direction,
        documents: &dyn Documents,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let marks = if self.list || self.count { Marks::Column } else { Marks::Heading };
        let (files, key) = self.named.split()?;
        Sources::of(documents, &files).each_opened(documents, console, marks, |opened, console| {
            self.show(opened, key, direction, console)
        })
    }

    fn show(
        &self,
        opened: &Opened,
        key: &str,
        direction: Direction,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let relations = Relations::of(opened.view(), console.reveal)?;
        if !relations.has_edges() && console.is_one_of_several() {
            // Among several files, those without the resource give no answer.
            relations.start(key, self.class.as_deref())?;
        }
        let question = DepsQuestion {
            direction,
            key,
            class: self.class.as_deref(),
            depth: self.depth.unwrap_or(u32::MAX),
            kinds: &self.kind,
            types: &self.types,
            same_instance: self.same_instance,
            limit: self.limit,
            has_edges: console.json && !self.count,
        };
        let answer = Answer::of(&relations, &question)?;
        if console.json {
            answer.write_json(&opened.name, self.count, console)?;
        } else if self.count {
            console.line(&answer.count().to_string())?;
            answer.notes().iter().for_each(|note| console.note(note));
        } else if self.list {
            let cut = answer.write_list(&mut console.text())?;
            cut.iter().chain(&answer.notes()).for_each(|note| console.note(note));
        } else {
            answer.write_tree(self.full, &mut console.text())?;
        }
        Ok(Exit::Good)
    }
}

/// A number of edges. No resource is farther away than the maximum.
pub(crate) fn distance(text: &str) -> Result<u32, std::num::ParseIntError> {
    Ok(u32::try_from(text.parse::<u64>()?).unwrap_or(u32::MAX))
}
