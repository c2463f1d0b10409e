package coconut

import (
	"math"
	"math/bits"
)

// §4, §6.2, §9.2 and §10.4: whole values, loaded into trees that keep what is shared.

// Limits of §9.
const (
	maxNodes = 268_435_456
	maxBytes = 16 << 30
	maxHeld  = 67_108_864
)

// finish adds what the nested shapes make of a shape.
func (s *shape) finish(shapeOf func(int) *shape) {
	s.levels = 1
	s.fixed = size{1, 2, 1}
	for i := range s.slots {
		slot := &s.slots[i]
		s.fixed.bytes += jsonLength(s.keys.names[i]) + 2
		switch slot.kind {
		case slotConstant:
			s.fixed.add(scalarSize(slot.constant, true))
			continue
		case slotNested:
			slot.shape = shapeOf(slot.nested)
			s.width = saturated(bits.Add64(s.width, slot.shape.width, 0))
			if slot.shape.levels >= s.levels {
				s.levels = slot.shape.levels + 1
			}
			if slot.shape.width == 0 {
				s.fixed.add(slot.shape.fixed)
				continue
			}
		default:
			s.width = saturated(bits.Add64(s.width, 1, 0))
		}
		s.own = append(s.own, i)
	}
	if len(s.slots) > 0 {
		s.fixed.bytes--
	}
	if s.levels > maxDepth+1 {
		s.levels = maxDepth + 1
	}
}

// size is what a value expands to (§9.1 to §9.3).
type size struct {
	nodes, bytes uint64
	depth        int
}

// add takes up a value that is inside.
func (s *size) add(inner size) {
	if s.nodes += inner.nodes; s.nodes < inner.nodes {
		s.nodes = math.MaxUint64
	}
	if s.bytes += inner.bytes; s.bytes < inner.bytes {
		s.bytes = math.MaxUint64
	}
	if inner.depth >= s.depth {
		s.depth = inner.depth + 1
	}
}

func scalarSize(value any, withBytes bool) size {
	if !withBytes {
		return size{nodes: 1}
	}
	switch value := value.(type) {
	case string:
		return size{nodes: 1, bytes: jsonLength(value)}
	case nil:
		return size{nodes: 1, bytes: 4}
	default:
		return size{nodes: 1, bytes: uint64(len(appendScalar(nil, value)))}
	}
}

// jsonLength is the length of the JSON text of a string.
func jsonLength(text string) uint64 {
	length := uint64(len(text) + 2)
	for i := 0; i < len(text); i++ {
		length += uint64(escapes[text[i]])
	}
	return length
}

// escapes has the bytes that the escape of a character adds.
var escapes = func() (more [256]uint8) {
	for c := 0; c < 0x20; c++ {
		more[c] = 5
	}
	for _, c := range "\b\t\n\f\r\"\\" {
		more[c] = 1
	}
	return more
}()

// id is a number of one to three bytes, as most ids of strings are, or 0 bytes long. It is what next
// would find, in less time.
func (c *cursor) id() (id, length int) {
	at := c.pos
	if at+3 > c.end || at+3 > c.known {
		return 0, 0
	}
	bytes := c.f.data[at : at+3]
	switch first := bytes[0]; {
	case first < 0x80:
		return int(first), 1
	case first == 0xCC:
		return int(bytes[1]), 2
	case first == 0xCD:
		return int(bytes[1])<<8 | int(bytes[2]), 3
	}
	return 0, 0
}

// decoder reads values as level decode does (§10.4).
type decoder struct {
	f       *File
	build   bool // trees are made
	measure bool // bytes of text are counted
	strict  bool // integers must have their shortest form
	whole   bool // strings, shapes and shared values were all read
	strings []any
	shapes  []*shape
	shared  []sharedValue
	some    map[uint64]any         // strings, when not whole
	few     map[uint64]sharedValue // likewise
	nest    int
	held    int
	text    string // of shared values and root, from base on
	base    int
	room    slab[any] // for the values of objects
	texts   slab[string]
	objects slab[Object]
	sets    slab[keys]
}

type sharedValue struct {
	value any
	size  size
}

