package coconut

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"sort"
	"strings"
)

// §10.5: level verify.

// Verify compares everything: checksums, forms, tables, claims and the digest. It returns the
// document digest (§4.7). In a file in encoding +json that is the digest of the text, if the
// envelope names one, else zero.
func (f *File) Verify() (digest [32]byte, err error) {
	err = f.run(func() {
		if f.envelope.isJSON {
			digest = f.verifySource()
			return
		}
		digest = f.verify()
	})
	return
}

func (f *File) verifySource() (digest [32]byte) {
	f.root()
	for _, p := range f.envelope.parameters {
		if !sameLetters(p.Name, "digest") {
			continue
		}
		const prefix = "sha-256:"
		claimed, err := hex.DecodeString(p.Value[strings.Index(p.Value, ":")+1:])
		isForm := err == nil && len(p.Value) == len(prefix)+64 && sameLetters(p.Value[:len(prefix)], prefix)
		check(isForm, "ENV-SYNTAX", p.at, "a digest is `sha-256:` and 64 hexadecimal digits")
		digest = sha256.Sum256(f.data[f.envelope.end:])
		check(bytes.Equal(claimed, digest[:]), "DIG-DIFFERS", p.at, "the digest is not that of the text")
	}
	return digest
}

func (f *File) verify() [32]byte {
	// The trailer's checksum covers the rest.
	f.touch(0, f.part(partBlocks).offset)
	f.checkTableBlocks()
	root := f.part(partRoot).offset
	_, all := (&decoder{f: f, measure: true}).document()
	(&decoder{f: f, strict: true}).document()
	f.verifyForms()
	f.verifyGaps()
	all.budget(root)
	d := &decoder{f: f, build: true}
	tree, _ := d.document()
	r := f.rule.get(f.readRule)
	count := f.verifyTables(r, d)
	f.claim("values", f.header.Values, all.nodes)
	f.claim("depth", f.header.Depth, uint64(all.depth))
	f.claim("landmarks", f.header.Landmarks, uint64(count))
	s := &stream{hash: sha256.New()}
	s.value(tree)
	digest := s.sum()
	check(digest == f.header.Digest, "DIG-DIFFERS", f.header.places["digest"],
		"the digest does not match the document")
	return digest
}

// checkTableBlocks compares the blocks of a block table whose entries no block needed.
func (f *File) checkTableBlocks() {
	table := f.part(partBlocks)
	for i := range f.tableBlocks {
		f.compareSpan(table.offset+i<<f.blockBits, table.end, table.end+4*i)
	}
}

func (f *File) claim(field string, claimed, found uint64) {
	if claimed != found {
		fail("HDR-FIELD", f.header.places[field],
			"header field `%s` is %d, but the document has %d", field, claimed, found)
	}
}

// verifyForms finds longer forms than needed: in the elements of this version, and in the header of
// the last one.
func (f *File) verifyForms() {
	c := cursor{f, f.payload, len(f.data), len(f.data)}
	shortest := func(t token) {
		check(!t.long, "MSG-NONCANON", t.start, "not the shortest form")
	}
	shortest(c.next())
	spans := [][2]int{{f.headerAt, f.headerEnd}}
	for number := partStrings; number <= partRoot; number++ {
		spans = append(spans, [2]int{f.part(number).offset, f.part(number).end})
	}
	for _, span := range spans {
		for c.pos = span[0]; c.pos < span[1]; {
			shortest(c.next())
		}
	}
}

