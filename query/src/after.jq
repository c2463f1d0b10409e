# Definitions of `jq` that the interpreter does not have, or has with another meaning.
def toboolean:
  if type == "boolean" then . elif . == "true" then true elif . == "false" then false
  else error("\(type) (\(tojson)) cannot be parsed as a boolean") end;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def isvalid(f): try (f | true) catch false;
def toarray: if type == "array" then . else [.] end;
def have_literal_numbers: true;
def have_decnum: false;
def del(f): delpaths([path(f)]);
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce .[] as $x ({};
  . + { (($x | if type == "object" then
      (if has("key") then .key elif has("k") then .k elif has("name") then .name elif has("Name") then .Name
       elif has("Key") then .Key elif has("K") then .K else null end)
      else . end)
    | if type == "string" then . elif type == "null" then "null" else tojson end):
    ($x | if type == "object" then
      (if has("value") then .value elif has("v") then .v elif has("Value") then .Value elif has("V") then .V
       else null end)
      else null end) });
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def flatten($depth):
  if $depth < 0 then error("flatten depth must not be negative")
  else reduce .[] as $x ([]; if ($x | type) == "array" and $depth > 0
    then . + ($x | flatten($depth - 1)) elif ($x | type) == "array" then . + [$x] else . + [$x] end) end;
def flatten: flatten(1e9);
def range($from; $to; $by):
  if $by > 0 then $from | while(. < $to; . + $by)
  elif $by < 0 then $from | while(. > $to; . + $by)
  else empty end;
def limit($n; f):
  if $n < 0 then error("limit doesn't support negative count")
  elif $n == 0 then empty
  else label $out | foreach f as $x (0; . + 1; $x, if . >= $n then break $out else empty end) end;
def skip($n; f):
  if $n < 0 then error("skip doesn't support negative count")
  elif $n == 0 then f
  else foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) end;
def nth($n): .[$n];
def nth($n; f):
  if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def JOIN($index; f): [.[] | [., $index[f]]];
def JOIN($index; stream; f): stream | [., $index[f]];
def JOIN($index; stream; f; join): stream | [., $index[f]] | join;
def ascii: [.] | implode;
def trimstr($x): ltrimstr($x) | rtrimstr($x);
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) |
  reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init |
  foreach f as $i ($init;
    if .e then $init else . end |
    if $i | length == 2
    then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
    else setpath(["e"]; $i[0] | length == 1) end;
    if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input |
  if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def until(cond; update): def _until: if cond then . else (update | _until) end; _until;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def index($i): indices($i) | if . == null then null else .[0] end;
def rindex($i): indices($i) | if . == null then null else .[-1:][0] end;
def transpose: if . == [] then [] else . as $in | (map(length) | max) as $max |
  [range(0; $max) as $j | [range(0; $in | length) as $i | $in[$i][$j]]] end;
def _flags($f): if $f == null then "" else $f end;
def match($re; $flags): matches($re; _flags($flags))[] |
  .[0] + {captures: [.[1:][] | if has("name") then . else . + {name: null} end]};
def test($re): if ($re | type) == "array" then test($re[0]; _flags($re[1])) else test($re; "") end;
def match($re): if ($re | type) == "array" then match($re[0]; _flags($re[1])) else match($re; "") end;
def capture($re): if ($re | type) == "array" then capture($re[0]; _flags($re[1])) else capture($re; "") end;
def scan($re): if ($re | type) == "array" then scan($re[0]; _flags($re[1])) else scan($re; "") end;
def @json: tojson;
def @csv: if type != "array" then error("\(type) cannot be csv-formatted, only an array can") else
  map(if type == "number" or type == "boolean" then tojson elif type == "string" then "\"" + (split("\"") | join("\"\"")) + "\""
      elif . == null then "" else error("\(type) (\(tojson)) is not valid in a csv row") end) | join(",") end;
def @tsv: if type != "array" then error("\(type) cannot be tsv-formatted, only an array can") else
  map(if type == "number" or type == "boolean" then tojson elif type == "string" then tsv_cell
      elif . == null then "" else error("\(type) (\(tojson)) cannot be tsv-formatted, only strings can be") end) | join("\t") end;
def input_filename: file;
def find($text): path(.. | select(type == "string" and contains($text)));
def ancestors: ancestors(infinite);
def dependents: dependents(infinite);
