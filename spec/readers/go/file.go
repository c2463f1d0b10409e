package coconut

import (
	"encoding/binary"
	"hash/crc32"
	"sync/atomic"
)

// §5 and §7: signature, trailer, directory, checksums: level open.

const (
	partStrings, partShapes, partShared, partRoot  = 1, 2, 3, 4
	partStringOffsets                              = 16
	partLandmarks, partClasses, partTree           = 32, 33, 34
	partBuckets, partSlots, partDigests            = 35, 36, 37
	partStarts, partTargets, partKinds             = 40, 41, 42
	partBackStarts, partBackTargets, partBackKinds = 43, 44, 45
	partBlocks                                     = 64

	flagCritical, flagElement, flagNewer = 1, 4, 8
	allFlags                             = 15

	trailerSize = 28
)

var signature = "\xC4\x08\x89CC\r\n\x1A\n\x00"

type part struct {
	number      int
	flags       byte
	stride      uint // binary logarithm
	at          int  // of its entry in the directory
	offset, end int
	exists      bool
}

func (f *File) part(number int) *part { return &f.parts[f.byNumber[number]] }

func (p *part) length() int { return p.end - p.offset }

// File is an opened file. Its methods can be called by several goroutines at once, but not together
// with Close.
type File struct {
	data   []byte
	unmap  func([]byte) error
	closed atomic.Bool

	envelope  envelope
	header    Header
	plain     bool   // profile plain
	parts     []part // the first stands for all that are absent
	byNumber  [256]uint8
	directory []int // numbers of the parts, in order of entries

	payload, headerAt, headerEnd, entries, trailer int
	width                                          int // of an offset in tables: 4 or 8
	blockBits                                      uint
	blocks, tableBlocks                            []uint32 // 1 where the checksum was compared

	source   lazy[any] // the document of a file in encoding +json
	elements [partRoot]lazy[element]
	offsets  [partRoot]lazy[[]int] // of all items, once they were looked for
	shapes   shapes
	rule     lazy[*rule]
	found    lazy[*tables] // what a walk makes where the file has no index
	edges    lazy[*tables]
}

// open has the steps of §10.2.
func (f *File) open() {
	f.envelope = readEnvelope(f.data)
	if f.envelope.isJSON {
		return
	}
	f.payload = f.envelope.end
	f.checkSignature()
	f.readTrailer()
	f.readDirectory()
	f.touch(0, f.headerAt)
	f.readHeader()
	for _, number := range f.directory {
		p := f.part(number)
		check(p.offset >= f.headerEnd, "PRT-RANGE", p.at, "the part begins in the header")
	}
}

func (f *File) checkSignature() {
	data, start := f.data, f.payload
	place, isArray := start+1, true
	switch rest := data[start:]; {
	case len(rest) == 0:
		fail("MSG-SHORT", start, "the payload is missing")
	case rest[0]&0xF0 == 0x90:
	case rest[0] == 0xDC:
		place = start + 3
	case rest[0] == 0xDD:
		place = start + 5
	default:
		isArray = false
	}
	f.headerAt = place + len(signature)
	if f.headerAt > len(data) || string(data[place:f.headerAt]) != signature || !isArray {
		f.nameDamage(place, isArray)
	}
	c := cursor{f, start, len(data), len(data)}
	array := c.next()
	check(array.n >= 7, "PAY-FORM", start, "the payload has fewer than seven elements")
}

func (f *File) readTrailer() {
	size := len(f.data)
	check(size-f.payload >= trailerSize, "TRL-MAGIC", size, "no trailer at the end: the file is cut short")
	f.trailer = size - trailerSize
	t := f.data[f.trailer:]
	check(string(t[20:24]) == "COCO", "TRL-MAGIC", size-8,
		"no trailer at the end of the file: the file is cut short, or something follows it")
	length, covers := binary.LittleEndian.Uint64(t), binary.LittleEndian.Uint64(t[8:])
	check(length == uint64(size), "TRL-LENGTH", f.trailer, "the trailer records another length than that of the file")
	check(covers <= uint64(f.trailer), "TRL-FIELD", f.trailer, "the checksum begins after the trailer")
	f.compare(f.data[covers:size-4], binary.LittleEndian.Uint32(t[24:]), int(covers))
	check(t[18]&2 == 0, "TRL-NEWER", f.trailer, "the frame needs a newer reader; upgrade, or use the source")
	f.blockBits = uint(t[19])
	check(t[18] <= 1 && (f.blockBits == 0 || f.blockBits >= 12 && f.blockBits <= 20), "TRL-FIELD", f.trailer,
		"unknown flags, or another block size")
	f.width = 4 + 4*int(t[18])
	count := int(binary.LittleEndian.Uint16(t[16:]))
	f.entries = f.trailer - count*f.entrySize()
	check(f.entries >= f.payload, "TRL-FIELD", f.trailer, "the directory is not in the payload")
	check(count <= maxEntries, "LIM-COUNT", f.trailer, "the directory has more than 64 entries")
}

