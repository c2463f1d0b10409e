//! FlatBuffers: the code of `rows.fbs`, made by `flatc --rust rows.fbs` of version 2.0.8.
//!
//! Adapted by hand for version 25 of the crate `flatbuffers`: `follow`, `Table::new` and `get` are
//! unsafe now. The functions `root_as_rows` and similar ones are omitted.
#![allow(missing_docs, unreachable_pub, rust_2018_idioms, dead_code, clippy::all, clippy::pedantic)]
#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, clippy::uninlined_format_args)]

pub enum RowOffset {}
#[derive(Copy, Clone, PartialEq)]

pub struct Row<'a> {
  pub _tab: flatbuffers::Table<'a>,
}

impl<'a> flatbuffers::Follow<'a> for Row<'a> {
  type Inner = Row<'a>;
  #[inline]
  unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
    // SAFETY: the caller promises a table at `loc`.
    Self { _tab: unsafe { flatbuffers::Table::new(buf, loc) } }
  }
}

impl<'a> Row<'a> {
  pub const VT_NAME: flatbuffers::VOffsetT = 4;
  pub const VT_KIND: flatbuffers::VOffsetT = 6;
  pub const VT_REGION: flatbuffers::VOffsetT = 8;
  pub const VT_PORT: flatbuffers::VOffsetT = 10;
  pub const VT_ENABLED: flatbuffers::VOffsetT = 12;
  pub const VT_NOTE: flatbuffers::VOffsetT = 14;

  #[inline]
  pub fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
    Row { _tab: table }
  }
  #[allow(unused_mut)]
  pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr>(
    _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr>,
    args: &'args RowArgs<'args>
  ) -> flatbuffers::WIPOffset<Row<'bldr>> {
    let mut builder = RowBuilder::new(_fbb);
    if let Some(x) = args.note { builder.add_note(x); }
    builder.add_port(args.port);
    if let Some(x) = args.region { builder.add_region(x); }
    if let Some(x) = args.kind { builder.add_kind(x); }
    if let Some(x) = args.name { builder.add_name(x); }
    builder.add_enabled(args.enabled);
    builder.finish()
  }


  #[inline]
  pub fn name(&self) -> &'a str {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Row::VT_NAME, None).unwrap() }
  }
  #[inline]
  pub fn key_compare_less_than(&self, o: &Row) -> bool {
    self.name() < o.name()
  }

  #[inline]
  pub fn key_compare_with_value(&self, val: & str) -> ::core::cmp::Ordering {
    let key = self.name();
    key.cmp(val)
  }
  #[inline]
  pub fn kind(&self) -> &'a str {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Row::VT_KIND, None).unwrap() }
  }
  #[inline]
  pub fn region(&self) -> &'a str {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Row::VT_REGION, None).unwrap() }
  }
  #[inline]
  pub fn port(&self) -> u32 {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<u32>(Row::VT_PORT, Some(0)).unwrap() }
  }
  #[inline]
  pub fn enabled(&self) -> bool {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<bool>(Row::VT_ENABLED, Some(false)).unwrap() }
  }
  #[inline]
  pub fn note(&self) -> &'a str {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Row::VT_NOTE, None).unwrap() }
  }
}

impl flatbuffers::Verifiable for Row<'_> {
  #[inline]
  fn run_verifier(
    v: &mut flatbuffers::Verifier, pos: usize
  ) -> Result<(), flatbuffers::InvalidFlatbuffer> {
    v.visit_table(pos)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("name", Self::VT_NAME, true)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("kind", Self::VT_KIND, true)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("region", Self::VT_REGION, true)?
     .visit_field::<u32>("port", Self::VT_PORT, false)?
     .visit_field::<bool>("enabled", Self::VT_ENABLED, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("note", Self::VT_NOTE, true)?
     .finish();
    Ok(())
  }
}
pub struct RowArgs<'a> {
    pub name: Option<flatbuffers::WIPOffset<&'a str>>,
    pub kind: Option<flatbuffers::WIPOffset<&'a str>>,
    pub region: Option<flatbuffers::WIPOffset<&'a str>>,
    pub port: u32,
    pub enabled: bool,
    pub note: Option<flatbuffers::WIPOffset<&'a str>>,
}
impl<'a> Default for RowArgs<'a> {
  #[inline]
  fn default() -> Self {
    RowArgs {
      name: None, // required field
      kind: None, // required field
      region: None, // required field
      port: 0,
      enabled: false,
      note: None, // required field
    }
  }
}