func (d *decoder) string(id uint64, at int) any {
	if d.whole || d.strings != nil {
		if id >= uint64(len(d.strings)) {
			fail("STR-RANGE", at, "string id %d out of range (the table has %d)", id, len(d.strings))
		}
		return d.strings[id]
	}
	if known, isKnown := d.some[id]; isKnown {
		return known
	}
	bytes, offset := d.f.stringBytes(id, at)
	var found any = text(bytes, offset)
	if d.some == nil {
		d.some = map[uint64]any{}
	}
	d.some[id] = found
	return found
}

func (d *decoder) shape(t token) *shape {
	count := uint64(len(d.shapes))
	if !d.whole {
		count = uint64(d.f.element(partShapes).count)
	}
	if t.n >= count {
		fail("SHP-RANGE", t.start, "shape id %d out of range (must be below %d)", t.n, count)
	}
	if d.whole {
		return d.shapes[t.n]
	}
	return d.f.shape(int(t.n))
}

func (d *decoder) sharedValue(t token, bound, depth int) (any, size) {
	id := ^t.n
	if id >= uint64(bound) {
		fail("SHR-RANGE", t.start, "shared value id %d out of range (must be below %d)", id, bound)
	}
	var found sharedValue
	if d.whole {
		found = d.shared[id]
	} else if known, isKnown := d.few[id]; isKnown {
		found = known
	} else {
		check(d.nest < maxDepth, "LIM-DEPTH", t.start, "nested deeper than 512 levels")
		c := d.f.item(partShared, int(id))
		d.nest++
		found = d.readShared(&c, int(id))
		d.nest--
		if d.few == nil {
			d.few = map[uint64]sharedValue{}
		}
		d.few[id] = found
	}
	check(depth+found.size.depth <= maxDepth, "LIM-DEPTH", t.start, "nested deeper than 512 levels")
	return found.value, found.size
}

func (d *decoder) readShared(c *cursor, id int) sharedValue {
	ahead := *c
	t := ahead.next()
	check(t.form == formArray, "VAL-FORM", t.start, "a shared value is a list or an object")
	value, size := d.value(c, id, false, 0)
	return sharedValue{value, size}
}

// value reads a value inside of depth lists and objects.
func (d *decoder) value(c *cursor, bound int, isInteger bool, depth int) (any, size) {
	if id, length := c.id(); length > 0 && !isInteger && !d.measure && id < len(d.strings) {
		c.pos += length
		return d.strings[id], size{nodes: 1}
	}
	t := c.next()
	var value any
	switch t.form {
	case formNil:
		return nil, size{1, 4, 0}
	case formTrue, formFalse:
		value = t.form == formTrue
	case formUint:
		if isInteger {
			value = unsigned(t.n)
		} else {
			value = d.string(t.n, t.start)
		}
	case formNegative:
		if !isInteger {
			return d.sharedValue(t, bound, depth)
		}
		value = int64(t.n)
	case formFloat:
		value = finite(t)
	case formString:
		check(t.n <= maxString, "LIM-STRING", t.start, "a string of more than 268435456 bytes")
		value = d.inline(t)
	case formExt:
		value = d.integer(t)
	case formArray:
		return d.array(c, t, bound, depth)
	default:
		check(false, "MSG-TYPE", t.start, "a map or a byte string is not a value")
	}
	if !d.measure {
		return value, size{nodes: 1}
	}
	return value, scalarSize(value, true)
}

// inline is a piece of one text for the whole part, where a whole document is read.
func (d *decoder) inline(t token) string {
	bytes, at := t.bytes(d.f.data), t.end-int(t.n)
	if at < d.base || t.end > d.base+len(d.text) {
		return text(bytes, at)
	}
	checkText(bytes, at)
	return d.text[at-d.base : t.end-d.base]
}

func finite(t token) float64 {
	float := math.Float64frombits(t.n)
	check(!math.IsNaN(float) && !math.IsInf(float, 0), "NUM-NONFINITE", t.start, "a float that is not finite")
	return float
}

// unsigned returns an int64, or a uint64 where the number needs it.
func unsigned(number uint64) any {
	if number <= math.MaxInt64 {
		return int64(number)
	}
	return number
}

