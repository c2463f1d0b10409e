@0xc0c0c0c0c0c0c0c1;

# Rows with a name each, sorted by it.
struct Rows {
  rows @0 :List(Row);
}

struct Row {
  name @0 :Text;
  kind @1 :Text;
  region @2 :Text;
  port @3 :UInt32;
  enabled @4 :Bool;
  note @5 :Text;
}
