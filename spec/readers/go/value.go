package coconut

import (
	"fmt"
	"io"
)

// Kind is one of the kinds of §4.1.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Integer
	Float
	String
	List
	ObjectKind
)

func (k Kind) String() string {
	return [...]string{"null", "bool", "integer", "float", "string", "list", "object"}[k]
}

// Value is a value of a file. Nothing of it is read before it is asked for, so what is asked twice
// is read twice: Load or Decode a value that is used often.
type Value struct {
	f            *File
	at, end      int // where it begins; the end of its part
	bound, depth int
	isInteger    bool
	shape        *shape // of a nested object, whose values begin here
	inMemory     bool
	tree         any
}

func (v Value) cursor() cursor { return v.f.cursor(v.at, v.end) }

func (v Value) inner(at int) Value {
	return Value{f: v.f, at: at, end: v.end, bound: v.bound, depth: v.depth + 1}
}

// opened is the front of a value: what it is, and a cursor at what is inside.
type opened struct {
	Value  // the value, or that to which its reference leads
	kind   Kind
	token  token
	count  int
	cursor cursor
	isMap  bool // entries of §4.6
}

// open reads the front of a value (§4.2 to §4.6).
func (v Value) open() opened {
	o := opened{Value: v}
	if v.inMemory {
		o.kind = kindOf(v.tree)
		switch tree := v.tree.(type) {
		case []any:
			o.count = len(tree)
		case *Object:
			o.count = tree.Len()
		}
		return o
	}
	o.cursor = v.cursor()
	if v.shape != nil {
		o.kind, o.count = ObjectKind, len(v.shape.slots)
		return o
	}
	o.token = o.cursor.next()
	t := o.token
	switch t.form {
	case formTrue, formFalse:
		o.kind = Bool
	case formUint:
		o.kind = String
		if v.isInteger || v.f.plain {
			o.kind = Integer
		}
	case formNegative:
		if !v.isInteger && !v.f.plain {
			return v.follow(t)
		}
		o.kind = Integer
	case formFloat:
		o.kind = Float
	case formString:
		o.kind = String
	case formExt:
		check(!v.f.plain, "MSG-EXT", t.start, "unexpected msgpack extension type")
		o.kind = Integer
	case formArray, formMap:
		o.openArray()
	case formBin:
		check(false, "MSG-TYPE", t.start, "a byte string is no value")
	}
	return o
}

// kindOf is the kind of a loaded value.
func kindOf(tree any) Kind {
	switch tree.(type) {
	case nil:
		return Null
	case []any:
		return List
	case *Object:
		return ObjectKind
	case bool:
		return Bool
	case float64:
		return Float
	case string:
		return String
	}
	return Integer
}

// follow goes to the shared value that a reference names.
func (v Value) follow(t token) opened {
	id := ^t.n
	if id >= uint64(v.bound) {
		fail("SHR-RANGE", t.start, "shared value id %d out of range (must be below %d)", id, v.bound)
	}
	c := v.f.item(partShared, int(id))
	target := Value{f: v.f, at: c.pos, end: c.end, bound: int(id), depth: v.depth}
	ahead := c
	check(ahead.next().form == formArray, "VAL-FORM", c.pos, "a shared value is a list or an object")
	return target.open()
}

func (o *opened) openArray() {
	t := o.token
	o.kind, o.count = List, int(t.n)
	if o.f.plain {
		if t.form == formMap {
			o.kind, o.isMap = ObjectKind, true
		}
	} else {
		check(t.form == formArray, "MSG-TYPE", t.start, "a map is no value")
		if t.n > 0 {
			o.openForm()
		}
	}
	levels := 1
	if o.shape != nil {
		levels = o.shape.levels
	}
	checkDepth(o.depth+levels, t.start)
}

func (o *opened) openForm() {
	t := o.token
	first := o.cursor.next()
	o.count--
	switch first.form {
	case formNil:
	case formFalse:
		check(t.n%2 == 1, "VAL-FORM", t.start, "an object with a key without value")
		o.kind, o.isMap, o.count = ObjectKind, true, o.count/2
	case formUint:
		d := decoder{f: o.f}
		o.shape = d.shape(first)
		if o.shape.width != t.n-1 {
			fail("SHP-ARITY", t.start, "the shape has %d values, the record %d", o.shape.width, t.n-1)
		}
		o.kind, o.count = ObjectKind, len(o.shape.slots)
	default:
		fail("VAL-FORM", t.start, "an array that begins with neither nil, false nor a shape")
	}
}