// integer reads an extension, §4.3.
func (d *decoder) integer(t token) any {
	bytes := t.bytes(d.f.data)
	first := d.f.data[t.start]
	if first < 0xD4 || first > 0xD7 || t.ext != 1 && t.ext != 2 {
		fail("MSG-EXT", t.start, "unexpected msgpack extension type %d (%d bytes)", int8(t.ext), t.n)
	}
	number := bigEndian(bytes)
	half := uint(4 * len(bytes)) // bits of the next smaller width
	if t.ext == 1 {
		check(!d.strict || half == 4 || number>>half != 0, "MSG-NONCANON", t.start, "not the shortest form")
		return unsigned(number)
	}
	shift := 64 - 2*half
	signed := int64(number<<shift) >> shift
	check(signed < 0, "NUM-FORM", t.start, "integer extension used for a number that is not negative")
	check(!d.strict || half == 4 || signed>>(half-1) != -1, "MSG-NONCANON", t.start, "not the shortest form")
	return signed
}

func checkDepth(depth, at int) {
	check(depth <= maxDepth, "LIM-DEPTH", at, "nested deeper than 512 levels")
}

func (d *decoder) array(c *cursor, t token, bound, depth int) (any, size) {
	if t.n == 0 {
		checkDepth(depth+1, t.start)
		return []any{}, size{1, 2, 1}
	}
	first := token{start: c.pos}
	if id, length := c.id(); length > 0 {
		first.form, first.n = formUint, uint64(id)
		c.pos += length
	} else {
		first = c.next()
	}
	switch first.form {
	case formNil:
		checkDepth(depth+1, t.start)
		return d.list(c, t.n-1, func() (any, size) { return d.value(c, bound, false, depth+1) })
	case formFalse:
		check(t.n%2 == 1, "VAL-FORM", t.start, "an object with a key without value")
		checkDepth(depth+1, t.start)
		return d.object(c, t.n/2, func() (any, size) { return d.value(c, bound, false, depth+1) })
	case formUint:
		s := d.shape(first)
		check(s.width == t.n-1, "SHP-ARITY", t.start, "the shape and the record have different numbers of values")
		checkDepth(depth+s.levels, t.start)
		if d.build {
			check(s.fixed.nodes <= maxHeld, "LIM-NODES", t.start, "the record expands to too many values")
		}
		return d.record(c, s, bound, depth+1, t.start)
	}
	fail("VAL-FORM", t.start, "an array that begins with neither nil, false nor a shape")
	return nil, size{}
}

func (d *decoder) list(c *cursor, count uint64, next func() (any, size)) (any, size) {
	all := size{1, 2, 1}
	if count > 0 {
		all.bytes += count - 1
	}
	if !d.build {
		for ; count > 0; count-- {
			_, one := next()
			all.add(one)
		}
		return nil, all
	}
	d.hold(int(count), c.pos)
	items := d.room.take(int(count))
	for i := range items {
		item, one := next()
		items[i] = item
		all.add(one)
	}
	return items, all
}

func (d *decoder) object(c *cursor, count uint64, next func() (any, size)) (any, size) {
	all := size{1, 2, 1}
	if count > 0 {
		all.bytes += 2*count - 1
	}
	names := d.newNames(int(count))
	var values []any
	if d.build {
		d.hold(int(count), c.pos)
		values = d.room.take(int(count))
	}
	for i := 0; i < int(count); i++ {
		var name string
		if id, length := c.id(); length > 0 && !d.f.plain && id < len(d.strings) {
			name = names.put(d.strings[id].(string), c.pos)
			c.pos += length
		} else {
			name = names.add(d, c.next())
		}
		if d.measure {
			all.bytes += jsonLength(name)
		}
		value, one := next()
		all.add(one)
		if d.build {
			values[i] = value
		}
	}
	if !d.build {
		return nil, all
	}
	set := &d.sets.take(1)[0]
	set.names = names.list
	return d.newObject(set, values), all
}

