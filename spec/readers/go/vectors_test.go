package coconut

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// The vectors, `spec/vectors/README.md`. COCONUT_VECTORS names another folder.

type note struct{ key, value string }

type vector struct {
	name  string
	notes []note
	bytes []byte
	json  []byte
}

func vectors(t testing.TB, folder string) (all []vector) {
	t.Helper()
	root := os.Getenv("COCONUT_VECTORS")
	if root == "" {
		root = "../../vectors"
	}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.hex"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s", filepath.Join(root, folder))
	}
	sort.Strings(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v := parseVector(t, string(text))
		v.name = strings.TrimSuffix(filepath.Base(file), ".hex")
		v.json, _ = os.ReadFile(strings.TrimSuffix(file, "hex") + "json")
		all = append(all, v)
	}
	return all
}

func parseVector(t testing.TB, text string) (v vector) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#!") {
			line = strings.TrimPrefix(line[2:], " ")
			// The key ends at the first colon that a space follows or that ends the line.
			at := strings.Index(line, ": ")
			if at < 0 {
				at = len(line) - 1
			}
			v.notes = append(v.notes, note{line[:at], strings.TrimPrefix(line[at+1:], " ")})
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		for _, pair := range strings.Fields(line) {
			for ; len(pair) >= 2; pair = pair[2:] {
				number, err := strconv.ParseUint(pair[:2], 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				v.bytes = append(v.bytes, byte(number))
			}
		}
	}
	return v
}

