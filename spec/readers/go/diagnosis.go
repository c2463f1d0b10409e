package coconut

import (
	"bytes"
	"strings"
)

// §2.5 and §5.2: names of damage.

func isMediaType(front []byte) bool {
	end := bytes.IndexAny(front, "; \t\r\n")
	if end < 0 {
		end = len(front)
	}
	slash := bytes.IndexByte(front[:end], '/')
	isPart := func(part []byte) bool {
		return len(part) > 0 && allOf(string(part), func(c byte) bool { return c != '/' && isTokenChar(c) })
	}
	return slash > 0 && isPart(front[:slash]) && isPart(front[slash+1:end])
}

func isSource(front []byte) bool {
	for _, line := range bytes.Split(front, []byte("\n")) {
		line := strings.Trim(string(line), " \t\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if !allOf(line, func(c byte) bool { return c >= 0x20 || c == '\t' }) {
			return false
		}
		for _, start := range []string{"{", "[", `"`, "---", "%YAML", "- "} {
			if strings.HasPrefix(line, start) {
				return true
			}
		}
		return strings.Contains(line, ": ") || strings.HasSuffix(line, ":")
	}
	return false
}

// damages are found in place of the signature, §5.2.
var damages = []struct{ bytes, name string }{
	{"\x09CC", "the eighth bit was stripped"},
	{"\x89CC\r\r\n", "LF became CR LF"},
	{"\x89CC\r\n\x1A\r\n", "LF became CR LF"},
	{"\x89CC\n\x1A", "CR LF became LF"},
	{"\x89CC\n\n", "CR became LF"},
	{"\x89CC\r\r\x1A", "LF became CR"},
	{"\x89CC\r\x1A", "CR LF and LF became CR"},
	{"\x89CC\r\n\x1A\n", "the NUL was lost"},
	{"\xEF\xBF\xBDCC", "bytes that are not UTF-8 were replaced"},
	{"\xC2\x89CC", "each byte was taken for a Latin-1 character"},
	{"\xE2\x80\xB0CC", "each byte was taken for a Windows-1252 character"},
}

func (f *File) nameDamage(place int, isArray bool) {
	data := f.data
	if isArray && len(data) < f.headerAt {
		bytes := place + 2
		if len(data) < bytes {
			bytes = len(data)
		}
		fail("MSG-SHORT", bytes, "the file ends before or within the signature")
	}
	front := data[f.payload:]
	if len(front) > 32 {
		front = front[:32]
	}
	for at := 0; at <= 24 && at < len(front); at++ {
		for _, damage := range damages {
			if strings.HasPrefix(string(front[at:]), damage.bytes) {
				differs := at
				for differs < len(front) && differs-at < 8 && front[differs] == signature[2+differs-at] {
					differs++
				}
				if differs-at < 8 {
					fail("ENV-EOL", f.payload+differs,
						"the file went through text conversion (%s); add `*.coco -text` to .gitattributes and get it again",
						damage.name)
				}
			}
		}
	}
	check(isArray, "PAY-FORM", f.payload, "the payload is not an array")
	differs := place
	for data[differs] == signature[differs-place] {
		differs++
	}
	fail("ENV-SIGNATURE", differs, "the signature `89 43 43 0D 0A 1A 0A 00` is missing")
}

// nameFile identifies a file that does not begin with the media type, but with the common bytes.
func nameFile(data []byte, common int) {
	check(len(data) > 0, "ENV-EMPTY", 0, "the file has no bytes")
	front := data
	if len(front) > maxEnvelope {
		front = front[:maxEnvelope]
	}
	first, begins := front[0], func(text string) bool { return bytes.HasPrefix(front, []byte(text)) }
	zeros := front
	if len(zeros) > 8 {
		zeros = zeros[:8]
	}
	check(len(bytes.Trim(zeros, "\x00")) > 0, "ENV-ZERO", 0, "the file begins with zero bytes")
	check(!begins("\xEF\xBB\xBF") && !begins("\xFE\xFF") && !begins("\xFF\xFE"), "ENV-BOM", 0,
		"a byte order mark precedes the envelope")
	for _, magic := range []string{"\x1F\x8B", "\x28\xB5\x2F\xFD", "PK\x03\x04", "\xFD7zXZ\x00", "BZh"} {
		check(!begins(magic), "ENV-COMPRESSED", 0, "this is compressed data; decompress it first")
	}
	isRaw := first >= 0x80 && first < 0xA0 || first >= 0xDC && first <= 0xDF || begins("\xC4\x08\x89")
	check(!isRaw, "ENV-RAW", 0, "this is msgpack without an envelope")
	check(!isMediaType(front), "ENV-FOREIGN", 0, "this is another media type, not a Coconut document")
	check(!isSource(front), "ENV-TEXT", 0, "this is source text, not a compiled document")
	hasLine := len(data) < maxEnvelope || bytes.IndexByte(front, '\n') >= 0
	check(hasLine, "LIM-HEADER", maxEnvelope, "the first line has more than 4096 bytes")
	fail("ENV-START", common, "the file does not begin with `%s`", mediaType)
}
