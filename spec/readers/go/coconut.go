// Package coconut reads Coconut files: one value without the rest, whole documents, full verification.
// See README.md, and `spec/` for the format.
package coconut

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// What programs call.

// NeedsNewer reports whether a later version of this reader may read the file.
func (e *Error) NeedsNewer() bool {
	switch e.Kind {
	case "ENV-NEWER", "TRL-NEWER", "PRT-NEWER", "PRT-CRITICAL", "HDR-REQUIRES":
		return true
	}
	return false
}

var (
	// ErrNotFound is returned by a lookup that finds no landmark.
	ErrNotFound = errors.New("no landmark has this key")
	// ErrAmbiguous is returned by Get if several landmarks have the key.
	ErrAmbiguous = errors.New("several landmarks have this key; use GetAll")
	// ErrKind is returned by accessors of a value of another kind.
	ErrKind = errors.New("the value is of another kind")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the file is closed")
	// ErrChanged is returned if a mapped file was cut short while it was read.
	ErrChanged = errors.New("the mapped file was changed while it was read")
)

// OpenBytes opens a file in memory. The bytes must not change while it is used.
func OpenBytes(data []byte) (*File, error) {
	f := &File{data: data}
	if err := f.run(f.open); err != nil {
		return nil, err
	}
	return f, nil
}

func (k Kind) String() string {
	return [...]string{"null", "bool", "integer", "float", "string", "list", "object"}[k]
}

func (v Value) run(do func()) error {
	if v.f == nil {
		return ErrNotFound
	}
	return v.f.run(do)
}

// Kind returns the kind of the value.
func (v Value) Kind() (kind Kind, err error) {
	err = v.run(func() { kind = v.open().kind })
	return
}

// Load reads the value into a tree of nil, bool, int64 (uint64 beyond it), float64, string, []any
// and *Object. What is shared in the file is shared in the tree.
func (v Value) Load() (tree any, err error) {
	err = v.run(func() { tree, _ = v.load(&decoder{f: v.f, build: true}) })
	return
}

// JSON writes the value as JSON text without white space.
func (v Value) JSON(to io.Writer) error {
	var tree any
	err := v.run(func() {
		var all size
		tree, all = v.load(&decoder{f: v.f, build: true, measure: true})
		all.budget(v.at)
	})
	if err != nil {
		return err
	}
	return WriteJSON(to, tree)
}

func (v Value) scalar(kinds ...Kind) (tree any, err error) {
	err = v.run(func() {
		found := v.open().kind
		for _, kind := range kinds {
			if kind == found {
				tree, _ = v.load(&decoder{f: v.f, build: true})
				return
			}
		}
		panic(halt{fmt.Errorf("%w: it is a %s", ErrKind, found)})
	})
	return
}

// Bool returns a bool.
func (v Value) Bool() (bool, error) {
	tree, err := v.scalar(Bool)
	found, _ := tree.(bool)
	return found, err
}

// Text returns a string.
func (v Value) Text() (string, error) {
	tree, err := v.scalar(String)
	found, _ := tree.(string)
	return found, err
}

// Int64 returns an integer that is in range.
func (v Value) Int64() (int64, error) {
	tree, err := v.scalar(Integer)
	found, isInt := tree.(int64)
	if err == nil && !isInt {
		err = fmt.Errorf("%w: it is beyond int64", ErrKind)
	}
	return found, err
}

// Uint64 returns an integer that is not negative.
func (v Value) Uint64() (uint64, error) {
	tree, err := v.scalar(Integer)
	if found, isInt := tree.(int64); isInt && found >= 0 {
		return uint64(found), err
	}
	found, isUint := tree.(uint64)
	if err == nil && !isUint {
		err = fmt.Errorf("%w: it is negative", ErrKind)
	}
	return found, err
}

// Float64 returns a float.
func (v Value) Float64() (float64, error) {
	tree, err := v.scalar(Float)
	found, _ := tree.(float64)
	return found, err
}

// Len is the number of items or entries, and 0 for other values.
func (v Value) Len() (count int, err error) {
	err = v.run(func() { count = v.open().count })
	return
}

// Field returns the entry of an object; exists is false if there is none, or if this is no object.
func (v Value) Field(name string) (found Value, exists bool, err error) {
	err = v.run(func() { found, exists = v.field(name) })
	return
}