// parsed reads the JSON beside a vector.
func parsed(t testing.TB, text []byte) any {
	t.Helper()
	f := &File{data: append([]byte("application/vnd.coconut+json; document-type=document; version=1\n\n"), text...)}
	if err := f.run(f.open); err != nil {
		t.Fatal(err)
	}
	tree, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// same is the comparison of §4.1.
func same(a, b any) bool {
	switch a := a.(type) {
	case *Object:
		other, isObject := b.(*Object)
		if !isObject || a.Len() != other.Len() {
			return false
		}
		for i := 0; i < a.Len(); i++ {
			key, value := a.Entry(i)
			otherKey, otherValue := other.Entry(i)
			if key != otherKey || !same(value, otherValue) {
				return false
			}
		}
		return true
	case []any:
		other, isList := b.([]any)
		if !isList || len(a) != len(other) {
			return false
		}
		for i := range a {
			if !same(a[i], other[i]) {
				return false
			}
		}
		return true
	case float64:
		other, isFloat := b.(float64)
		return isFloat && math.Float64bits(a) == math.Float64bits(other)
	}
	return a == b
}

func pointer(t testing.TB, tree any, path string) any {
	t.Helper()
	if path == "" {
		return tree
	}
	for _, step := range strings.Split(path[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch inner := tree.(type) {
		case *Object:
			value, exists := inner.Get(step)
			if !exists {
				t.Fatalf("no %q", step)
			}
			tree = value
		case []any:
			at, err := strconv.Atoi(step)
			if err != nil {
				t.Fatal(err)
			}
			tree = inner[at]
		}
	}
	return tree
}

func said(err error) string {
	var e *Error
	switch {
	case err == nil:
		return "accepted"
	case errors.As(err, &e):
		return fmt.Sprintf("%s @ %d", e.Kind, e.Offset)
	}
	return err.Error()
}

func TestGoodVectors(t *testing.T) {
	for _, v := range vectors(t, "good") {
		v := v
		t.Run(v.name, func(t *testing.T) { checkGood(t, v) })
	}
}

func checkGood(t *testing.T, v vector) {
	f, err := OpenBytes(v.bytes)
	if err != nil {
		t.Fatal(err)
	}
	expected := parsed(t, v.json)
	tree, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	if !same(tree, expected) {
		t.Error("the document differs")
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	root, err := f.Root()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := root.JSON(&text); err != nil {
		t.Logf("not printed: %v", err)
	} else if !same(parsed(t, text.Bytes()), expected) {
		t.Error("the printed text differs")
	}
	checkLazy(t, root, expected, 0)
	gets := map[string][]string{}
	for _, n := range v.notes {
		kind, key, _ := strings.Cut(n.key, " ")
		switch kind {
		case "get":
			gets[key] = append(gets[key], n.value)
		case "absent":
			found, err := f.GetAll(n.value)
			if err != nil || len(found) > 0 {
				t.Errorf("absent %q: %v, %v", n.value, found, err)
			}
		case "class", "deps", "rdeps", "children":
			checkRelation(t, f, kind, key, n.value)
		}
	}
	for key, pointers := range gets {
		found, err := f.GetAll(key)
		if err != nil || len(found) != len(pointers) {
			t.Errorf("get %q: %d found, %d expected, %v", key, len(found), len(pointers), err)
			continue
		}
		for i, l := range found {
			value, err := l.Value()
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := value.Load()
			if err != nil || !same(loaded, pointer(t, expected, pointers[i])) {
				t.Errorf("get %q differs from %q: %v", key, pointers[i], err)
			}
			if full, err := l.Key(); full != key {
				t.Errorf("the key of %q is %q: %v", key, full, err)
			}
		}
	}
	if _, err := f.Verify(); err != nil {
		t.Error(err)
	}
}

func checkRelation(t *testing.T, f *File, kind, key, expected string) {
	found, err := f.GetAll(key)
	if err != nil || len(found) == 0 {
		t.Errorf("%s %q: %v", kind, key, err)
		return
	}
	name := func(l Landmark) string {
		key, err := l.Key()
		if err != nil {
			t.Error(err)
		}
		return key
	}
	var said []string
	switch kind {
	case "class":
		class, err := found[0].Class()
		if err != nil {
			t.Error(err)
		}
		said = append(said, strconv.Itoa(class))
	case "children":
		err = found[0].Children(func(child Landmark) bool {
			said = append(said, name(child))
			return true
		})
	default:
		edges, fault := found[0].Dependencies()
		if kind == "rdeps" {
			edges, fault = found[0].Dependents()
		}
		err = fault
		for _, e := range edges {
			said = append(said, name(e.Landmark)+" "+e.Kind)
		}
	}
	if got := strings.Join(said, ", "); got != expected || err != nil {
		t.Errorf("%s %q: %q, expected %q, %v", kind, key, got, expected, err)
	}
}

// checkLazy reads a value by its accessors.
func checkLazy(t *testing.T, v Value, expected any, level int) {
	t.Helper()
	kind, err := v.Kind()
	if err != nil || kind != kindOf(expected) {
		t.Errorf("kind %v, expected %v, %v", kind, kindOf(expected), err)
		return
	}
	if level > 6 {
		return
	}
	switch expected := expected.(type) {
	case []any:
		i := 0
		err = v.Items(func(item Value) bool {
			checkLazy(t, item, expected[i], level+1)
			i++
			return i < 100
		})
	case *Object:
		i := 0
		err = v.Entries(func(key string, inner Value) bool {
			name, value := expected.Entry(i)
			if key != name {
				t.Errorf("key %q, expected %q", key, name)
			}
			checkLazy(t, inner, value, level+1)
			if field, exists, err := v.Field(key); err != nil || !exists || field.at != inner.at {
				t.Errorf("field %q: %v", key, err)
			}
			i++
			return i < 100
		})
	case string:
		var text string
		if text, err = v.Text(); text != expected {
			t.Errorf("text %q, expected %q", text, expected)
		}
	case int64:
		var number int64
		if number, err = v.Int64(); number != expected {
			t.Errorf("%d, expected %d", number, expected)
		}
	case uint64:
		var number uint64
		if number, err = v.Uint64(); number != expected {
			t.Errorf("%d, expected %d", number, expected)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func TestBadVectors(t *testing.T) {
	for _, v := range vectors(t, "bad") {
		v := v
		t.Run(v.name, func(t *testing.T) { checkBad(t, v) })
	}
}

func checkBad(t *testing.T, v vector) {
	expected := map[string]string{"open": "accepted", "decode": "accepted", "verify": "accepted"}
	for _, n := range v.notes {
		expected[n.key] = n.value
	}
	f, err := OpenBytes(v.bytes)
	if got := said(err); got != expected["open"] {
		t.Fatalf("open: %s, expected %s", got, expected["open"])
	}
	if err != nil {
		return
	}
	if got := said(f.Check()); got != expected["decode"] {
		t.Errorf("decode: %s, expected %s", got, expected["decode"])
	}
	_, err = f.Load()
	// A tree may be larger than the document is here (§9.4).
	if got := said(err); got != expected["decode"] && !strings.HasPrefix(got, "LIM-NODES") {
		t.Errorf("load: %s, expected %s", got, expected["decode"])
	}
	_, err = f.Verify()
	if got := said(err); got != expected["verify"] {
		t.Errorf("verify: %s, expected %s", got, expected["verify"])
	}
	for _, n := range v.notes {
		kind, key, _ := strings.Cut(n.key, " ")
		switch kind {
		case "get", "children", "deps", "rdeps":
			// Opened again, so that nothing is known of the file yet.
			f, err := OpenBytes(v.bytes)
			if err != nil {
				t.Fatal(err)
			}
			if got := said(touch(f, kind, key)); got != n.value {
				t.Errorf("%s: %s, expected %s", n.key, got, n.value)
			}
		}
	}
}

func touch(f *File, kind, key string) error {
	found, err := f.GetAll(key)
	for _, l := range found {
		if err != nil {
			return err
		}
		switch kind {
		case "get":
			var value Value
			if value, err = l.Value(); err == nil {
				_, err = value.Load()
			}
		case "children":
			err = l.Children(func(Landmark) bool { return true })
		case "deps":
			_, err = l.Dependencies()
		default:
			_, err = l.Dependents()
		}
	}
	return err
}
