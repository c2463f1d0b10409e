package coconut

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sort"
	"strings"
)

// §8.7: the tables of the index, made by walking the document with the rule.

// Limits of §9.
const (
	leastWork      = 4_194_304
	maxWorkPerByte = 16
	maxKeyBytes    = 4 << 30
)

// met is a landmark that the walk met.
type met struct {
	offset      int
	class       uint8
	parent, end int
	own         string
}

// reference is a text that an edge pattern found in a landmark.
type reference struct {
	from int
	edge uint8
	text string
}

type walker struct {
	f          *File
	rule       *rule
	landmarks  []met
	around     int // the innermost landmark, or -1
	inShared   int
	findsEdges bool
	references []reference
	seen       map[sharedPlace][]reference // what is in a shared value, from each set of states
	strings    map[uint64]string
	work       int
}

type sharedPlace struct {
	isShape bool
	id      int
	set     stateSet
}

// place is where a value stands.
type place struct {
	at      int // where a landmark begins here
	isEntry bool
	key     key
	isSlot  bool // an entry of a record
}

func (f *File) walk(r *rule, findsEdges bool) *walker {
	w := &walker{f: f, rule: r, around: -1, findsEdges: findsEdges}
	w.seen, w.strings = map[sharedPlace][]reference{}, map[uint64]string{}
	root := f.root()
	if len(r.patterns) > 0 {
		c := root.cursor()
		w.value(&c, root, w.relevant(r.states[0].closure), place{at: root.at})
	}
	at := f.part(partRoot).offset
	check(len(w.landmarks) <= maxLandmarks, "LIM-COUNT", at, "more than 16777216 landmarks")
	return w
}

// relevant leaves out the states of edges where no edges are looked for.
func (w *walker) relevant(set stateSet) stateSet {
	if w.findsEdges {
		return set
	}
	for i := range set {
		set[i] &= w.rule.ofPatterns[i]
	}
	return set
}

func (w *walker) step(set stateSet, isEntry bool, k key, isOnly bool) stateSet {
	return w.relevant(w.rule.step(set, isEntry, k.is, isOnly))
}

func (w *walker) count(work int) {
	w.work += work
	isLittle := w.work <= leastWork || w.work <= maxWorkPerByte*len(w.f.data)
	check(isLittle, "LIM-WORK", w.f.part(partRoot).offset, "gave up after too many steps")
}

func (w *walker) skip(c *cursor, values uint64) {
	from := c.pos
	c.skip(values)
	w.count((c.pos - from) / 32)
}

// value walks the value at the cursor. v is the same value, for callers that read it separately.
func (w *walker) value(c *cursor, v Value, set stateSet, p place) {
	w.count(1)
	if set == (stateSet{}) {
		if v.shape != nil {
			w.skip(c, v.shape.width)
		} else if !v.inMemory {
			w.skip(c, 1)
		}
		return
	}
	before := w.around
	landmark := w.landmark(v, set, p)
	w.inside(c, v, set)
	if landmark >= 0 {
		w.landmarks[landmark].end = len(w.landmarks)
		w.around = before
	}
}

// landmark takes a value up if it is one.
func (w *walker) landmark(v Value, set stateSet, p place) int {
	class := w.rule.class(set)
	if class < 0 {
		return -1
	}
	own := ""
	if template := w.rule.patterns[class].key; template == nil {
		if !p.isEntry {
			return -1
		}
		own = p.key.text()
	} else {
		var exists bool
		if own, exists = w.rule.patterns[class].ownKey(v); !exists {
			return -1
		}
	}
	w.count(1 + len(own)/32)
	check(!p.isSlot && w.inShared == 0, "VAL-FORM", p.at, "a landmark in a record or in a shared value")
	w.landmarks = append(w.landmarks, met{p.at, uint8(class), w.around, 0, own})
	w.around = len(w.landmarks) - 1
	return w.around
}

