package coconut

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
		check(false, "MSG-TYPE", t.start, "a byte string is not a value")
	}
	return o
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
		check(t.form == formArray, "MSG-TYPE", t.start, "a map is not a value")
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
		check(o.shape.width == t.n-1, "SHP-ARITY", t.start, "the shape and the record have different numbers of values")
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
		check(t.form == formString, "MSG-TYPE", t.start, "a key is not a string")
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

func (f *File) root() Value {
	if f.envelope.isJSON {
		return Value{f: f, at: f.envelope.end, inMemory: true, tree: f.source.get(f.readSource)}
	}
	shared := 0
	if !f.plain {
		shared = f.element(partShared).count
	}
	return Value{f: f, at: f.part(partRoot).offset, end: f.part(partRoot).end, bound: shared}
}
