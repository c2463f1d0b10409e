//! GraphML, which yEd, Gephi, Cytoscape and NetworkX read.

use crate::Picture;
use coconut_format::visible::visible;
use std::fmt::Write as _;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="key" for="node" attr.name="key" attr.type="string"/>
  <key id="type" for="node" attr.name="type" attr.type="string"/>
  <key id="group" for="node" attr.name="group" attr.type="string"/>
  <key id="change" for="node" attr.name="change" attr.type="string"/>
  <key id="count" for="node" attr.name="count" attr.type="int"/>
  <key id="kind" for="edge" attr.name="kind" attr.type="string"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="int"/>
  <graph edgedefault="directed">
"#;

/// The picture with all known attributes. Each kind of an arrow is an edge.
pub fn drawn(picture: &Picture) -> String {
    let mut out = String::from(HEAD);
    for vertex in &picture.vertices {
        let _ = write!(out, "    <node id=\"{}\">", vertex.id);
        for (key, value) in [
            ("label", &vertex.name),
            ("key", &vertex.key),
            ("type", &vertex.type_name),
            ("group", &vertex.group),
        ] {
            let _ = write!(out, "<data key=\"{key}\">{}</data>", escaped(value));
        }
        if let Some(change) = vertex.change() {
            let _ = write!(out, "<data key=\"change\">{}</data>", change.name());
        }
        let _ = writeln!(out, "<data key=\"count\">{}</data></node>", vertex.count);
    }
    for link in &picture.links {
        for (kind, count) in &link.kinds {
            let (from, to) = (picture.id(link.from), picture.id(link.to));
            let _ = writeln!(
                out,
                "    <edge source=\"{from}\" target=\"{to}\"><data key=\"kind\">{}</data><data key=\"weight\">{count}</data></edge>",
                escaped(kind)
            );
        }
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

/// A text between tags. Control characters and the last two characters of the first plane are not
/// allowed in XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}