// inside walks what a value has inside. It leaves the cursor after the value.
func (w *walker) inside(c *cursor, v Value, set stateSet) {
	if !w.leads(set) {
		w.value(c, v, stateSet{}, place{})
		return
	}
	if v.inMemory {
		if text, isText := v.tree.(string); isText {
			w.text(set, text)
		}
		return
	}
	if v.shape != nil {
		w.record(c, v, v.shape, set)
		return
	}
	start := *c
	t := start.next()
	switch {
	case t.form == formString || t.form == formUint && !v.isInteger && !w.f.plain:
		c.pos = start.pos
		if w.finds(set) {
			w.text(set, w.string(t))
		}
	case t.form == formNegative && !v.isInteger && !w.f.plain:
		c.pos = start.pos
		w.shared(v, set)
	case t.form == formArray || t.form == formMap:
		o := v.open()
		c.pos = o.cursor.pos
		if o.shape != nil {
			w.record(c, o.Value, o.shape, set)
			return
		}
		for i := 0; i < o.count; i++ {
			p := place{at: c.pos, isEntry: o.isMap}
			if o.isMap {
				p.key = c.key()
			}
			inner := o.inner(c.pos)
			w.value(c, inner, w.step(set, o.isMap, p.key, o.count == 1), p)
		}
	default:
		v.open()
		c.pos = start.pos
	}
}

func (w *walker) record(c *cursor, v Value, s *shape, set stateSet) {
	o := opened{Value: v}
	o.shape = s
	if s.width == 0 {
		w.once(sharedPlace{true, s.id, set}, func() { w.slots(c, o, set) })
		return
	}
	w.slots(c, o, set)
}

func (w *walker) slots(c *cursor, o opened, set stateSet) {
	for i := range o.shape.slots {
		inner, _ := o.slot(i, c.pos)
		p := place{at: c.pos, isEntry: true, key: key{name: o.shape.keys.names[i]}, isSlot: true}
		w.value(c, inner, w.step(set, true, p.key, len(o.shape.slots) == 1), p)
	}
}

func (w *walker) shared(v Value, set stateSet) {
	target := v.open().Value
	target.shape = nil // it is read again from its front
	w.inShared++
	w.once(sharedPlace{false, target.bound, set}, func() {
		c := target.cursor()
		w.inside(&c, target, set)
	})
	w.inShared--
}

// once walks what is the same in several places. What it finds there later is what it found before.
func (w *walker) once(p sharedPlace, walk func()) {
	known, isKnown := w.seen[p]
	if isKnown {
		w.count(len(known))
		for _, r := range known {
			w.references = append(w.references, reference{w.around, r.edge, r.text})
		}
		return
	}
	start := len(w.references)
	walk()
	type found struct {
		edge uint8
		text string
	}
	distinct := map[found]bool{}
	for _, r := range w.references[start:] {
		if f := (found{r.edge, r.text}); !distinct[f] {
			distinct[f] = true
			known = append(known, r)
		}
	}
	w.references = append(w.references[:start], known...)
	w.seen[p] = known
}

// leads reports whether the rule matches anything inside, or a string here.
func (w *walker) leads(set stateSet) bool {
	for i := range w.rule.states {
		if set.has(i) && w.relevant(w.rule.states[i].next) != (stateSet{}) {
			return true
		}
	}
	return w.finds(set)
}

func (w *walker) finds(set stateSet) bool {
	for i := range w.rule.edges {
		if w.findsEdges && set.has(w.rule.edges[i].end) {
			return true
		}
	}
	return false
}

func (w *walker) string(t token) string {
	if t.form == formString {
		return text(t.bytes(w.f.data), t.end-int(t.n))
	}
	known, isKnown := w.strings[t.n]
	if !isKnown {
		bytes, at := w.f.stringBytes(t.n, t.start)
		known = text(bytes, at)
		w.strings[t.n] = known
	}
	return known
}