// Index returns an item of a list.
func (v Value) Index(i int) (found Value, exists bool, err error) {
	at := 0
	err = v.Items(func(item Value) bool {
		found, exists = item, at == i
		at++
		return !exists
	})
	return
}

// Items visits the items of a list, until visit returns false.
func (v Value) Items(visit func(item Value) bool) error {
	return v.run(func() {
		if o := v.open(); o.kind == List {
			o.each(func(_ key, item Value) bool { return visit(item) })
		}
	})
}

// Entries visits the entries of an object in their order, until visit returns false.
func (v Value) Entries(visit func(key string, value Value) bool) error {
	return v.run(func() {
		if o := v.open(); o.kind == ObjectKind {
			o.each(func(k key, value Value) bool { return visit(k.text(), value) })
		}
	})
}

// Root is the document.
func (f *File) Root() (root Value, err error) {
	err = f.run(func() { root = f.root() })
	return
}

// Load reads the whole document into a tree, as Value.Load does, and checks all of it (§10.4).
func (f *File) Load() (tree any, err error) {
	err = f.run(func() {
		if f.envelope.isJSON {
			tree = f.root().tree
		} else {
			tree, _ = (&decoder{f: f, build: true}).document()
		}
	})
	return
}

// Check reads the whole document as Load does, and keeps nothing: level decode of §10.1.
func (f *File) Check() error {
	return f.run(func() {
		if f.envelope.isJSON {
			f.root()
		} else {
			(&decoder{f: f}).document()
		}
	})
}

// Header returns the content of the header. Values, Depth and Landmarks are claims, which Verify compares.
type Header struct {
	DocumentType, Profile, Producer, Dialect string
	Requires, RequiresWrite, Optional        []string
	Values, Depth, Landmarks                 uint64
	Digest                                   [32]byte
	Source                                   *Source
	// Patterns, Join and Edges are the landmark rule (§8.1).
	Patterns, Edges []string
	Join            string
	HasJoin         bool

	version uint64
	places  map[string]int   // of the values
	items   map[string][]int // places of what is in a list
}

// Source describes the text that the file was compiled from.
type Source struct {
	Format string
	Bytes  uint64
	SHA256 [32]byte
}

// Header returns the content of the header. It is empty for a file in encoding +json.
func (f *File) Header() Header { return f.header }

// DocumentType is that of the envelope.
func (f *File) DocumentType() string { return f.envelope.documentType }

// IsSource reports whether the file is in encoding +json: text, without landmarks.
func (f *File) IsSource() bool { return f.envelope.isJSON }

// Parameters are those of the envelope.
func (f *File) Parameters() []Parameter { return append([]Parameter(nil), f.envelope.parameters...) }

// Close ends the use of a file, and of all values of it.
func (f *File) Close() error {
	if f.closed.Swap(true) || f.unmap == nil {
		return nil
	}
	return f.unmap(f.data)
}

// Edge leads to a landmark, or comes from it.
type Edge struct {
	Landmark Landmark
	// Kind is the name of the edge pattern, Number its number.
	Kind   string
	Number int
}

// Landmark is a value that can be looked up (§8).
type Landmark struct {
	f *File
	// Ordinal numbers landmarks from 0, in document order.
	Ordinal int
}

func (l Landmark) run(do func(x *index)) error {
	if l.f == nil {
		return ErrNotFound
	}
	return l.f.run(func() {
		x := l.f.index()
		if l.Ordinal < 0 || l.Ordinal >= x.count {
			panic(halt{ErrNotFound})
		}
		do(&x)
	})
}

// Get returns the value of the landmark with this full key: ErrNotFound if there is none,
// ErrAmbiguous if there are several.
func (f *File) Get(key string) (v Value, err error) {
	found, err := f.GetAll(key)
	switch {
	case err != nil:
		return Value{}, err
	case len(found) == 0:
		return Value{}, ErrNotFound
	case len(found) > 1:
		return Value{}, ErrAmbiguous
	}
	return found[0].Value()
}

// GetAll returns all landmarks with this full key, in document order.
func (f *File) GetAll(key string) (all []Landmark, err error) {
	err = f.run(func() {
		x := f.index()
		for _, ordinal := range x.find(key) {
			all = append(all, Landmark{f, ordinal})
		}
	})
	return
}

