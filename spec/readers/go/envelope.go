package coconut

import "strings"

// §2: the text before the first blank line.

const mediaType = "application/vnd.coconut"

type envelope struct {
	isJSON       bool
	documentType string
	parameters   []Parameter
	end          int
}

func isTokenChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
		c != 0 && strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}

func allOf(text string, isGood func(byte) bool) bool {
	for i := 0; i < len(text); i++ {
		if !isGood(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isTypeChar(c byte) bool {
	return isDigit(c) || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '.' || c == '-'
}

// scanner reads the envelope; line is where the blank line begins.
type scanner struct {
	data     []byte
	pos, end int
}

func readEnvelope(data []byte) envelope {
	checkStart(data)
	line, end := blankLine(data)
	s := scanner{data, len(mediaType), line}
	var e envelope
	e.end = end
	encoding := strings.ToLower(s.token())
	e.isJSON = encoding == "+json"
	for s.space(); s.pos < s.end; s.space() {
		check(data[s.pos] == ';', "ENV-SYNTAX", s.pos, "expected `; name=value`")
		s.pos++
		s.space()
		e.parameter(&s)
	}
	found := map[string]bool{}
	for _, isVersion := range []bool{true, false} { // first: another version may differ in all else
		for _, p := range e.parameters {
			if (strings.ToLower(p.Name) == "version") == isVersion {
				e.judge(p, found)
			}
		}
	}
	check(e.isJSON || encoding == "+msgpack", "ENV-ENCODING", len(mediaType), "unknown base encoding")
	check(found["document-type"], "ENV-NOTYPE", line, "`document-type` is missing")
	check(found["version"], "ENV-VERSION", line, "`version` is missing")
	return e
}

func (e *envelope) parameter(s *scanner) {
	at := s.pos
	name := s.token()
	check(name != "" && s.at() == '=', "ENV-SYNTAX", s.pos, "expected `; name=value`")
	s.pos++
	p := Parameter{name, "", s.pos, false}
	if s.at() == '"' {
		p.Value, p.hasEscape = s.quoted()
	} else {
		p.Value = s.token()
		check(p.Value != "", "ENV-SYNTAX", p.at, "expected a value")
	}
	check(len(e.parameters) < maxParameters, "LIM-HEADER", at, "more than 32 parameters")
	e.parameters = append(e.parameters, p)
}

func (e *envelope) judge(p Parameter, found map[string]bool) {
	lower := strings.ToLower(p.Name)
	check(!found[lower], "ENV-DUPPARAM", p.at-len(lower)-1, "the parameter was already given")
	found[lower] = true
	switch lower {
	case "document-type":
		check(p.Value != "" && !p.hasEscape && allOf(p.Value, isTypeChar), "ENV-NOTYPE", p.at,
			"`document-type` is not letters, digits, `.` and `-`")
		e.documentType = p.Value
	case "version":
		number := strings.TrimLeft(p.Value, "0")
		check(p.Value != "" && !p.hasEscape && allOf(p.Value, isDigit) &&
			(len(number) < 5 || len(number) == 5 && number <= "65535"), "ENV-VERSION", p.at,
			"`version` is not a number from 0 to 65535")
		check(number != "", "ENV-OLDER", p.at, "version 0 is from before the format was frozen; compile the source again")
		if number != "1" {
			fail("ENV-NEWER", p.at, "needs a reader of version %s; upgrade, or use the source", number)
		}
	}
}

func (s *scanner) at() byte {
	if s.pos < s.end {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) token() string {
	start := s.pos
	for s.pos < s.end && isTokenChar(s.data[s.pos]) {
		s.pos++
	}
	return string(s.data[start:s.pos])
}

// space passes spaces and folds.
func (s *scanner) space() {
	for c := s.at(); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = s.at() {
		s.pos++
	}
}

func (s *scanner) quoted() (value string, hasEscape bool) {
	start := s.pos
	var text []byte
	for s.pos++; s.at() != '"'; s.pos++ {
		if s.at() == '\\' {
			hasEscape = true
			s.pos++
		}
		c := s.at()
		check(c != 0 && c != '\r' && c != '\n', "ENV-SYNTAX", start, "the value is not closed on its line")
		text = append(text, c)
	}
	s.pos++
	return string(text), hasEscape
}

// blankLine finds where the blank line begins and ends, §2.1.
func blankLine(data []byte) (line, end int) {
	short := func(at int) { fail("ENV-NOBLANK", at, "no blank line after the envelope") }
	limited := data
	if len(data) >= maxEnvelope {
		limited = data[:maxEnvelope]
		short = func(int) { fail("LIM-HEADER", maxEnvelope, "more than 4096 bytes of envelope") }
	}
	// lineEnd passes a line end, if there is one.
	lineEnd := func(at int) int {
		switch {
		case at >= len(limited):
			short(at)
		case limited[at] == '\n':
			return at + 1
		case limited[at] == '\r':
			if at+1 >= len(limited) {
				short(len(data))
			}
			if limited[at+1] == '\n' {
				return at + 2
			}
			check(limited[at+1] != '\r', "ENV-NOBLANK", at, "CR CR is not a blank line")
		}
		return at
	}
	for at := len(mediaType); ; {
		if at >= len(limited) {
			short(len(data))
		}
		if c := limited[at]; c != '\r' && c != '\n' {
			check(c == '\t' || c >= 0x20 && c < 0x7F, "ENV-CHAR", at, "a byte that is not allowed in an envelope")
			at++
			continue
		}
		next := lineEnd(at)
		check(next > at, "ENV-CHAR", at, "a CR that ends no line")
		if next >= len(limited) {
			short(len(data))
		}
		if second := lineEnd(next); second > next {
			return at, second
		}
		c := limited[next]
		check(c == ' ' || c == '\t' || c == ';', "ENV-NOBLANK", next, "the line does not continue the envelope")
		at = next
	}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// checkStart compares the media type.
func checkStart(data []byte) {
	common := 0
	for common < len(data) && common < len(mediaType) && lower(data[common]) == mediaType[common] {
		common++
	}
	check(common == 0 || common < len(data), "ENV-NOBLANK", len(data), "the file is cut in its first line")
	if common < len(mediaType) || data[common] != '+' && isTokenChar(data[common]) {
		nameFile(data, common)
	}
}