// verifyGaps checks that all bytes after the header are parts or padding.
func (f *File) verifyGaps() {
	at := f.part(partRoot).end
	trailing := func(ok bool) { check(ok, "MSG-TRAILING", at, "bytes that belong to no part") }
	var rest []*part
	for _, number := range f.directory {
		if !isElement(number) {
			rest = append(rest, f.part(number))
		}
	}
	sort.SliceStable(rest, func(i, j int) bool {
		return rest[i].offset < rest[j].offset || rest[i].offset == rest[j].offset && rest[i].end < rest[j].end
	})
	misplaced := func(p *part) {
		check(false, "PRT-RANGE", p.at, "an element among the tables, or a table outside of their place")
	}
	elements := uint64(7)
	for len(rest) > 0 && rest[0].offset <= at {
		if rest[0].flags&flagElement == 0 {
			misplaced(rest[0])
		}
		c := f.cursor(at, rest[0].end)
		c.skip(1)
		at = c.pos
		trailing(at == rest[0].end)
		elements++
		rest = rest[1:]
	}
	// The header of the last element. What follows is at least a trailer.
	trailing(f.data[at] >= 0xC4 && f.data[at] <= 0xC6)
	body := at + 1 + 1<<(f.data[at]-0xC4)
	length := bigEndian(f.data[at+1 : body])
	trailing(length == uint64(len(f.data)-body))
	c := cursor{f, at, len(f.data), len(f.data)}
	check(!c.next().long, "MSG-NONCANON", at, "not the shortest form")
	at = body
	check(at <= f.entries, "TRL-FIELD", f.trailer, "the directory begins before the body")
	f.verifyBody(at, rest, misplaced)
	array := cursor{f, f.payload, len(f.data), len(f.data)}
	if n := array.next().n; n != elements {
		fail("PAY-FORM", f.payload, "the payload declares %d elements, but has %d", n, elements)
	}
}

func (f *File) verifyBody(at int, tables []*part, misplaced func(*part)) {
	padding := func(to int) {
		for ; at < to; at++ {
			check(f.data[at] == 0, "PRT-PADDING", at, "padding must be zero")
		}
	}
	last := f.entries
	blocks := f.part(partBlocks)
	for _, p := range tables {
		if p.flags&flagElement != 0 || p.offset < at || blocks.exists && p != blocks && p.offset >= blocks.end {
			misplaced(p)
		}
		padding(p.offset)
		at = p.end
	}
	if blocks.exists {
		at += 4 * len(f.tableBlocks)
	}
	padding(last)
}

// verifyTables compares the tables with those of the document. It returns the number of landmarks.
func (f *File) verifyTables(r *rule, d *decoder) int {
	for number := partStrings; number <= partShared; number++ {
		if table := f.part(number + 15); table.exists {
			f.offsetEntryCount(number)
			var made []byte
			for i, offset := range f.allOffsets(number) {
				if i&(1<<table.stride-1) == 0 {
					made = f.append(made, offset)
				}
			}
			f.differ(table.number, made)
		}
	}
	made := f.found.get(func() *tables { return f.makeIndex(r) })
	count := len(made[partLandmarks]) / f.width
	if !f.part(partLandmarks).exists {
		return count
	}
	full := *made
	if full[partClasses] == nil {
		full[partClasses] = make([]byte, count)
	}
	if full[partTree] == nil {
		for i := 0; i < count; i++ {
			full[partTree] = append32(append32(full[partTree], -1), i+1)
		}
	}
	for _, number := range []int{partLandmarks, partClasses, partTree, partBuckets, partSlots} {
		if f.part(number).exists {
			f.differ(number, full[number])
		} else {
			check(made[number] == nil || number != partClasses && number != partTree, "IDX-DIFFERS", f.entries, "absent table")
		}
	}
	if f.part(partDigests).exists {
		f.differ(partDigests, f.digests(made, d))
	}
	edges := f.edges.get(func() *tables { return f.makeEdges(r) })
	hasEdges := f.part(partStarts).exists
	check(hasEdges || edges[partStarts] == nil, "IDX-DIFFERS", f.entries, "part 40 is absent, the document makes one")
	for number := partStarts; number <= partBackKinds && hasEdges; number++ {
		table := edges[number]
		if table == nil && (number == partStarts || number == partBackStarts) {
			table = make([]byte, f.part(number).length())
		}
		f.differ(number, table)
	}
	return count
}

func (f *File) differ(number int, made []byte) {
	p := f.part(number)
	found := f.data[p.offset:p.end]
	at := 0
	for at < len(found) && at < len(made) && found[at] == made[at] {
		at++
	}
	check(at == len(found) && at == len(made), "IDX-DIFFERS", p.offset+at, "an index table does not match the document")
}