// GetInClass returns those of GetAll that a pattern of the rule makes, by its number.
func (f *File) GetInClass(class int, key string) (all []Landmark, err error) {
	err = f.run(func() {
		x := f.index()
		for _, ordinal := range x.find(key) {
			if x.class(ordinal) == class {
				all = append(all, Landmark{f, ordinal})
			}
		}
	})
	return
}

// Count is the number of landmarks.
func (f *File) Count() (count int, err error) {
	err = f.run(func() { count = f.index().count })
	return
}

// Landmarks visits all landmarks in document order, until visit returns false.
func (f *File) Landmarks(visit func(l Landmark) bool) error {
	return f.run(func() {
		for ordinal, count := 0, f.index().count; ordinal < count && visit(Landmark{f, ordinal}); ordinal++ {
		}
	})
}

// CheckAbsent reads all keys. It refuses a file whose key index lacks this one.
func (f *File) CheckAbsent(key string) error {
	return f.run(func() {
		x := f.index()
		search := finder{index: &x, key: key}
		for ordinal := 0; x.has(partSlots) && ordinal < x.count; ordinal++ {
			check(!search.is(ordinal, x.place(ordinal)), "IDX-DIFFERS", f.part(partSlots).offset, "no slot has this key")
		}
	})
}

// Dependencies returns the edges of the only landmark with this key.
func (f *File) Dependencies(key string) ([]Edge, error) { return f.edgesOf(key, partStarts) }

// Dependents returns the edges that lead to the only landmark with this key.
func (f *File) Dependents(key string) ([]Edge, error) { return f.edgesOf(key, partBackStarts) }

func (f *File) edgesOf(key string, part int) (edges []Edge, err error) {
	err = f.run(func() {
		x := f.index()
		switch found := x.find(key); len(found) {
		case 0:
			panic(halt{ErrNotFound})
		case 1:
			edges = x.edges(found[0], part)
		default:
			panic(halt{ErrAmbiguous})
		}
	})
	return
}

// Value is what was looked up.
func (l Landmark) Value() (v Value, err error) {
	err = l.run(func(x *index) { v, _, _ = x.value(l.Ordinal) })
	return
}

// Key is the full key.
func (l Landmark) Key() (full string, err error) {
	err = l.run(func(x *index) { full = x.fullKey(l.Ordinal) })
	return
}

// OwnKey is the key without those of the landmarks around.
func (l Landmark) OwnKey() (own string, err error) {
	err = l.run(func(x *index) { own = x.ownKey(l.Ordinal, x.place(l.Ordinal)) })
	return
}

// Class is the number of the pattern.
func (l Landmark) Class() (class int, err error) {
	err = l.run(func(x *index) { class = x.class(l.Ordinal) })
	return
}

// Parent is the innermost landmark around this one; exists is false if there is none.
func (l Landmark) Parent() (parent Landmark, exists bool, err error) {
	err = l.run(func(x *index) {
		ordinal := x.parent(l.Ordinal)
		parent, exists = Landmark{l.f, ordinal}, ordinal >= 0
	})
	return
}

// Children visits the landmarks whose parent this one is, until visit returns false.
func (l Landmark) Children(visit func(child Landmark) bool) error {
	return l.run(func(x *index) {
		_, end, _ := x.tree(l.Ordinal)
		for child := l.Ordinal + 1; child < end && visit(Landmark{l.f, child}); {
			_, child, _ = x.tree(child)
		}
	})
}

// Dependencies returns the edges of this landmark, by target and then by kind.
func (l Landmark) Dependencies() (edges []Edge, err error) {
	err = l.run(func(x *index) { edges = x.edges(l.Ordinal, partStarts) })
	return
}

// Dependents returns the edges that lead to this landmark.
func (l Landmark) Dependents() (edges []Edge, err error) {
	err = l.run(func(x *index) { edges = x.edges(l.Ordinal, partBackStarts) })
	return
}

// Parameter is one of the envelope.
type Parameter struct {
	Name, Value string
	at          int // where the value begins
	hasEscape   bool
}

func (x *index) fullKey(ordinal int) string {
	parts := x.keyParts(ordinal, x.place(ordinal))
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, "")
}
