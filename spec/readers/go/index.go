package coconut

import (
	"encoding/binary"
	"hash/crc32"
	"sort"
	"strings"
)

// §8.2 to §8.7: lookups in the tables of the file, or in those that a walk makes where there are none.

// index reads tables.
type index struct {
	f     *File
	rule  *rule
	made  *tables // nil where the file has part 32
	count int
}

// tables are made by a walk, in the form that they have in files. Those that are absent are nil.
type tables [partBackKinds + 1][]byte

func (f *File) index() index {
	x := index{f: f}
	if f.envelope.isJSON {
		x.rule, x.made = &rule{}, &tables{}
		return x
	}
	x.rule = f.rule.get(f.readRule)
	if !f.parts[partLandmarks].exists {
		x.made = f.found.get(func() *tables { return f.makeIndex(x.rule) })
	}
	x.count = x.length(partLandmarks) / f.width
	return x
}

func (x *index) has(number int) bool {
	if x.made != nil {
		return x.made[number] != nil
	}
	return x.f.parts[number].exists
}

func (x *index) length(number int) int {
	if x.made != nil {
		return len(x.made[number])
	}
	return x.f.parts[number].length()
}

// bytes of an entry, and where it is.
func (x *index) bytes(number, at, count int) ([]byte, int) {
	if x.made != nil {
		return x.made[number][at : at+count], at
	}
	at += x.f.parts[number].offset
	x.f.touch(at, at+count)
	return x.f.data[at : at+count], at
}

func (x *index) u32(number, entry int) (int, int) {
	bytes, at := x.bytes(number, 4*entry, 4)
	return int(binary.LittleEndian.Uint32(bytes)), at
}

func (x *index) offset(ordinal int) (uint64, int) {
	bytes, at := x.bytes(partLandmarks, ordinal*x.f.width, x.f.width)
	return x.f.number(bytes), at
}

func (x *index) class(ordinal int) int {
	class, at := 0, 0
	if x.has(partClasses) {
		var bytes []byte
		bytes, at = x.bytes(partClasses, ordinal, 1)
		class = int(bytes[0])
	} else {
		_, at = x.offset(ordinal)
	}
	check(class < len(x.rule.patterns), "IDX-RANGE", at, "the class is no pattern of the rule")
	return class
}

// none stands for the parent of a landmark that has none.
const none = 0xFFFFFFFF

// tree reads an entry of part 34, and says where it is. Without parent it is -1.
func (x *index) tree(ordinal int) (parent, end, at int) {
	if !x.has(partTree) {
		return -1, ordinal + 1, x.place(ordinal)
	}
	bytes, at := x.bytes(partTree, 8*ordinal, 8)
	parent, end = int(binary.LittleEndian.Uint32(bytes)), int(binary.LittleEndian.Uint32(bytes[4:]))
	if parent == none {
		parent = -1
	}
	check(parent < x.count && end <= x.count, "IDX-RANGE", at, "the parent or the end is no landmark")
	check(parent < ordinal && end > ordinal, "IDX-DIFFERS", at, "the parent is not before the landmark, or the end not behind it")
	return parent, end, at
}

func (x *index) parent(ordinal int) int {
	parent, _, _ := x.tree(ordinal)
	return parent
}

func (x *index) childEnd(ordinal int) int {
	_, end, _ := x.tree(ordinal)
	return end
}

// value finds the landmark, and its key if it is an entry of an object.
func (x *index) value(ordinal int) (v Value, entry key, isEntry bool) {
	offset, at := x.offset(ordinal)
	root := x.f.root()
	check(offset >= uint64(root.at) && offset < uint64(root.end), "IDX-RANGE", at, "the landmark is outside of the root")
	v = root
	v.at = int(offset)
	c := v.cursor()
	if t := c.next(); t.form == formString || t.form == formUint && !x.f.plain {
		c.pos = v.at
		entry, isEntry = c.key(), true
		v.at = c.pos
	}
	return v, entry, isEntry
}

