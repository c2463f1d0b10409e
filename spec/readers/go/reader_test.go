package coconut

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// named returns the bytes of a good vector.
func named(t testing.TB, name string) []byte {
	t.Helper()
	for _, v := range vectors(t, "good") {
		if v.name == name {
			return v.bytes
		}
	}
	t.Fatalf("no vector %s", name)
	return nil
}

func openVector(t testing.TB, name string) *File {
	t.Helper()
	f, err := OpenBytes(named(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// source opens a file in encoding +json with this text.
func source(t testing.TB, text string) *File {
	t.Helper()
	f, err := OpenBytes([]byte("application/vnd.coconut+json; document-type=document; version=1\n\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func written(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.coco")
	if err := os.WriteFile(path, named(t, name), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenMapsOrReads(t *testing.T) {
	path := written(t, "index-walkthrough")
	for _, options := range [][]Option{nil, {ReadFile()}} {
		f, err := Open(path, options...)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Get("web")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error("a second Close:", err)
		}
		if _, err := v.Load(); !errors.Is(err, ErrClosed) {
			t.Errorf("a value of a closed file: %v", err)
		}
		if _, err := f.Verify(); !errors.Is(err, ErrClosed) {
			t.Errorf("verify of a closed file: %v", err)
		}
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty); said(err) != "ENV-EMPTY @ 0" {
		t.Errorf("an empty file: %v", err)
	}
}

func TestMappedFileThatIsCutShort(t *testing.T) {
	path := written(t, "index-walkthrough")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.unmap == nil {
		t.Skip("files are not mapped here")
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get("web"); !errors.Is(err, ErrChanged) {
		t.Errorf("get: %v", err)
	}
	if _, err := f.Load(); !errors.Is(err, ErrChanged) {
		t.Errorf("load: %v", err)
	}
}

func TestGetSaysWhatIsMissing(t *testing.T) {
	f := openVector(t, "index-ambiguous")
	if _, err := f.Get("no such key"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a missing key: %v", err)
	}
	var repeated string
	for _, v := range vectors(t, "good") {
		for i, n := range v.notes {
			if v.name == "index-ambiguous" && i > 0 && n.key == v.notes[i-1].key && strings.HasPrefix(n.key, "get ") {
				repeated = n.key[4:]
			}
		}
	}
	if _, err := f.Get(repeated); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("%q: %v", repeated, err)
	}
	if _, err := f.Dependencies(repeated); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("edges of %q: %v", repeated, err)
	}
	if _, err := source(t, "{}").Get("a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("source text: %v", err)
	}
	if _, err := (Value{}).Load(); !errors.Is(err, ErrNotFound) {
		t.Errorf("the empty value: %v", err)
	}
	if _, err := (Landmark{f, 1 << 30}).Key(); !errors.Is(err, ErrNotFound) {
		t.Errorf("an ordinal that is too large: %v", err)
	}
}

func TestGetInClass(t *testing.T) {
	f := openVector(t, "index-join")
	for class, expected := range []int{0, 1, 0} {
		found, err := f.GetInClass(class, "pkg:ec2:Vpc")
		if err != nil || len(found) != expected {
			t.Errorf("class %d: %v, %v", class, found, err)
		}
	}
}

func TestDecodeIntoTypes(t *testing.T) {
	text := `{"Name": "x", "count": 3, "ratio": 0.5, "big": 18446744073709551615, "on": true, "tags": ["a", "b"],
		"pair": [1, 2, 3], "by": {"k": {"inner": 7}}, "any": [1, 1.5, null, {"z": 1, "a": [true]}], "raw": {"b": 1, "a": 2.0},
		"nothing": null, "skipped": 1, "embedded": "e", "pointer": 4}`
	type Inner struct {
		Inner int8 `json:"inner"`
	}
	type Embedded struct {
		Inside string `json:"embedded"`
	}
	var got struct {
		Embedded
		Name    string
		Count   uint16 `json:"count"`
		Ratio   float32
		Big     uint64
		On      bool
		Tags    []string
		Pair    [2]int
		By      map[string]Inner
		Any     any             `json:"any"`
		Raw     json.RawMessage `json:"raw"`
		Nothing *int            `json:"nothing"`
		Skipped int             `json:"-"`
		Pointer *int            `json:"pointer"`
	}
	f := source(t, text)
	root, err := f.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "x" || got.Count != 3 || got.Ratio != 0.5 || got.Big != 18446744073709551615 || !got.On ||
		strings.Join(got.Tags, "") != "ab" || got.Pair != [2]int{1, 2} || got.By["k"].Inner != 7 || got.Skipped != 0 ||
		got.Inside != "e" || got.Nothing != nil || *got.Pointer != 4 || string(got.Raw) != `{"b":1,"a":2.0}` {
		t.Errorf("%+v", got)
	}
	list := got.Any.([]any)
	if list[0] != int64(1) || list[1] != 1.5 || list[2] != nil || list[3].(map[string]any)["z"] != int64(1) {
		t.Errorf("%v", list)
	}
	var wrong struct {
		By map[string]struct{ Inner bool } `json:"by"`
	}
	var mismatch *MismatchError
	if err := root.Decode(&wrong); !errors.As(err, &mismatch) || mismatch.Path != "/by/k/inner" || !errors.Is(err, ErrKind) {
		t.Errorf("%v", err)
	}
	for _, target := range []any{nil, got, (*int)(nil)} {
		if err := root.Decode(target); err == nil {
			t.Errorf("%T was filled", target)
		}
	}
	for text, target := range map[string]any{"300": new(int8), "-1": new(uint), `"a"`: new(int), "1.5": new(int), "[]": new(map[string]int), "1e300": new(float32)} {
		root, err := source(t, text).Root()
		if err != nil {
			t.Fatal(err)
		}
		if err := root.Decode(target); !errors.Is(err, ErrKind) {
			t.Errorf("%s into %T: %v", text, target, err)
		}
	}
}

func TestSharedValuesStayShared(t *testing.T) {
	// 2^60 values, if they were expanded.
	for _, name := range []string{"value-shared-doubling"} {
		f := openVector(t, name)
		if _, err := f.Load(); err != nil {
			t.Error(err)
		}
		root, err := f.Root()
		if err != nil {
			t.Fatal(err)
		}
		var all any
		if err := root.Decode(&all); err != nil {
			t.Error(err)
		}
	}
}

func TestJSONKeepsKindsAndOrder(t *testing.T) {
	for text, expected := range map[string]string{
		`{"b":1,"a":1.0,"":[-0.0,-0,1e21,1e-7,100000000000000000000.0]}`: `{"b":1,"a":1.0,"":[-0.0,-0.0,1e+21,1e-07,100000000000000000000.0]}`,
		`"\u0000\u001f\"\\\b\f\n\r\t/\u2028é😀"`:                          "\"\\u0000\\u001f\\\"\\\\\\b\\f\\n\\r\\t/\u2028é😀\"",
		`[18446744073709551615,-9223372036854775808,true,null,{},[]]`:    `[18446744073709551615,-9223372036854775808,true,null,{},[]]`,
	} {
		root, err := source(t, text).Root()
		if err != nil {
			t.Fatal(err)
		}
		var printed bytes.Buffer
		if err := root.JSON(&printed); err != nil || printed.String() != expected {
			t.Errorf("%s is printed as %s, %v", text, printed.String(), err)
		}
		if !same(parsed(t, printed.Bytes()), parsed(t, []byte(text))) {
			t.Errorf("%s goes back to other values", printed.String())
		}
	}
}

func TestObjectsMarshalAndFindKeys(t *testing.T) {
	var text strings.Builder
	text.WriteString("{")
	for i := 0; i < 40; i++ {
		if i > 0 {
			text.WriteString(",")
		}
		text.WriteString(`"` + strings.Repeat("k", i+1) + `":` + string(rune('0'+i%10)))
	}
	text.WriteString("}")
	tree, err := source(t, text.String()).Load()
	if err != nil {
		t.Fatal(err)
	}
	object := tree.(*Object)
	if v, exists := object.Get(strings.Repeat("k", 33)); v != int64(2) || !exists {
		t.Errorf("%v, %v", v, exists)
	}
	if _, exists := object.Get("no"); exists {
		t.Error("a key that is not there")
	}
	out, err := json.Marshal(map[string]any{"o": object})
	if err != nil || string(out) != `{"o":`+text.String()+`}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestIteratorsStop(t *testing.T) {
	f := openVector(t, "index-join")
	visited := 0
	if err := f.Landmarks(func(Landmark) bool { visited++; return visited < 3 }); err != nil || visited != 3 {
		t.Errorf("%d landmarks, %v", visited, err)
	}
	root, err := f.Root()
	if err != nil {
		t.Fatal(err)
	}
	visited = 0
	if err := root.Entries(func(string, Value) bool { visited++; return false }); err != nil || visited != 1 {
		t.Errorf("%d entries, %v", visited, err)
	}
	list, err := source(t, "[1,2,3]").Root()
	if err != nil {
		t.Fatal(err)
	}
	for i, exists := range []bool{true, true, true, false} {
		if _, found, err := list.Index(i); found != exists || err != nil {
			t.Errorf("item %d: %v, %v", i, found, err)
		}
	}
	if _, err := list.Text(); !errors.Is(err, ErrKind) {
		t.Errorf("the text of a list: %v", err)
	}
	if _, exists, err := list.Field("a"); exists || err != nil {
		t.Errorf("a field of a list: %v", err)
	}
}

func TestPanicsOfCallbacksAreTheirOwn(t *testing.T) {
	defer func() {
		if found := recover(); found != "mine" {
			t.Errorf("recovered %v", found)
		}
	}()
	_ = openVector(t, "index-join").Landmarks(func(Landmark) bool { panic("mine") })
}

func TestSeveralGoroutines(t *testing.T) {
	var all sync.WaitGroup
	for _, name := range []string{"index-no-tables", "index-join-no-tables", "index-blocks",
		"index-field-record", "index-edges"} {
		f := openVector(t, name)
		for i := 0; i < 8; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				_ = f.Landmarks(func(l Landmark) bool {
					key, err := l.Key()
					if err != nil {
						t.Error(err)
					}
					if _, err := f.GetAll(key); err != nil {
						t.Error(err)
					}
					if _, err := l.Dependencies(); err != nil {
						t.Error(err)
					}
					return true
				})
				if _, err := f.Load(); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	all.Wait()
}

func TestReferences(t *testing.T) {
	edge := func(text string) *edgePattern {
		r := &rule{states: make([]state, 1)}
		p := ruleParser{rule: r}
		p.begin("/*", 1)
		p.pattern()
		p.begin(text, 1)
		p.edge()
		return &r.edges[0]
	}
	for _, row := range []struct{ edge, text, expected string }{
		{"e=0/a", "x::y", "x::y"},
		{"e=0/a<::", "x::y::z", "x::y"},
		{"e=0/a<::", "xy", "xy"},
		{"e=0/a<<::", "x::y::z", "x"},
		{"e=0/a<<::", "xy", "xy"},
		{"e=0/a<{", "${a} and ${b.c[0]} $ {n} ${!x} ${} ${d", "a,b"},
		{"e=0/a<{", "${a${b}}", "a${b"},
		{"e=0/a<[", "a[0]", "a[0]"},
	} {
		var found []string
		edge(row.edge).references(row.text, func(name string) { found = append(found, name) })
		if got := strings.Join(found, ","); got != row.expected {
			t.Errorf("%s of %q: %q, expected %q", row.edge, row.text, got, row.expected)
		}
	}
}

func TestWithoutInstances(t *testing.T) {
	for key, expected := range map[string]string{
		`module.a[0].b.c["x"]`: "module.a.b.c",
		`a["x\"]"].b[12]`:      "a.b",
		`a[x].b[]`:             "a[x].b[]",
		`a["x`:                 `a["x`,
		`m[[0]0].r`:            "m[0].r",
		`a[0`:                  "a[0",
	} {
		if got := string(withoutInstances(nil, []byte(key))); got != expected {
			t.Errorf("%q: %q, expected %q", key, got, expected)
		}
	}
}

func TestRulesThatAreNotWellFormed(t *testing.T) {
	read := func(patterns, edges []string) error {
		f := &File{header: Header{Patterns: patterns, Edges: edges}}
		return f.run(func() { f.readRule() })
	}
	for _, pattern := range []string{"", "a", "/*x", "(/*)*", "/a(/b)*", "/a[", "/a[]", "/a[b", "/a[b]c",
		"/a[{b}]", "/a[(b)]", "/a[{b|x}]",
		"/a[{b=}]", "/a[{b/}]", "/{a}", "/a~2", "/a~", "/a[b//c]", "()*/a", "(/a)/b", "/a[()]", "/a]", "/a[x/y{z}]"} {
		if err := read([]string{pattern}, nil); !strings.HasPrefix(said(err), "LMK-") {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	for _, pattern := range []string{"/", "/a", "[a]", "(/*)*[k]", "/a(/b/*)*/c", "/a[b/c]", "/a[{b}{c}]",
		"/a[({b}.){c/d|json}]", "/a[~[{b|json}~]]", "/~0~1~*"} {
		if err := read([]string{pattern}, nil); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	for _, edge := range []string{"", "e", "e=0", "e=1/a", "e=00/a", "e=0/a<", "E=0/a", "=0/a", "0=0/a",
		"e=0/a<<", "e=0/a<{x", "e=0/a<[x", "e=0/{a", "e=/a"} {
		if err := read([]string{"/a"}, []string{edge}); !strings.HasPrefix(said(err), "LMK-") {
			t.Errorf("%q: %v", edge, err)
		}
	}
	for _, edge := range []string{"e=0/a", "e-1=0(/*)*/{#ref}", "e=0/{}", "e=0/a<::", "e=0/a<<.", "e=0/a<{", "e=0/a<["} {
		if err := read([]string{"/a"}, []string{edge}); err != nil {
			t.Errorf("%q: %v", edge, err)
		}
	}
	if err := read([]string{strings.Repeat("/a", 64)}, nil); err != nil {
		t.Error(err)
	}
	if err := read([]string{strings.Repeat("/a", 64)}, []string{"e=0/a"}); !strings.HasPrefix(said(err), "LMK-") {
		t.Error(err)
	}
	if err := read([]string{"/a[" + strings.Repeat("{b}", 33) + "]"}, nil); !strings.HasPrefix(said(err), "LIM-COUNT") {
		t.Error(err)
	}
}

// FuzzOpen's seeds run with each test; this makes sure that each vector, cut anywhere, only fails.
func TestVectorsCutShort(t *testing.T) {
	for i, v := range vectors(t, "good") {
		if len(v.bytes) > 2_000 || testing.Short() && i%10 > 0 {
			continue
		}
		for end := 0; end < len(v.bytes); end += 7 {
			useAll(t, v.bytes[:end])
			useAll(t, repaired(append(append([]byte(nil), v.bytes[:end]...), v.bytes[len(v.bytes)-trailerSize:]...)))
		}
	}
}