func (d *decoder) record(c *cursor, s *shape, bound, depth, at int) (any, size) {
	all := s.fixed
	if s.width == 0 && d.build {
		return s.constantObject(d, at), all
	}
	var values []any
	if d.build {
		d.hold(len(s.slots), at)
		values = d.room.take(len(s.slots))
		if len(s.own) < len(s.slots) {
			for i := range s.slots {
				switch slot := &s.slots[i]; {
				case slot.kind == slotConstant:
					values[i] = slot.constant
				case slot.kind == slotNested && slot.shape.width == 0:
					values[i] = slot.shape.constantObject(d, at)
				}
			}
		}
	}
	for _, i := range s.own {
		slot := &s.slots[i]
		var value any
		var one size
		if slot.kind == slotNested {
			value, one = d.record(c, slot.shape, bound, depth+1, at)
		} else {
			value, one = d.value(c, bound, slot.kind == slotInteger, depth)
		}
		all.add(one)
		if values != nil {
			values[i] = value
		}
	}
	if !d.build {
		return nil, all
	}
	return d.newObject(s.keys, values), all
}

// constantObject is one object for all records of a shape without values of their own.
func (s *shape) constantObject(d *decoder, at int) *Object {
	d.f.shapes.mutex.Lock()
	known := s.empty
	d.f.shapes.mutex.Unlock()
	if known != nil {
		return known
	}
	d.hold(len(s.slots), at)
	values := make([]any, len(s.slots))
	for i := range s.slots {
		if slot := &s.slots[i]; slot.kind == slotConstant {
			values[i] = slot.constant
		} else {
			values[i] = slot.shape.constantObject(d, at)
		}
	}
	made := &Object{s.keys, values}
	d.f.shapes.mutex.Lock()
	s.empty = made
	d.f.shapes.mutex.Unlock()
	return made
}

// hold counts the values that a tree has in memory (§9.4).
func (d *decoder) hold(count, at int) {
	d.held += count
	check(d.held <= maxHeld || d.held <= len(d.f.data), "LIM-NODES", at, "a tree of too many values")
}

// slab hands out slices of larger ones, which grow with what is asked for.
type slab[T any] struct {
	rest []T
	size int
}

func (s *slab[T]) take(count int) []T {
	if count > len(s.rest) {
		if count > 256 {
			return make([]T, count)
		}
		if s.size = 4*s.size + 32; s.size > 2048 {
			s.size = 2048
		}
		if s.size < count {
			s.size = count
		}
		s.rest = make([]T, s.size)
	}
	taken := s.rest[:count:count]
	s.rest = s.rest[count:]
	return taken
}

func (d *decoder) newObject(k *keys, values []any) *Object {
	object := &d.objects.take(1)[0]
	object.keys, object.values = k, values
	return object
}

// plain reads a value of profile plain, §4.6.
func (d *decoder) plain(c *cursor, depth int) (any, size) {
	t := c.next()
	var value any
	switch t.form {
	case formNil:
		return nil, size{1, 4, 0}
	case formTrue, formFalse:
		value = t.form == formTrue
	case formUint:
		value = unsigned(t.n)
	case formNegative:
		value = int64(t.n)
	case formFloat:
		value = finite(t)
	case formString:
		check(t.n <= maxString, "LIM-STRING", t.start, "a string of more than 268435456 bytes")
		value = c.text(t)
	case formExt:
		fail("MSG-EXT", t.start, "unexpected msgpack extension type %d (%d bytes)", int8(t.ext), t.n)
	case formArray:
		checkDepth(depth+1, t.start)
		return d.list(c, t.n, func() (any, size) { return d.plain(c, depth+1) })
	case formMap:
		checkDepth(depth+1, t.start)
		return d.object(c, t.n, func() (any, size) { return d.plain(c, depth+1) })
	default:
		check(false, "MSG-TYPE", t.start, "a byte string is not a value")
	}
	if !d.measure {
		return value, size{nodes: 1}
	}
	return value, scalarSize(value, true)
}

// any reads a value of the profile of the file.
func (d *decoder) any(c *cursor, bound int, isInteger bool, depth int) (any, size) {
	if d.f.plain {
		return d.plain(c, depth)
	}
	return d.value(c, bound, isInteger, depth)
}

