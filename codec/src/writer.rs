//! Documents into files.

mod emit;
mod numbering;
mod shapes;
mod sharing;
mod spine;

/// The choices of the layout. Fixed in released writers; `benches/layout` varies them.
#[derive(Clone, Debug)]
pub struct Layout {
    pub shared_values: bool,
    pub shared_min_uses: u32,
    pub shared_min_bytes: u32,
    pub string_min_uses: u32,
    pub nested_slots: bool,
    pub constant_slots: bool,
    pub integer_slots: bool,
    pub discriminators: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            shared_values: true,
            shared_min_uses: 2,
            shared_min_bytes: 4,
            string_min_uses: 2,
            nested_slots: true,
            constant_slots: true,
            integer_slots: true,
            discriminators: true,
        }
    }
}
#[doc(hidden)]
pub fn sizes(dag: &crate::dag::Dag, layout: &Layout) -> [usize; 7] {
    let spine = spine::Spine::empty();
    let sharing = sharing::Sharing::choose(dag, &spine, layout);
    let shapes = shapes::Shapes::choose(dag, &spine, &sharing, layout);
    let numbering = numbering::Numbering::choose(dag, &spine, &sharing, &shapes, layout);
    let mut e = emit::Emitter::new(dag, &spine, emit::Forms::Shared(&sharing, &shapes, &numbering));
    let st: usize = numbering.strings.iter().map(|&s| crate::msgpack::str_len(dag.text(s).len())).sum();
    for &s in &numbering.shapes { e.shape(s, &shapes, &numbering); }
    let a = e.out.len();
    for &s in &numbering.shared { e.entry(s); }
    let b = e.out.len();
    e.root();
    [numbering.strings.len(), st, numbering.shapes.len(), a, numbering.shared.len(), b - a, e.out.len() - b]
}