// ownKey fails at an offset if the landmark has no key.
func (x *index) ownKey(ordinal, at int) string {
	pattern := x.rule.patterns[x.class(ordinal)]
	v, entry, isEntry := x.value(ordinal)
	if pattern.key == nil {
		check(isEntry, "IDX-DIFFERS", at, "the landmark has no key")
		return entry.text()
	}
	own, exists := pattern.ownKey(v)
	check(exists, "IDX-DIFFERS", at, "the landmark has no key")
	return own
}

// place of the entry that leads to a landmark, for faults of it.
func (x *index) place(ordinal int) int {
	_, at := x.offset(ordinal)
	return at
}

// parts of the full key, the innermost first.
func (x *index) keyParts(ordinal, at int) []string {
	own := []string{x.ownKey(ordinal, at)}
	if !x.rule.hasJoin {
		return own
	}
	for parent := x.parent(ordinal); parent >= 0; parent = x.parent(parent) {
		_, _, at := x.tree(ordinal)
		check(len(own) < 2*maxDepth, "IDX-DIFFERS", at, "a landmark is not so deep")
		own = append(own, x.rule.join, x.ownKey(parent, x.place(parent)))
	}
	return own
}

func (x *index) fullKey(ordinal int) string {
	parts := x.keyParts(ordinal, x.place(ordinal))
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, "")
}

// compare orders the full key of a landmark and a key.
func (x *index) compare(ordinal, at int, key string) int {
	parts := x.keyParts(ordinal, at)
	for i := len(parts) - 1; i >= 0; i-- {
		part := parts[i]
		if len(part) > len(key) {
			if part[:len(key)] == key {
				return 1
			}
			return strings.Compare(part, key)
		}
		if order := strings.Compare(part, key[:len(part)]); order != 0 {
			return order
		}
		key = key[len(part):]
	}
	if key == "" {
		return 0
	}
	return -1
}

// finder compares landmarks with one key. It remembers what it found of parents.
type finder struct {
	*index
	key     string
	parents map[[2]int]bool // by ordinal and length of the beginning of the key
}

func (s *finder) is(ordinal, at int) bool {
	rest := s.key
	var passed [][2]int
	result := false
	for place := at; ; {
		own := s.ownKey(ordinal, place)
		if !strings.HasSuffix(rest, own) {
			break
		}
		parent := -1
		if s.rule.hasJoin {
			parent = s.parent(ordinal)
		}
		if parent < 0 {
			result = own == rest
			break
		}
		rest = rest[:len(rest)-len(own)]
		if !strings.HasSuffix(rest, s.rule.join) {
			break
		}
		rest = rest[:len(rest)-len(s.rule.join)]
		_, _, entry := s.tree(ordinal)
		check(len(passed) < maxDepth, "IDX-DIFFERS", entry, "a landmark is not so deep")
		step := [2]int{parent, len(rest)}
		if known, isKnown := s.parents[step]; isKnown {
			result = known
			break
		}
		passed = append(passed, step)
		ordinal, place = parent, s.place(parent)
	}
	if len(passed) > 0 && s.parents == nil {
		s.parents = map[[2]int]bool{}
	}
	for _, step := range passed {
		s.parents[step] = result
	}
	return result
}

// find returns the ordinals of all landmarks of a key, in document order.
func (x *index) find(key string) (found []int) {
	search := finder{index: x, key: key}
	if !x.has(partSlots) {
		for ordinal := 0; ordinal < x.count; ordinal++ {
			if search.is(ordinal, x.place(ordinal)) {
				found = append(found, ordinal)
			}
		}
		return found
	}
	hash := crc32.ChecksumIEEE([]byte(key))
	bucket := int(uint64(hash) >> (32 - bucketBits(x.count)))
	first, at := x.u32(partBuckets, bucket)
	last, next := x.u32(partBuckets, bucket+1)
	check(first <= x.count, "IDX-RANGE", at, "the bucket is beyond all slots")
	check(last <= x.count, "IDX-RANGE", next, "the bucket is beyond all slots")
	check(first <= last, "IDX-DIFFERS", at, "the bucket is greater than the next")
	slot := first + sort.Search(last-first, func(i int) bool {
		found, _ := x.slotHash(first + i)
		return found >= hash
	})
	end := slot + sort.Search(last-slot, func(i int) bool {
		found, _ := x.slotHash(slot + i)
		return found > hash
	})
	if end-slot > 8 {
		slot += sort.Search(end-slot, func(i int) bool {
			ordinal, at := x.slotOrdinal(slot + i)
			return x.compare(ordinal, at, key) >= 0
		})
	}
	for ; slot < end; slot++ {
		ordinal, at := x.slotOrdinal(slot)
		if search.is(ordinal, at) {
			found = append(found, ordinal)
		} else if len(found) > 0 {
			break
		}
	}
	return found
}

