# Filters whose results are compared with those of jq, one a line, on documents of the corpus.
# Their own: what people ask of states, checkpoints, plans, schemas and manifests.
.
length
keys
keys_unsorted
type
[.[]]
[.[]?] | length
[..] | length
[.. | scalars] | length
[.. | strings] | unique | length
[.. | numbers] | add
[.. | numbers] | sort | .[:5]
[.. | numbers | . * 2] | max
[.. | booleans] | map(not) | length
[.. | nulls] | length
[.. | objects | keys] | add // [] | unique | length
[.. | arrays | length] | max
[.. | objects | length] | add
[.. | select(type == "string" and test("^[a-z]+$"))] | unique | .[:10]
[.. | strings | select(startswith("urn:"))] | length
[.. | strings | select(endswith("e"))] | unique | length
[.. | strings | select(contains("a"))] | length
[.. | strings | ascii_downcase] | unique | length
[.. | strings | ascii_upcase] | sort | .[0]
[.. | strings | length] | add
[.. | strings | utf8bytelength] | max
[.. | strings | split("/") | length] | max
[.. | strings | split("")[0]] | unique | length
[.. | strings | explode | length] | add
[.. | strings | .[0:3]] | unique | .[0:20]
[.. | strings | .[-2:]] | unique | .[0:20]
[.. | strings | ltrimstr("a")] | unique | length
[.. | strings | rtrimstr("e")] | unique | length
[.. | strings | sub("a"; "b")] | unique | length
[.. | strings | gsub("[aeiou]"; "")] | unique | length
[.. | strings | @base64] | .[0]
[.. | strings | @uri] | unique | .[0:20]
[.. | strings | @json] | unique | length
[.. | strings | @html] | unique | .[0:20]
[.. | strings | @sh] | unique | .[0:5]
[.. | strings | tojson | fromjson] | length
[.. | strings | indices("a") | length] | add
[.. | strings | index("e")] | map(select(. != null)) | add
[.. | strings | rindex("e")] | map(select(. != null)) | add
[.. | strings | tonumber?] | length
[.. | strings | ascii_downcase | explode | implode] | unique | length
[.. | strings | select(test("[0-9]{3}"))] | length
[.. | strings | scan("[0-9]+")] | unique | length
[.. | strings | [match("[a-z]+"; "g").offset]] | add
[.. | strings | [splits("[-_]+")] | length] | max
[.. | strings | capture("^(?<first>[a-z]+)") | .first] | unique | length
[paths] | length
[paths | length] | max
[paths(type == "number")] | length
[paths(scalars)] | length
[leaf_paths] | length
[leaf_paths | map(tostring) | join("/")] | .[0:50]
[leaf_paths | last | tostring] | unique | length
[paths(type == "string")] as $p | [$p[:20][] as $q | getpath($q)]
[path(..)] | length
[path(.[]?)] | length
to_entries | map(.key)
to_entries | length
to_entries? // [] | map(.value | type)
with_entries(.value |= type)
with_entries(select(.value | type == "string"))
map_values(type)
map(type)
map(length?)
map_values(.) == .
. == .
. != .
[.] | .[0] == .[1]
[.[]? | type] | group_by(.) | map({key: .[0], value: length}) | from_entries
[.[]? | objects | keys[]] | unique
[.[]? | arrays | .[]] | length
[.[]? | arrays | first] | length
[.[]? | arrays | last] | length
[.[]? | arrays | reverse | length]
[.[]? | objects | to_entries[] | .key] | unique | length
[.. | objects | select(has("name")) | .name] | length
[.. | objects | select(has("type")) | .type] | map(tostring) | unique
[.. | objects | .type? // empty | strings] | group_by(.) | map([.[0], length])
[.. | objects | .id? | strings] | unique | length
[.. | objects | select(.type? == "string")] | length
[.. | objects | select(has("description")) | .description | strings | length] | add
[.. | objects | del(.name)] | length
[.. | objects | del(.type, .name) | length] | add
[.. | objects | with_entries(select(.key | startswith("a"))) | length] | add
[.. | objects | to_entries | from_entries] | length
[.. | objects | . as {name: $n} | $n] | length
[.. | arrays | add? // 0 | type] | unique
[.. | arrays | unique | length] | add
[.. | arrays | sort | length] | add
[.. | arrays | min] | length
[.. | arrays | max | type] | unique
[.. | arrays | map(type) | unique] | unique
[.. | arrays | index(1)] | length
[.. | arrays | any] | unique
[.. | arrays | all] | unique
[.. | arrays | flatten | length] | add
[.. | arrays | flatten(1) | length] | add
[.. | arrays | .[1:3] | length] | add
[.. | arrays | .[-1:] | length] | add
[.. | arrays | .[:1]] | length
[.. | arrays | contains([])] | unique
[.. | arrays | transpose?] | length
[.. | arrays | to_entries | map(.key) | add] | map(. // 0) | add
[.. | objects | contains({})] | unique
[.. | objects | inside({})] | unique
[.. | objects | has("a")] | unique
[.. | objects | map_values(1) | add] | map(. // 0) | add
[limit(5; ..)] | length
[first(..)] | length
first(.. | strings)
[limit(3; .. | strings)]
[nth(2; .. | strings)]
isempty(.[]?)
isempty(empty)
[range(5)]
[range(2; 10; 3)]
[range(10; 0; -3)]
reduce (.. | numbers) as $n (0; . + $n)
reduce (.. | strings) as $s (0; . + ($s | length))
[foreach (.. | numbers) as $n (0; . + 1)] | length
[foreach (.. | strings | length) as $n (0; . + $n; .)] | last
reduce (.. | objects | keys[]) as $k ({}; .[$k] += 1)
reduce (.. | strings) as $s ({}; .[$s[0:1]] += 1) | to_entries | sort_by(.key) | map(.value)
[.. | type] | group_by(.) | map({(.[0]): length}) | add
group_by(type)? // "none"
sort_by(type)? // "none" | length
[.[]?] | sort_by(tojson | length) | length
[.[]?] | min_by(type)
[.[]?] | max_by(type) | type
[.[]?] | unique_by(type) | map(type)
walk(if type == "object" then del(.description) else . end) | [..] | length
walk(if type == "string" then length else . end) | [.. | numbers] | length
walk(.) == .
[tostream] | length
fromstream(tostream) == .
[tostream | select(length == 2) | .[0] | length] | max
[1 | truncate_stream([[0], 1], [[1, 0], 2], [[1, 0]], [[1]])]
.missing
.missing?
.missing // "default"
[.missing[]?]
.a.b.c?
.["name"]?
.[0]?
.[-1]?
.[0:2]?
.resources? // .deployment?.resources? // [] | length
[.resources? // .deployment?.resources? // .checkpoint?.latest?.resources? // [] | .[]? | .type?] | map(select(. != null)) | unique
[.resources[]? | .instances[]? | .attributes.id] | length
[.resources[]? | select(.mode == "managed") | .type + "." + .name] | unique
[.resources[]? | "\(.type // "none"):\(.name // "none")"] | sort
[.resources[]? | {type, name}] | unique | length
[.resources[]? | .instances? // [] | length] | add
[.resources? | objects | to_entries[] | .value.properties? | objects | keys[]] | unique | length
[.resources? | objects | keys[]] | sort | .[0:10]
[.types? | objects | .[] | .type?] | unique
[.functions? | objects | keys[]] | length
.Resources? // {} | to_entries? // [] | map(.value.Type?) | unique
[.definitions? | objects | to_entries[] | .key] | .[0:10]
[.properties? | objects | to_entries[] | {key, type: (.value | objects | .type)}]
[.resource_changes[]? | .change.actions] | unique
[.resource_changes[]? | select(.change.actions != ["no-op"]) | .address]
[.planned_values? | .. | objects | .address? // empty] | length
[.metadata? | objects | keys[]]
[.spec? | .. | objects | .image? // empty]
[.items[]? | .kind?] | unique
.version? // .apiVersion? // "none"
[.. | objects | select(.dependencies? | type == "array") | .dependencies | length] | add
[.. | objects | .urn? | strings | split("::") | last] | unique | length
[.. | objects | select(.custom? == true) | .urn] | length
if type == "object" then "o" elif type == "array" then "a" else "s" end
try error("x") catch .
try error({a: 1}) catch .a
[.[]? | try (.a.b.c | length) catch "failed"]
[.[]? as $x | $x | type]
. as $d | [$d, $d] | length
. as [$a] | $a | type
def f: length; [., .] | map(f)
def g($x; y): [$x, y]; g(1; 2, 3)
def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; [range(10) | fac]
1 | [recurse(if . < 50 then . * 2 else empty end)]
1 | [while(. < 100; . * 3)]
1 | until(. > 1000; . * 7)
[1, [2, [3, [4]]]] | flatten, flatten(1)
{a: 1} * {b: {c: 2}} * {b: {d: 3}}
{a: 1} + {a: 2, b: null}
[1, 2, 3, 2] - [2]
[3, 1, 2] | sort, min, max, add, reverse
"a,b,c" | split(",") | join("-")
"test" | test("T"; "i")
"aXbXc" | [splits("X")]
[1, 2] | combinations(2)
[[1, 2], [3, 4]] | [combinations]
[[1, 2], [3]] | transpose
{} | .a.b[2] = 1
null | .[3] = 1
{a: [1, 2, 3]} | .a[1:] = [9]
{a: [1, 2, 3]} | del(.a[0, 2])
{a: 1, b: 2} | to_entries, with_entries(.value += 1), delpaths([["a"]])
{a: {b: 1}} | [paths], getpath(["a", "b"]), setpath(["a", "c"]; 2)
{a: 5} | .a += 1, .a -= 1, .a *= 2, .a /= 5, .a %= 3, .b //= 7
[1, null, 2] | map(values), map(. // 0), (.[] |= (. // 0))
[{a: 1, b: 2}, {a: 1, b: 3}] | group_by(.a), unique_by(.a), sort_by(-.b), INDEX(.b)
10 / 4, 7 % 3, -7 % 3, 5 / 5, 1 - 2, 2 * 3.5
[1.5, 2.5, -1.5 | floor, ceil, round, fabs, sqrt? // 0 | . == .]
[pow(2; 10), log10, exp10? // 0] | length
0 | todate, (1425599621 | todate), ("2015-03-05T23:51:47Z" | fromdate)
1425599621 | gmtime | mktime
1425599621 | strftime("%Y-%m-%dT%H:%M:%SZ")
"10:15" | strptime("%H:%M")? // "none" | type
[true, false] | any, all
[nan] | sort | length
infinite > 1, (nan < 1), ([nan] == [nan])
[1, "1", null, true, [1], {"a": 1}] | sort | map(type)
"\u00e9\ud83d\ude00" | length, utf8bytelength, explode, @uri
"x" as $x | "a\($x)b\(1 + 1)"
@text "v: \([1])", @json "v: \("q")", @csv "\([1, "a\"b"])", @tsv "\(["a\tb"])"
["a", 1, null, true] | @csv, @tsv
"PHA+" | @base64d
[splits("a")?] | length
ascii_downcase? // "none" | type
input_filename | type
[.[]? | numbers] | add / (length | if . == 0 then 1 else . end)?
getpath(["a", "b"])? // "none" | type