// key is one of an object, whose text may not be checked yet.
type key struct {
	name  string
	bytes []byte
	at    int // of the bytes
	isRaw bool
}

func (k key) is(name string) bool {
	if k.isRaw {
		return string(k.bytes) == name
	}
	return k.name == name
}

func (k key) text() string {
	if k.isRaw {
		return text(k.bytes, k.at)
	}
	return k.name
}

func (c *cursor) key() key {
	t := c.next()
	k := key{isRaw: true}
	if t.form == formUint && !c.f.plain {
		k.bytes, k.at = c.f.stringBytes(t.n, t.start)
	} else {
		check(t.form == formString, "MSG-TYPE", t.start, "a key is no string")
		k.bytes, k.at = t.bytes(c.f.data), t.end-int(t.n)
	}
	check(len(k.bytes) <= maxKey, "LIM-STRING", t.start, "a key of more than 65536 bytes")
	return k
}

// each visits what is inside, until visit returns false. Items have no key.
func (o opened) each(visit func(k key, v Value) bool) {
	c := o.cursor
	for i := 0; i < o.count; i++ {
		var k key
		var inner Value
		width := uint64(1)
		switch {
		case o.inMemory:
			if object, isObject := o.tree.(*Object); isObject {
				k.name, inner.tree = object.Entry(i)
			} else {
				inner.tree = o.tree.([]any)[i]
			}
			inner.f, inner.inMemory = o.f, true
		case o.shape != nil:
			k.name = o.shape.keys.names[i]
			inner, width = o.slot(i, c.pos)
		default:
			if o.isMap {
				k = c.key()
			}
			inner = o.inner(c.pos)
		}
		if !visit(k, inner) {
			return
		}
		if !o.inMemory && i < o.count-1 {
			c.skip(width)
		}
	}
}

// slot is a value of a record, and how many values of msgpack it has.
func (o opened) slot(i, at int) (Value, uint64) {
	slot := &o.shape.slots[i]
	inner := o.inner(at)
	switch slot.kind {
	case slotConstant:
		return Value{f: o.f, at: at, inMemory: true, tree: slot.constant}, 0
	case slotNested:
		inner.shape = slot.shape
		return inner, slot.shape.width
	case slotInteger:
		inner.isInteger = true
	}
	return inner, 1
}

// field finds an entry of an object. Of equal keys it takes the first.
func (v Value) field(name string) (found Value, exists bool) {
	o := v.open()
	if o.kind != ObjectKind {
		return Value{}, false
	}
	o.each(func(k key, inner Value) bool {
		if k.is(name) {
			found, exists = inner, true
		}
		return !exists
	})
	return found, exists
}

// load makes a tree.
func (v Value) load(d *decoder) (any, size) {
	if v.inMemory {
		return v.tree, size{}
	}
	c := v.cursor()
	if v.shape != nil {
		return d.record(&c, v.shape, v.bound, v.depth+1, v.at)
	}
	return d.any(&c, v.bound, v.isInteger, v.depth)
}

func (v Value) run(do func()) error {
	if v.f == nil {
		return ErrNotFound
	}
	return v.f.run(do)
}

// Kind says what the value is.
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

// budget compares with the limits of streaming, §9.2 and §9.3.
func (s size) budget(at int) {
	if s.nodes > maxNodes {
		fail("LIM-NODES", at, "expands to %d values, the limit is %d", s.nodes, maxNodes)
	}
	if s.bytes > maxBytes {
		fail("LIM-BYTES", at, "expands to %d bytes, the limit is %d", s.bytes, uint64(maxBytes))
	}
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

func (f *File) root() Value {
	if f.envelope.isJSON {
		return Value{f: f, at: f.envelope.end, inMemory: true, tree: f.source.get(f.readSource)}
	}
	shared := 0
	if !f.plain {
		shared = f.element(partShared).count
	}
	return Value{f: f, at: f.parts[partRoot].offset, end: f.parts[partRoot].end, bound: shared}
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

// Header is what the header says, and empty in a file in encoding +json.
func (f *File) Header() Header { return f.header }

// DocumentType is that of the envelope.
func (f *File) DocumentType() string { return f.envelope.documentType }

// IsSource says whether the file is in encoding +json: text, without landmarks.
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