func (f *File) entrySize() int { return 4 + 2*f.width }

func (f *File) compare(bytes []byte, sum uint32, offset int) {
	if found := crc32.ChecksumIEEE(bytes); found != sum {
		fail("SUM-MISMATCH", offset, "checksum of the block is %#08x, should be %#08x", found, sum)
	}
}

func isElement(number int) bool { return number >= partStrings && number <= partRoot }

func isOffsets(number int) bool { return number >= 16 && number <= 18 }

func isKnown(number int) bool {
	isIndex := number >= partLandmarks && number <= partDigests || number >= partStarts && number <= partBackKinds
	return isElement(number) || isOffsets(number) || isIndex || number == partBlocks
}

// readDirectory has the checks of §5.8.
func (f *File) readDirectory() {
	for at := f.entries; at < f.trailer; at += f.entrySize() {
		check(f.data[at+1]&flagNewer == 0, "PRT-NEWER", at, "the part needs a newer reader; upgrade, or use the source")
	}
	last := -1
	f.parts = make([]part, 1, 1+maxEntries)
	for at := f.entries; at < f.trailer; at += f.entrySize() {
		p := f.readEntry(at)
		check(p.number > last, "PRT-TWICE", at, "the part is listed twice or out of order")
		last = p.number
		check(isKnown(p.number) || p.flags&flagCritical == 0, "PRT-CRITICAL", at, "the part is critical and unknown")
		check(p.flags&flagElement != 0 || p.offset%8 == 0, "PRT-PADDING", at, "the table is not at a multiple of 8")
		for _, number := range f.directory {
			other := f.part(number)
			check(p.offset >= other.end || p.end <= other.offset, "PRT-RANGE", at, "the part overlaps another")
		}
		f.byNumber[p.number] = uint8(len(f.parts))
		f.parts = append(f.parts, p)
		f.directory = append(f.directory, p.number)
	}
	f.checkMissing()
	table := f.part(partBlocks)
	check(table.exists == (f.blockBits != 0), "TRL-FIELD", f.trailer, "a block size without table, or none with one")
	f.checkLengths()
	covers := int(binary.LittleEndian.Uint64(f.data[f.trailer+8:]))
	check(covers == table.end, "TRL-FIELD", f.trailer, "the checksum begins at another place")
	if table.exists {
		blocks := (table.length() + 1<<f.blockBits - 1) >> f.blockBits
		check(table.end+4*blocks <= f.entries, "PRT-RANGE", table.at, "the root table is not before the directory")
		f.blocks, f.tableBlocks = make([]uint32, table.length()/4), make([]uint32, blocks)
	}
}

func (f *File) readEntry(at int) part {
	e := f.data[at:]
	p := part{number: int(e[0]), flags: e[1], stride: uint(binary.LittleEndian.Uint16(e[2:])), at: at, exists: true}
	check(p.flags&^allFlags == 0 && (p.stride == 0 || isOffsets(p.number) && p.stride <= 31), "PRT-RANGE", at,
		"unknown flags, or a number that should be zero")
	check(!isKnown(p.number) || isElement(p.number) == (p.flags&flagElement != 0), "PRT-RANGE", at,
		"an element is called a table, or a table an element")
	offset, length := f.number(e[4:]), f.number(e[4+f.width:])
	check(p.flags&flagElement == 0 || length > 0, "PRT-RANGE", at, "an element without bytes")
	limit := uint64(f.entries)
	check(offset >= uint64(f.payload) && offset <= limit && length <= limit-offset, "PRT-RANGE", at, "outside the payload")
	p.offset, p.end = int(offset), int(offset+length)
	return p
}

