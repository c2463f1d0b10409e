package coconut

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// §3: one msgpack token at a time.

type form uint8

const (
	formNil form = iota
	formFalse
	formTrue
	formUint
	formNegative
	formFloat
	formString
	formBin
	formExt
	formArray
	formMap
)

type token struct {
	form form
	long bool  // a longer form than needed, §3.3
	ext  uint8 // type of an extension
	// n is a number (negative ones as int64, floats as bits), a count, or the length of a body.
	n          uint64
	start, end int // end: after the body; after the header of an array or map
}

func (t token) bytes(data []byte) []byte { return data[t.end-int(t.n) : t.end] }

// isText reports a string or the id of one, in a position where there are ids.
func (t token) isText() bool { return t.form == formString || t.form == formUint }

// cursor reads tokens of a span. It compares the blocks of all bytes up to known before it uses
// them (§7.2).
type cursor struct {
	f               *File
	pos, end, known int
}

func (f *File) cursor(pos, end int) cursor { return cursor{f, pos, end, pos} }

// need makes n bytes available, or reports that they are missing from offset on.
func (c *cursor) need(from, n, offset int) {
	if n > c.end-from {
		fail("MSG-SHORT", offset, "needs %d bytes, has %d", n, c.end-from)
	}
	if from+n > c.known {
		c.known = c.f.touch(from, from+n)
	}
}

// §3.1, rows of the forms with a number after the first byte: form and bytes of the number.
var wide = [32]struct {
	form form
	size uint8
}{
	{formNil, 0}, {formNil, 0}, {formFalse, 0}, {formTrue, 0}, {formBin, 1}, {formBin, 2}, {formBin, 4},
	{formExt, 1}, {formExt, 2}, {formExt, 4}, {formNil, 0}, {formFloat, 8},
	{formUint, 1}, {formUint, 2}, {formUint, 4}, {formUint, 8},
	{formNegative, 1}, {formNegative, 2}, {formNegative, 4}, {formNegative, 8},
	{formExt, 0}, {formExt, 0}, {formExt, 0}, {formExt, 0}, {formExt, 0},
	{formString, 1}, {formString, 2}, {formString, 4}, {formArray, 2}, {formArray, 4}, {formMap, 2}, {formMap, 4},
}

// next reads a header, and the body of all but arrays and maps.
func (c *cursor) next() token {
	start := c.pos
	if start >= c.end || start >= c.known {
		c.need(start, 1, start)
	}
	data := c.f.data
	first := data[start]
	t := token{start: start}
	at := start + 1
	switch {
	case first < 0x80:
		t.form, t.n = formUint, uint64(first)
	case first < 0x90:
		t.form, t.n = formMap, uint64(first&15)
	case first < 0xA0:
		t.form, t.n = formArray, uint64(first&15)
	case first < 0xC0:
		t.form, t.n = formString, uint64(first&31)
	case first >= 0xE0:
		t.form, t.n = formNegative, uint64(int64(int8(first)))
	default:
		at = c.wide(&t, first)
	}
	switch t.form {
	case formString, formBin, formExt:
		if t.n > uint64(c.end-at) {
			fail("MSG-SHORT", at, "needs %d bytes, has %d", t.n, c.end-at)
		}
		if at+int(t.n) > c.known {
			c.known = c.f.touch(at, at+int(t.n))
		}
		at += int(t.n)
	case formArray, formMap:
		bytes := uint64(c.end - at)
		if t.n > bytes || t.form == formMap && 2*t.n > bytes {
			fail("MSG-COUNT", start, "declares %d items, but only %d bytes remain", t.n, bytes)
		}
	}
	t.end, c.pos = at, at
	return t
}

// wide reads the number after the first bytes C0 to DF, and returns where it ends.
func (c *cursor) wide(t *token, first byte) int {
	check(first != 0xC1, "MSG-RESERVED", t.start, "byte 0xc1 is reserved in msgpack")
	check(first != 0xCA, "MSG-TYPE", t.start, "expected a float of 64 bits, found one of 32")
	row := wide[first&31]
	t.form = row.form
	at, size := t.start+1, int(row.size)
	if size > 0 {
		c.need(at, size, at)
		t.n = bigEndian(c.f.data[at : at+size])
	}
	at += size
	least := [9]uint64{0, 0, 1 << 8, 0, 1 << 16, 0, 0, 0, 1 << 32}[size]
	switch row.form {
	case formUint:
		t.long = t.n < least || size == 1 && t.n < 0x80
	case formNegative:
		shift := 64 - 8*size
		number := int64(t.n<<shift) >> shift
		t.n = uint64(number)
		if number >= 0 {
			t.form, t.long = formUint, true
		} else {
			t.long = number >= [9]int64{0, -32, math.MinInt8, 0, math.MinInt16, 0, 0, 0, math.MinInt32}[size]
		}
	case formString:
		t.long = t.n < least || size == 1 && t.n < 32
	case formBin:
		t.long = t.n < least
	case formArray, formMap:
		t.long = size == 2 && t.n < 16 || size == 4 && t.n < 1<<16
	case formExt:
		if size == 0 {
			t.n = 1 << (first - 0xD4)
		}
		t.long = size > 0 && (t.n < least || t.n <= 16 && t.n&(t.n-1) == 0 && t.n > 0)
		c.need(at, 1, at)
		t.ext = c.f.data[at]
		at++
	}
	return at
}

func bigEndian(bytes []byte) uint64 {
	var padded [8]byte
	copy(padded[8-len(bytes):], bytes)
	return binary.BigEndian.Uint64(padded[:])
}

// skip passes values. It needs no stack, and judges nothing but msgpack.
func (c *cursor) skip(values uint64) {
	for ; values > 0; values-- {
		switch t := c.next(); t.form {
		case formArray:
			values += t.n
		case formMap:
			values += 2 * t.n
		}
	}
}

// text checks a string, §3.3.
func text(bytes []byte, offset int) string {
	checkText(bytes, offset)
	return string(bytes)
}

func checkText(bytes []byte, offset int) {
	if !utf8.Valid(bytes) {
		for at := 0; ; {
			r, size := utf8.DecodeRune(bytes[at:])
			check(r != utf8.RuneError || size > 1, "STR-UTF8", offset+at, "not valid UTF-8")
			at += size
		}
	}
}

func (c *cursor) text(t token) string { return text(t.bytes(c.f.data), t.end-int(t.n)) }
