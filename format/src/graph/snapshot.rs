//! §15.5 The front matter of a graph document.

use crate::node::Node;

/// The front matter of a graph document. Each dialect has a part of it, at different places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot<'a, N> {
    /// The environment, stack or target of the graph.
    pub environment: Option<&'a str>,
    /// The package or program that created it.
    pub package: Option<&'a str>,
    /// The arguments of the run.
    pub arguments: Option<N>,
    /// The configuration of the environment, by token.
    pub configuration: Option<N>,
    /// The time of creation as written in the document: RFC 3339.
    pub time: Option<&'a str>,
    /// The version of the tool that created it.
    pub tool_version: Option<&'a str>,
    /// The version of the document's own dialect, a number or a string.
    pub version: Option<N>,
}

impl<'a, N: Node<'a>> Snapshot<'a, N> {
    /// The front matter of `root`. Costs some key lookups near the root.
    pub fn of(root: N) -> Snapshot<'a, N> {
        let first = |paths: &[&str]| paths.iter().find_map(|path| at(root, path));
        let text = |paths: &[&str]| paths.iter().find_map(|path| at(root, path)?.as_str());
        Snapshot {
            environment: text(&["checkpoint/stack", "checkpoint/target", "stack", "target", "husk"]),
            package: text(&["package", "latest/package", "latest/info/pkg"]),
            arguments: first(&["args", "latest/args", "latest/info/args"]),
            configuration: first(&["checkpoint/config", "config"]),
            time: text(&[
                "checkpoint/latest/manifest/time",
                "checkpoint/latest/time",
                "deployment/manifest/time",
                "latest/manifest/time",
                "latest/time",
                "manifest/time",
                "timestamp",
            ]),
            tool_version: text(&[
                "checkpoint/latest/manifest/version",
                "deployment/manifest/version",
                "latest/manifest/version",
                "manifest/version",
                "terraform_version",
            ]),
            version: first(&["version", "format_version"]),
        }
    }
}

fn at<'a, N: Node<'a>>(root: N, path: &str) -> Option<N> {
    path.split('/').try_fold(root, Node::get)
}