func (f *File) number(bytes []byte) uint64 {
	if f.width == 8 {
		return binary.LittleEndian.Uint64(bytes)
	}
	return uint64(binary.LittleEndian.Uint32(bytes))
}

func (f *File) checkMissing() {
	has := func(number int) bool { return f.part(number).exists }
	require := func(isNeeded bool, numbers ...int) {
		for _, number := range numbers {
			check(!isNeeded || has(number), "PRT-MISSING", f.entries, "a part is missing that others need")
		}
	}
	require(true, 1, 2, 3, 4)
	isKeyed := has(partBuckets) || has(partSlots) || has(partDigests)
	hasEdges := has(40) || has(41) || has(42) || has(43) || has(44) || has(45)
	require(has(partClasses) || has(partTree) || isKeyed || hasEdges, partLandmarks)
	require(has(partBuckets) || has(partSlots), partBuckets, partSlots)
	require(has(partDigests), partSlots)
	require(hasEdges, 40, 41, 42, 43, 44, 45)
}

// checkLengths compares the lengths of tables with the counts that the directory gives.
func (f *File) checkLengths() {
	count, w := f.part(partLandmarks).length()/f.width, f.width
	units := map[int]int{16: w, 17: w, 18: w, partLandmarks: w, partTargets: 4, partBackTargets: 4}
	expected := map[int]int{
		partClasses: count, partTree: 8 * count, partBuckets: 4 * (1<<bucketBits(count) + 1),
		partSlots: 2 * w * count, partDigests: 16 * count, partStarts: 4 * (count + 1), partBackStarts: 4 * (count + 1),
		partKinds: f.part(partTargets).length() / 4, partBackKinds: f.part(partBackTargets).length() / 4,
		partBlocks: 4 * ((f.part(partBlocks).offset + 1<<f.blockBits - 1) >> f.blockBits),
	}
	for _, number := range f.directory {
		p := f.part(number)
		length, isFixed := expected[number]
		isShared := (number == partStarts || number == partBackStarts) && p.length() == 8*count
		if unit := units[number]; isFixed && !isShared && p.length() != length || unit > 0 && p.length()%unit != 0 {
			fail("PRT-LENGTH", p.at, "part %d should have %d bytes, has %d", number, length, p.length())
		}
		check(number != partLandmarks || count <= maxLandmarks, "LIM-COUNT", p.at, "more than 16777216 landmarks")
		isTargets := number == partTargets || number == partBackTargets
		check(!isTargets || p.length()/4 <= maxEdges, "LIM-COUNT", p.at, "more than 134217728 edges")
	}
}

func bucketBits(count int) uint {
	bits := uint(0)
	for 4<<bits < count {
		bits++
	}
	return bits
}

// touch compares the checksums of the blocks of a span (§7.2). It returns up to where they are
// compared now.
func (f *File) touch(from, to int) int {
	table := f.part(partBlocks)
	if !table.exists || from >= table.offset {
		return len(f.data)
	}
	block := from >> f.blockBits
	for ; block<<f.blockBits < to && block < len(f.blocks); block++ {
		if atomic.LoadUint32(&f.blocks[block]) == 0 {
			f.compareBlock(block)
		}
	}
	return block << f.blockBits
}

func (f *File) compareBlock(block int) {
	table := f.part(partBlocks)
	entry := table.offset + 4*block
	tableBlock := 4 * block >> f.blockBits
	if atomic.LoadUint32(&f.tableBlocks[tableBlock]) == 0 {
		f.compareSpan(table.offset+tableBlock<<f.blockBits, table.end, table.end+4*tableBlock)
		atomic.StoreUint32(&f.tableBlocks[tableBlock], 1)
	}
	f.compareSpan(block<<f.blockBits, table.offset, entry)
	atomic.StoreUint32(&f.blocks[block], 1)
}

// compareSpan compares the block that begins at an offset with the checksum at another.
func (f *File) compareSpan(from, limit, sum int) {
	to := from + 1<<f.blockBits
	if to > limit {
		to = limit
	}
	f.compare(f.data[from:to], binary.LittleEndian.Uint32(f.data[sum:]), from)
}