// digests makes part 37, §8.8. The values together are held to the budgets of streaming.
func (f *File) digests(made *tables, d *decoder) (table []byte) {
	x := index{f, f.rule.value, made, len(made[partLandmarks]) / f.width}
	var total uint64
	for slot := 0; slot < x.count; slot++ {
		ordinal, _ := x.slotOrdinal(slot)
		v, _, _ := x.value(ordinal)
		tree, _ := v.load(d)
		s := &stream{hash: sha256.New()}
		key := x.fullKey(ordinal)
		s.write(binary.LittleEndian.AppendUint32(nil, uint32(len(key))))
		s.write([]byte(key))
		s.value(tree)
		if total += s.nodes; total > maxNodes {
			fail("LIM-NODES", f.part(partRoot).offset, "the landmarks expand to more than %d values", maxNodes)
		}
		digest := s.sum()
		table = append(table, digest[:16]...)
	}
	return table
}

// stream writes the canonical value stream of trees, §4.7.
type stream struct {
	hash   hash.Hash
	buffer []byte
	nodes  uint64
}

func (s *stream) write(bytes []byte) { s.buffer = append(s.buffer, bytes...) }

func (s *stream) sum() (digest [32]byte) {
	s.hash.Write(s.buffer)
	s.hash.Sum(digest[:0])
	return digest
}

func (s *stream) value(value any) {
	s.nodes++
	if len(s.buffer) > 32<<10 {
		s.hash.Write(s.buffer)
		s.buffer = s.buffer[:0]
	}
	switch value := value.(type) {
	case nil:
		s.buffer = append(s.buffer, 0xC0)
	case bool:
		if value {
			s.buffer = append(s.buffer, 0xC3)
		} else {
			s.buffer = append(s.buffer, 0xC2)
		}
	case int64:
		if value >= 0 {
			s.head(uint64(value), 0, 0x80, 0xCC, 1)
		} else {
			s.negative(value)
		}
	case uint64:
		s.head(value, 0, 0x80, 0xCC, 1)
	case float64:
		s.buffer = binary.BigEndian.AppendUint64(append(s.buffer, 0xCB), math.Float64bits(value))
	case string:
		s.text(value)
	case []any:
		s.head(uint64(len(value)), 0x90, 16, 0xDC, 2)
		for _, item := range value {
			s.value(item)
		}
	case *Object:
		s.head(uint64(len(value.values)), 0x80, 16, 0xDE, 2)
		for i, item := range value.values {
			s.text(value.keys.names[i])
			s.value(item)
		}
	}
}

func (s *stream) text(text string) {
	s.head(uint64(len(text)), 0xA0, 32, 0xD9, 1)
	s.buffer = append(s.buffer, text...)
}

// head writes a number in one byte with the first, below the limit, or in the first form of so many
// bytes that has room; forms with more bytes follow.
func (s *stream) head(number uint64, first byte, limit uint64, form byte, size int) {
	if number < limit {
		s.buffer = append(s.buffer, first|byte(number))
		return
	}
	for size < 8 && number>>(8*size) != 0 {
		size *= 2
		form++
	}
	s.buffer = append(s.buffer, form)
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		s.buffer = append(s.buffer, byte(number>>shift))
	}
}

func (s *stream) negative(number int64) {
	switch {
	case number >= -32:
		s.buffer = append(s.buffer, byte(number))
	case number >= math.MinInt8:
		s.buffer = append(s.buffer, 0xD0, byte(number))
	case number >= math.MinInt16:
		s.buffer = binary.BigEndian.AppendUint16(append(s.buffer, 0xD1), uint16(number))
	case number >= math.MinInt32:
		s.buffer = binary.BigEndian.AppendUint32(append(s.buffer, 0xD2), uint32(number))
	default:
		s.buffer = binary.BigEndian.AppendUint64(append(s.buffer, 0xD3), uint64(number))
	}
}