// document reads all elements, each shared value once.
func (d *decoder) document() (any, size) {
	f := d.f
	f.touch(f.part(partStrings).offset, f.part(partRoot).end)
	at := f.headerEnd
	for number := partStrings; number <= partRoot; number++ {
		check(f.part(number).offset == at, "MSG-TRAILING", at, "bytes before a part")
		at = f.part(number).end
	}
	ends := func(c *cursor) {
		check(c.pos >= c.end, "MSG-TRAILING", c.pos, "bytes after the end")
	}
	d.strings = make([]any, 0, f.element(partStrings).count)
	c := f.cursor(f.element(partStrings).first, f.part(partStrings).end)
	all := string(f.data[c.pos:c.end])
	first := c.pos
	for len(d.strings) < cap(d.strings) {
		bytes, at := stringItem(&c)
		checkText(bytes, at)
		d.strings = append(d.strings, all[at-first:at-first+len(bytes)])
	}
	ends(&c)
	for number := partShapes; number <= partShared && d.f.plain; number++ {
		c := f.cursor(f.element(number).first, f.part(number).end)
		c.skip(uint64(f.element(number).count))
		ends(&c)
	}
	if !d.f.plain {
		slots := 0
		c = f.cursor(f.element(partShapes).first, f.part(partShapes).end)
		for id := 0; id < f.element(partShapes).count; id++ {
			at := c.pos
			s := d.readShape(&c, id)
			slots += len(s.slots)
			check(slots <= maxSlots, "LIM-COUNT", at, "more than 268435456 slots")
			s.finish(func(id int) *shape { return d.shapes[id] })
			d.shapes = append(d.shapes, s)
		}
		ends(&c)
		d.whole = true
		if parts := f.part(partShared); d.build && parts.end == f.part(partRoot).offset {
			d.base, d.text = parts.offset, string(f.data[parts.offset:f.part(partRoot).end])
		}
		c = f.cursor(f.element(partShared).first, f.part(partShared).end)
		for id := 0; id < f.element(partShared).count; id++ {
			d.shared = append(d.shared, d.readShared(&c, id))
		}
		ends(&c)
	}
	root := f.cursor(f.part(partRoot).offset, f.part(partRoot).end)
	value, size := d.any(&root, len(d.shared), false, 0)
	ends(&root)
	return value, size
}

// load makes a tree.
func (v Value) load(d *decoder) (any, size) {
	if v.inMemory {
		return v.tree, size{}
	}
	if !d.whole && v == v.f.root() {
		// Whole documents are read without the tables, which may be wrong in a file that was never
		// verified.
		return d.document()
	}
	c := v.cursor()
	if v.shape != nil {
		return d.record(&c, v.shape, v.bound, v.depth+1, v.at)
	}
	return d.any(&c, v.bound, v.isInteger, v.depth)
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

func saturated(sum, carry uint64) uint64 {
	if carry > 0 {
		return math.MaxUint64
	}
	return sum
}

// names collects the keys of an object, and finds those that are equal.
type names struct {
	list []string
	set  map[string]struct{}
}

func (d *decoder) newNames(count int) names {
	n := names{list: d.texts.take(count)[:0]}
	if count > 32 {
		n.set = make(map[string]struct{}, count)
	}
	return n
}

func (n *names) add(d *decoder, t token) string {
	var name string
	switch {
	case t.form == formUint && !d.f.plain:
		name = d.string(t.n, t.start).(string)
	case t.form == formString:
		name = d.inline(t)
	default:
		check(false, "MSG-TYPE", t.start, "a key is not a string")
	}
	return n.put(name, t.start)
}

func (n *names) put(name string, at int) string {
	check(len(name) <= maxKey, "LIM-STRING", at, "a key of more than 65536 bytes")
	if n.set != nil {
		n.set[name] = struct{}{}
		check(len(n.set) > len(n.list), "VAL-DUPKEY", at, "duplicate key in object")
	} else {
		for _, other := range n.list {
			if other == name {
				check(false, "VAL-DUPKEY", at, "duplicate key in object")
			}
		}
	}
	n.list = append(n.list, name)
	return name
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