func (w *walker) text(set stateSet, text string) {
	for i := range w.rule.edges {
		if w.findsEdges && set.has(w.rule.edges[i].end) {
			w.rule.edges[i].references(text, func(name string) {
				w.count(1 + len(name)/32)
				w.references = append(w.references, reference{w.around, uint8(i), name})
			})
		}
	}
}

// keyOrder has of each landmark what full keys are compared by.
type keyOrder struct {
	w      *walker
	hashes []uint32
	// same numbers landmarks so that those of equal own keys below equal parents have one number.
	same []int
	// compared orders such numbers that are not below equal parents.
	compared map[[2]int]int
}

func (w *walker) order() *keyOrder {
	o := &keyOrder{w, make([]uint32, len(w.landmarks)), make([]int, len(w.landmarks)), map[[2]int]int{}}
	type below struct {
		parent int
		own    string
	}
	known := map[below]int{}
	lengths := make([]int, len(w.landmarks))
	total := uint64(0)
	for i, l := range w.landmarks {
		parent := o.parent(i)
		if parent >= 0 {
			hash := crc32.Update(o.hashes[l.parent], crc32.IEEETable, []byte(w.rule.join))
			o.hashes[i] = crc32.Update(hash, crc32.IEEETable, []byte(l.own))
			lengths[i] = lengths[l.parent] + len(w.rule.join)
		} else {
			o.hashes[i] = crc32.ChecksumIEEE([]byte(l.own))
		}
		lengths[i] += len(l.own)
		total += uint64(lengths[i])
		check(total <= uint64(maxKeyBytes), "LIM-COUNT", w.f.part(partRoot).offset, "more than 4 GiB of full keys")
		first, isKnown := known[below{parent, l.own}]
		if !isKnown {
			first = i
			known[below{parent, l.own}] = i
		}
		o.same[i] = first
	}
	return o
}

// parts of a full key, the innermost first, up to a landmark that is not part of it.
func (o *keyOrder) parts(i int) (parts []int) {
	for ; i >= 0; i = o.w.landmarks[i].parent {
		parts = append(parts, o.same[i])
		if !o.w.rule.hasJoin {
			break
		}
	}
	o.w.count(len(parts) / 32)
	return parts
}

// parent has one number for all parents of equal keys, and -1 where the full key is the own key.
func (o *keyOrder) parent(i int) int {
	if parent := o.w.landmarks[i].parent; o.w.rule.hasJoin && parent >= 0 {
		return o.same[parent]
	}
	return -1
}

func (o *keyOrder) less(a, b int) bool {
	if o.hashes[a] != o.hashes[b] {
		return o.hashes[a] < o.hashes[b]
	}
	if o.same[a] == o.same[b] {
		return a < b
	}
	if o.parent(a) == o.parent(b) {
		return o.w.landmarks[a].own < o.w.landmarks[b].own
	}
	pair := [2]int{o.same[a], o.same[b]}
	order, isKnown := o.compared[pair]
	if !isKnown {
		first, second := o.parts(a), o.parts(b)
		for len(first) > 1 && len(second) > 1 && first[len(first)-1] == second[len(second)-1] {
			first, second = first[:len(first)-1], second[:len(second)-1]
		}
		order = compareParts(o.fill(first), o.fill(second))
		o.compared[pair] = order
	}
	return order < 0 || order == 0 && a < b
}

func (o *keyOrder) fill(parts []int) (texts []string) {
	for i := len(parts) - 1; i >= 0; i-- {
		texts = append(texts, o.w.landmarks[parts[i]].own)
		if i > 0 {
			texts = append(texts, o.w.rule.join)
		}
	}
	return texts
}

// compareParts compares two texts that are in pieces.
func compareParts(a, b []string) int {
	first, second := "", ""
	for {
		for first == "" && len(a) > 0 {
			first, a = a[0], a[1:]
		}
		for second == "" && len(b) > 0 {
			second, b = b[0], b[1:]
		}
		switch {
		case first == "" && second == "":
			return 0
		case first == "":
			return -1
		case second == "":
			return 1
		}
		common := len(first)
		if len(second) < common {
			common = len(second)
		}
		if order := strings.Compare(first[:common], second[:common]); order != 0 {
			return order
		}
		first, second = first[common:], second[common:]
	}
}

