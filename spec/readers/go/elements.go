package coconut

import "sync"

// §5.4 to §5.6, §5.9 and §6.1: strings, shapes and shared values by their ids.

// element is one of the arrays of strings, shapes and shared values.
type element struct {
	count, first int
}

func (f *File) element(number int) *element {
	e := &f.elements[number]
	e.get(func() element {
		p := f.part(number)
		c := f.cursor(p.offset, p.end)
		t := c.next()
		check(t.form == formArray, "PAY-FORM", t.start, "an element is not an array")
		check(number != partShapes || t.n <= maxShapes, "LIM-COUNT", t.start, "more than 16777216 shapes")
		return element{int(t.n), c.pos}
	})
	return &e.value
}

// item returns a cursor at an item of an element (§5.9).
func (f *File) item(number, id int) cursor {
	e, p, table := f.element(number), f.part(number), f.part(number+15)
	if !table.exists || table.stride > 8 {
		if table.exists {
			f.offsetEntry(number, id)
		}
		return f.cursor(f.allOffsets(number)[id], p.end)
	}
	c := f.cursor(f.offsetEntry(number, id), p.end)
	c.skip(uint64(id - id>>table.stride<<table.stride))
	check(c.pos < p.end && id < e.count, "IDX-RANGE", table.offset+id>>table.stride*f.width, "leads to no item")
	return c
}

// offsetEntryCount compares the length of an offset table with its element.
func (f *File) offsetEntryCount(number int) {
	table := f.part(number + 15)
	entries := (f.element(number).count + 1<<table.stride - 1) >> table.stride
	check(table.length() == entries*f.width, "PRT-LENGTH", table.at, "an offset table does not fit its element")
}

func (f *File) offsetEntry(number, id int) int {
	e, p, table := f.element(number), f.part(number), f.part(number+15)
	f.offsetEntryCount(number)
	at := table.offset + id>>table.stride*f.width
	f.touch(at, at+f.width)
	offset := f.number(f.data[at:])
	check(offset >= uint64(e.first) && offset < uint64(p.end), "IDX-RANGE", at, "an offset leads outside of its element")
	return int(offset)
}

// allOffsets finds all items by skipping.
func (f *File) allOffsets(number int) []int {
	e := f.element(number)
	return f.offsets[number].get(func() []int {
		offsets := make([]int, e.count)
		c := f.cursor(e.first, f.part(number).end)
		for i := range offsets {
			offsets[i] = c.pos
			c.skip(1)
		}
		return offsets
	})
}

// stringBytes finds a string by its id. The bytes are not checked to be text.
func (f *File) stringBytes(id uint64, at int) ([]byte, int) {
	count := f.element(partStrings).count
	if id >= uint64(count) {
		fail("STR-RANGE", at, "string id %d out of range (the table has %d)", id, count)
	}
	c := f.item(partStrings, int(id))
	return stringItem(&c)
}

func stringItem(c *cursor) ([]byte, int) {
	t := c.next()
	check(t.form == formString, "MSG-TYPE", t.start, "an item of the string table is not a string")
	check(t.n <= maxString, "LIM-STRING", t.start, "a string of more than 268435456 bytes")
	return t.bytes(c.f.data), t.end - int(t.n)
}

type slotKind uint8

const (
	slotPlain slotKind = iota
	slotInteger
	slotNested
	slotConstant
)

type slot struct {
	kind     slotKind
	nested   int // id of the shape
	shape    *shape
	constant any
}

// shape is one of §6.1, with what is the same in all of its records.
type shape struct {
	id     int
	keys   *keys
	slots  []slot
	width  uint64
	levels int
	fixed  size    // what constants, keys and empty objects add
	own    []int   // slots with values in the record
	looked int     // slots whose nested shapes were looked for
	empty  *Object // the object, if all of it is constant
}

type shapes struct {
	mutex sync.Mutex
	found map[int]*shape
}

// shape finds a shape, and those nested in it. These may be many levels, so it does not recurse.
func (f *File) shape(id int) *shape {
	f.shapes.mutex.Lock()
	defer f.shapes.mutex.Unlock()
	if f.shapes.found == nil {
		f.shapes.found = map[int]*shape{}
	}
	found, read := f.shapes.found, map[int]*shape(nil)
	for stack := []int{id}; found[id] == nil; {
		id := stack[len(stack)-1]
		s := read[id]
		if s == nil {
			c := f.item(partShapes, id)
			s = (&decoder{f: f}).readShape(&c, id)
			if read == nil {
				read = map[int]*shape{}
			}
			read[id] = s
		}
		if missing := s.missing(found); missing >= 0 {
			stack = append(stack, missing)
			continue
		}
		s.finish(func(id int) *shape { return found[id] })
		found[id] = s
		stack = stack[:len(stack)-1]
	}
	return found[id]
}

// missing is a nested shape that was not found yet, or -1.
func (s *shape) missing(found map[int]*shape) int {
	for ; s.looked < len(s.slots); s.looked++ {
		if slot := &s.slots[s.looked]; slot.kind == slotNested && found[slot.nested] == nil {
			return slot.nested
		}
	}
	return -1
}

func (d *decoder) readShape(c *cursor, id int) *shape {
	t := c.next()
	check(t.form == formArray, "SHP-FORM", t.start, "a shape is not a list")
	s := &shape{id: id, keys: &keys{}, slots: make([]slot, t.n)}
	names := d.newNames(int(t.n))
	for i := range s.slots {
		d.readSlot(c, &s.slots[i], id, &names)
	}
	s.keys.names = names.list
	return s
}

func (d *decoder) readSlot(c *cursor, into *slot, id int, names *names) {
	t := c.next()
	if t.isText() {
		names.add(d, t)
		return
	}
	const message = "a slot is a key or a list that begins with one"
	check(t.form == formArray && t.n >= 1 && t.n <= 3, "SHP-FORM", t.start, message)
	key := c.next()
	check(key.isText(), "SHP-FORM", t.start, message)
	names.add(d, key)
	into.kind = slotInteger
	if t.n >= 2 {
		second := c.next()
		switch {
		case t.n == 2 && second.form == formUint:
			check(second.n < uint64(id), "SHP-RANGE", second.start, "the nested shape is not before the shape")
			into.kind, into.nested = slotNested, int(second.n)
		case t.n == 3 && second.form == formNil:
			into.kind = slotConstant
			scalar := *c
			third := scalar.next()
			check(third.form <= formFloat && third.form != formNegative || third.form == formString || third.form == formExt,
				"VAL-FORM", third.start, "the constant is not a scalar")
			reader := decoder{f: d.f, build: true, strings: d.strings, strict: d.strict}
			into.constant, _ = reader.value(c, 0, false, 0)
		default:
			check(false, "SHP-FORM", t.start, message)
		}
	}
}