func (x *index) slotHash(slot int) (uint32, int) {
	bytes, at := x.bytes(partSlots, 2*x.f.width*slot, 4)
	return binary.LittleEndian.Uint32(bytes), at
}

// slotOrdinal finds the landmark of a slot in part 32.
func (x *index) slotOrdinal(slot int) (ordinal, at int) {
	width := x.f.width
	bytes, at := x.bytes(partSlots, 2*width*slot, 2*width)
	offset := x.f.number(bytes[width:])
	ordinal = sort.Search(x.count, func(i int) bool {
		found, _ := x.offset(i)
		return found >= offset
	})
	isFound := ordinal < x.count
	if isFound {
		found, _ := x.offset(ordinal)
		isFound = found == offset
	}
	check(isFound, "IDX-RANGE", at, "the slot leads to no landmark")
	return ordinal, at
}

// Edge leads to a landmark, or comes from it.
type Edge struct {
	Landmark Landmark
	// Kind is the name of the edge pattern, Number its number.
	Kind   string
	Number int
}

// edges of an ordinal: parts 40 to 42, or 43 to 45.
func (x *index) edges(ordinal, part int) (edges []Edge) {
	in := *x
	if x.made != nil {
		in.made = x.f.edges.get(func() *tables { return x.f.makeEdges(x.rule) })
	}
	if !in.has(part) {
		return nil
	}
	count := in.length(part+1) / 4
	first, at := in.u32(part, ordinal)
	last, next := in.u32(part, ordinal+1)
	check(first <= count, "IDX-RANGE", at, "the edges begin beyond all edges")
	check(last <= count, "IDX-RANGE", next, "the edges end beyond all edges")
	check(first <= last, "IDX-DIFFERS", at, "the edges begin behind the next")
	for i := first; i < last; i++ {
		target, at := in.u32(part+1, i)
		check(target < x.count, "IDX-RANGE", at, "the edge leads to no landmark")
		kind, at := in.bytes(part+2, i, 1)
		check(int(kind[0]) < len(x.rule.edges), "IDX-RANGE", at, "the kind is no edge of the rule")
		edges = append(edges, Edge{Landmark{x.f, target}, x.rule.edges[kind[0]].kind, int(kind[0])})
	}
	return edges
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

// Deps returns the edges of the only landmark with this key.
func (f *File) Deps(key string) ([]Edge, error) { return f.edgesOf(key, partStarts) }

// Rdeps returns the edges that lead to the only landmark with this key.
func (f *File) Rdeps(key string) ([]Edge, error) { return f.edgesOf(key, partBackStarts) }

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
		end := x.childEnd(l.Ordinal)
		for child := l.Ordinal + 1; child < end && visit(Landmark{l.f, child}); child = x.childEnd(child) {
		}
	})
}

// Deps returns the edges of this landmark, by target and then by kind.
func (l Landmark) Deps() (edges []Edge, err error) {
	err = l.run(func(x *index) { edges = x.edges(l.Ordinal, partStarts) })
	return
}

// Rdeps returns the edges that lead to this landmark.
func (l Landmark) Rdeps() (edges []Edge, err error) {
	err = l.run(func(x *index) { edges = x.edges(l.Ordinal, partBackStarts) })
	return
}