pub struct RowBuilder<'a: 'b, 'b> {
  fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a>,
  start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
}
impl<'a: 'b, 'b> RowBuilder<'a, 'b> {
  #[inline]
  pub fn add_name(&mut self, name: flatbuffers::WIPOffset<&'b  str>) {
    self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Row::VT_NAME, name);
  }
  #[inline]
  pub fn add_kind(&mut self, kind: flatbuffers::WIPOffset<&'b  str>) {
    self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Row::VT_KIND, kind);
  }
  #[inline]
  pub fn add_region(&mut self, region: flatbuffers::WIPOffset<&'b  str>) {
    self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Row::VT_REGION, region);
  }
  #[inline]
  pub fn add_port(&mut self, port: u32) {
    self.fbb_.push_slot::<u32>(Row::VT_PORT, port, 0);
  }
  #[inline]
  pub fn add_enabled(&mut self, enabled: bool) {
    self.fbb_.push_slot::<bool>(Row::VT_ENABLED, enabled, false);
  }
  #[inline]
  pub fn add_note(&mut self, note: flatbuffers::WIPOffset<&'b  str>) {
    self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Row::VT_NOTE, note);
  }
  #[inline]
  pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a>) -> RowBuilder<'a, 'b> {
    let start = _fbb.start_table();
    RowBuilder {
      fbb_: _fbb,
      start_: start,
    }
  }
  #[inline]
  pub fn finish(self) -> flatbuffers::WIPOffset<Row<'a>> {
    let o = self.fbb_.end_table(self.start_);
    self.fbb_.required(o, Row::VT_NAME,"name");
    self.fbb_.required(o, Row::VT_KIND,"kind");
    self.fbb_.required(o, Row::VT_REGION,"region");
    self.fbb_.required(o, Row::VT_NOTE,"note");
    flatbuffers::WIPOffset::new(o.value())
  }
}

impl core::fmt::Debug for Row<'_> {
  fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
    let mut ds = f.debug_struct("Row");
      ds.field("name", &self.name());
      ds.field("kind", &self.kind());
      ds.field("region", &self.region());
      ds.field("port", &self.port());
      ds.field("enabled", &self.enabled());
      ds.field("note", &self.note());
      ds.finish()
  }
}
pub enum RowsOffset {}
#[derive(Copy, Clone, PartialEq)]

pub struct Rows<'a> {
  pub _tab: flatbuffers::Table<'a>,
}

impl<'a> flatbuffers::Follow<'a> for Rows<'a> {
  type Inner = Rows<'a>;
  #[inline]
  unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
    // SAFETY: the caller promises a table at `loc`.
    Self { _tab: unsafe { flatbuffers::Table::new(buf, loc) } }
  }
}

impl<'a> Rows<'a> {
  pub const VT_ROWS: flatbuffers::VOffsetT = 4;

  #[inline]
  pub fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
    Rows { _tab: table }
  }
  #[allow(unused_mut)]
  pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr>(
    _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr>,
    args: &'args RowsArgs<'args>
  ) -> flatbuffers::WIPOffset<Rows<'bldr>> {
    let mut builder = RowsBuilder::new(_fbb);
    if let Some(x) = args.rows { builder.add_rows(x); }
    builder.finish()
  }


  #[inline]
  pub fn rows(&self) -> flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Row<'a>>> {
    // SAFETY: the buffer is verified, or its reader vouches for it.
    unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Row>>>>(Rows::VT_ROWS, None).unwrap() }
  }
}

impl flatbuffers::Verifiable for Rows<'_> {
  #[inline]
  fn run_verifier(
    v: &mut flatbuffers::Verifier, pos: usize
  ) -> Result<(), flatbuffers::InvalidFlatbuffer> {
    v.visit_table(pos)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<Row>>>>("rows", Self::VT_ROWS, true)?
     .finish();
    Ok(())
  }
}
pub struct RowsArgs<'a> {
    pub rows: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Row<'a>>>>>,
}
impl<'a> Default for RowsArgs<'a> {
  #[inline]
  fn default() -> Self {
    RowsArgs {
      rows: None, // required field
    }
  }
}

pub struct RowsBuilder<'a: 'b, 'b> {
  fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a>,
  start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
}
impl<'a: 'b, 'b> RowsBuilder<'a, 'b> {
  #[inline]
  pub fn add_rows(&mut self, rows: flatbuffers::WIPOffset<flatbuffers::Vector<'b , flatbuffers::ForwardsUOffset<Row<'b >>>>) {
    self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Rows::VT_ROWS, rows);
  }
  #[inline]
  pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a>) -> RowsBuilder<'a, 'b> {
    let start = _fbb.start_table();
    RowsBuilder {
      fbb_: _fbb,
      start_: start,
    }
  }
  #[inline]
  pub fn finish(self) -> flatbuffers::WIPOffset<Rows<'a>> {
    let o = self.fbb_.end_table(self.start_);
    self.fbb_.required(o, Rows::VT_ROWS,"rows");
    flatbuffers::WIPOffset::new(o.value())
  }
}

impl core::fmt::Debug for Rows<'_> {
  fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
    let mut ds = f.debug_struct("Rows");
      ds.field("rows", &self.rows());
      ds.finish()
  }
}
