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
	if !f.part(partLandmarks).exists {
		x.made = f.found.get(func() *tables { return f.makeIndex(x.rule) })
	}
	x.count = x.length(partLandmarks) / f.width
	return x
}

func (x *index) has(number int) bool {
	if x.made != nil {
		return x.made[number] != nil
	}
	return x.f.part(number).exists
}

func (x *index) length(number int) int {
	if x.made != nil {
		return len(x.made[number])
	}
	return x.f.part(number).length()
}

// bytes of an entry, and where it is.
func (x *index) bytes(number, at, count int) ([]byte, int) {
	if x.made != nil {
		return x.made[number][at : at+count], at
	}
	at += x.f.part(number).offset
	x.f.touch(at, at+count)
	return x.f.data[at : at+count], at
}

func (x *index) u32(number, entry int) (int, int) {
	bytes, at := x.bytes(number, 4*entry, 4)
	return ordinalOf(bytes), at
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
	check(class < len(x.rule.patterns), "IDX-RANGE", at, "the class is not a pattern of the rule")
	return class
}

// none stands for the parent of a landmark that has none.
const none uint32 = 0xFFFFFFFF

// tree reads an entry of part 34, and returns its place. Without a parent it is -1.
func (x *index) tree(ordinal int) (parent, end, at int) {
	if !x.has(partTree) {
		return -1, ordinal + 1, x.place(ordinal)
	}
	bytes, at := x.bytes(partTree, 8*ordinal, 8)
	parent, end = ordinalOf(bytes), ordinalOf(bytes[4:])
	if binary.LittleEndian.Uint32(bytes) == none {
		parent = -1
	}
	check(parent < x.count && end <= x.count, "IDX-RANGE", at, "the parent or the end is not a landmark")
	check(parent < ordinal && end > ordinal, "IDX-DIFFERS", at, "a parent is before, an end after the landmark")
	return parent, end, at
}

func (x *index) parent(ordinal int) (parent int) {
	parent, _, _ = x.tree(ordinal)
	return
}

// value finds the landmark, and its key if it is an entry of an object.
func (x *index) value(ordinal int) (v Value, entry key, isEntry bool) {
	offset, at := x.offset(ordinal)
	root := x.f.root()
	check(offset >= uint64(root.at) && offset < uint64(root.end), "IDX-RANGE", at, "the landmark is outside the root")
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
		} else {
			check(crc32.ChecksumIEEE([]byte(x.fullKey(ordinal))) == hash, "IDX-DIFFERS", at, "the slot is of another key")
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

// edges of an ordinal: parts 40 to 42, or 43 to 45.
func (x *index) edges(ordinal, part int) (edges []Edge) {
	in := *x
	if x.made != nil {
		in.made = x.f.edges.get(func() *tables { return x.f.makeEdges(x.rule) })
	}
	if !in.has(part) {
		return nil
	}
	// With shared rows there are two entries of starts for each landmark.
	count, row := in.length(part+1)/4, ordinal*(in.length(part)/(4*x.count))
	first, at := in.u32(part, row)
	last, next := in.u32(part, row+1)
	check(first <= count, "IDX-RANGE", at, "the edges begin beyond all edges")
	check(last <= count, "IDX-RANGE", next, "the edges end beyond all edges")
	check(first <= last, "IDX-DIFFERS", at, "the edges begin after those of the next landmark")
	for i := first; i < last; i++ {
		target, at := in.u32(part+1, i)
		check(target < x.count, "IDX-RANGE", at, "the edge leads to no landmark")
		kind, at := in.bytes(part+2, i, 1)
		check(int(kind[0]) < len(x.rule.edges), "IDX-RANGE", at, "the kind is not an edge of the rule")
		edges = append(edges, Edge{Landmark{x.f, target}, x.rule.edges[kind[0]].kind, int(kind[0])})
	}
	return edges
}