// makeIndex makes parts 32 to 36.
func (f *File) makeIndex(r *rule) *tables {
	w := f.walk(r, false)
	order := w.order()
	t := &tables{}
	count := len(w.landmarks)
	t[partLandmarks] = []byte{}
	slots := make([]int, count)
	hasClasses, hasTree := false, false
	for i, l := range w.landmarks {
		slots[i] = i
		hasClasses = hasClasses || l.class > 0
		hasTree = hasTree || l.parent >= 0
		t[partLandmarks] = f.append(t[partLandmarks], l.offset)
		t[partClasses] = append(t[partClasses], l.class)
		t[partTree] = append32(append32(t[partTree], l.parent), l.end)
	}
	if !hasClasses {
		t[partClasses] = nil
	}
	if !hasTree {
		t[partTree] = nil
	}
	sort.Slice(slots, func(i, j int) bool { return order.less(slots[i], slots[j]) })
	bits := bucketBits(count)
	t[partSlots] = []byte{}
	next := 0
	for k, i := range slots {
		for uint64(order.hashes[i])>>(32-bits) >= uint64(next) && next < 1<<bits {
			t[partBuckets] = append32(t[partBuckets], k)
			next++
		}
		t[partSlots] = append32(t[partSlots], int(order.hashes[i]))
		if f.width == 8 {
			t[partSlots] = append32(t[partSlots], 0)
		}
		t[partSlots] = f.append(t[partSlots], w.landmarks[i].offset)
	}
	for ; next <= 1<<bits; next++ {
		t[partBuckets] = append32(t[partBuckets], count)
	}
	return t
}

func append32(to []byte, number int) []byte {
	return binary.LittleEndian.AppendUint32(to, uint32(number))
}

func (f *File) append(to []byte, offset int) []byte {
	if f.width == 8 {
		return binary.LittleEndian.AppendUint64(to, uint64(offset))
	}
	return append32(to, offset)
}

// makeEdges makes parts 40 to 45, or none of them where there are no edges.
func (f *File) makeEdges(r *rule) *tables {
	t := &tables{}
	if len(r.edges) == 0 {
		return t
	}
	w := f.walk(r, true)
	resolved := w.resolve()
	lists, ends, numbers := make([][]int, len(w.landmarks)), [][]int{}, map[resolvable]int{}
	for _, ref := range w.references {
		named := resolvable{ref.text, r.edges[ref.edge].reading == readInstances}
		if ref.from < 0 || len(resolved[named]) == 0 {
			continue
		}
		if _, isKnown := numbers[named]; !isKnown {
			numbers[named] = len(ends)
			ends = append(ends, resolved[named])
		}
		lists[ref.from] = append(lists[ref.from], numbers[named]<<5|int(ref.edge))
	}
	for part := partStarts; part <= partBackStarts && len(ends) > 0; part += 3 {
		rows, rowOf := f.rows(lists, ends)
		f.addEdges(t, part, rows, rowOf)
		lists, ends = make([][]int, len(rowOf)), make([][]int, len(rows))
		for from, number := range rowOf {
			ends[number] = append(ends[number], from)
		}
		for number, row := range rows {
			for _, edge := range row {
				lists[edge>>5] = append(lists[edge>>5], number<<5|edge&31)
			}
		}
	}
	return t
}

// rows makes the distinct rows of lists, and the number of the row of each. An item of a list is the
// number of its ends, and a kind.
func (f *File) rows(lists, ends [][]int) (rows [][]int, rowOf []int) {
	total, known := 0, map[string]int{}
	for _, list := range lists {
		list = distinct(list)
		name := fmt.Sprint("list", list)
		if _, isKnown := known[name]; !isKnown {
			var row []int
			for _, item := range list {
				total += len(ends[item>>5])
				isFew := total <= leastWork || total <= maxWorkPerByte*len(f.data) && total <= maxEdges
				check(isFew, "LIM-COUNT", f.part(partRoot).offset, "too many edges")
				for _, to := range ends[item>>5] {
					row = append(row, to<<5|item&31)
				}
			}
			row = distinct(row)
			text := fmt.Sprint(row)
			if _, isKnown := known[text]; !isKnown {
				known[text] = len(rows)
				rows = append(rows, row)
			}
			known[name] = known[text]
		}
		rowOf = append(rowOf, known[name])
	}
	return rows, rowOf
}

// distinct sorts a list, and leaves each item in it once.
func distinct(list []int) (kept []int) {
	sort.Ints(list)
	for i, item := range list {
		if i == 0 || item != list[i-1] {
			kept = append(kept, item)
		}
	}
	return kept
}

// addEdges adds three parts, as the file has them: with shared rows or without.
func (f *File) addEdges(t *tables, part int, rows [][]int, rowOf []int) {
	isShared := !f.part(part).exists || f.part(part).length() == 8*len(rowOf)
	starts := map[int]int{}
	for _, number := range rowOf {
		if _, isStored := starts[number]; !isStored || !isShared {
			starts[number] = len(t[part+2])
			for _, edge := range rows[number] {
				t[part+1] = append32(t[part+1], edge>>5)
				t[part+2] = append(t[part+2], uint8(edge&31))
			}
		}
		if isShared || t[part] == nil {
			t[part] = append32(t[part], starts[number])
		}
		t[part] = append32(t[part], starts[number]+len(rows[number]))
	}
}

type resolvable struct {
	text      string
	instances bool
}

// resolve finds the landmarks of all references.
func (w *walker) resolve() map[resolvable][]int {
	resolved := map[resolvable][]int{}
	withInstances := false
	for _, ref := range w.references {
		isInstances := w.rule.edges[ref.edge].reading == readInstances
		withInstances = withInstances || isInstances
		resolved[resolvable{ref.text, isInstances}] = nil
	}
	order := w.order()
	byHash := map[uint32][]int{}
	for i, hash := range order.hashes {
		byHash[hash] = append(byHash[hash], i)
	}
	for ref := range resolved {
		if ref.instances {
			continue
		}
		for _, i := range byHash[crc32.ChecksumIEEE([]byte(ref.text))] {
			if compareParts(order.fill(order.parts(i)), []string{ref.text}) == 0 {
				resolved[ref] = append(resolved[ref], i)
			}
		}
	}
	if withInstances {
		w.resolveInstances(resolved)
	}
	return resolved
}

// resolveInstances looks each landmark up, with and without its instance keys.
func (w *walker) resolveInstances(resolved map[resolvable][]int) {
	var full, without []byte
	lengths := make([]int, len(w.landmarks))
	for i, l := range w.landmarks {
		full = full[:0]
		if w.rule.hasJoin && l.parent >= 0 {
			// All landmarks since the parent are inside of it, so its key is still there.
			full = append(full[:lengths[l.parent]], w.rule.join...)
		}
		full = append(full, l.own...)
		lengths[i] = len(full)
		w.count(1 + len(full)/32)
		without = withoutInstances(without[:0], full)
		for _, text := range [][]byte{full, without} {
			ref := resolvable{string(text), true}
			if named, isAsked := resolved[ref]; isAsked && !contains(named, i) {
				resolved[ref] = append(named, i)
			}
		}
	}
	for ref, named := range resolved {
		var outermost []int
		for _, i := range named {
			if !ref.instances || !contains(named, w.landmarks[i].parent) {
				outermost = append(outermost, i)
			}
		}
		resolved[ref] = outermost
	}
}

// contains searches an ascending list.
func contains(list []int, wanted int) bool {
	at := sort.SearchInts(list, wanted)
	return at < len(list) && list[at] == wanted
}
