package coconut

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// §2.4: source text, in files in encoding +json.

type sourceReader struct {
	data       []byte
	pos, depth int
}

func (f *File) readSource() any {
	data := f.data
	start := f.envelope.end
	for at := start; at < len(data) && !utf8.Valid(data[start:]); {
		r, size := utf8.DecodeRune(data[at:])
		check(r != utf8.RuneError || size > 1, "SRC-UTF8", at, "not valid UTF-8")
		at += size
	}
	s := sourceReader{data: data, pos: start}
	s.space()
	value := s.value()
	s.space()
	check(s.pos == len(data), "SRC-JSON", s.pos, "a second value follows")
	return value
}

func (s *sourceReader) at() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *sourceReader) space() {
	for c := s.at(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = s.at() {
		s.pos++
	}
}

func (s *sourceReader) expect(text string) {
	for i := 0; i < len(text); i++ {
		check(s.at() == text[i], "SRC-JSON", s.pos, "not JSON")
		s.pos++
	}
}

func (s *sourceReader) value() any {
	switch c := s.at(); {
	case c == '{':
		return s.object()
	case c == '[':
		return s.list()
	case c == '"':
		at := s.pos
		text := s.string()
		check(len(text) <= maxString, "LIM-STRING", at, "a string of more than 268435456 bytes")
		return text
	case c == 't':
		s.expect("true")
		return true
	case c == 'f':
		s.expect("false")
		return false
	case c == 'n':
		s.expect("null")
		return nil
	case c == '-' || isDigit(c):
		return s.number()
	}
	fail("SRC-JSON", s.pos, "a value is missing")
	return nil
}

// items calls item for each item up to the closing bracket.
func (s *sourceReader) items(end byte, item func()) {
	s.depth++
	check(s.depth <= maxDepth, "SRC-DEPTH", s.pos, "nested deeper than 512 levels")
	s.pos++
	s.space()
	for isFirst := true; s.at() != end; isFirst = false {
		if !isFirst {
			s.expect(",")
			s.space()
		}
		item()
		s.space()
	}
	s.pos++
	s.depth--
}

func (s *sourceReader) list() any {
	items := []any{}
	s.items(']', func() { items = append(items, s.value()) })
	return items
}

func (s *sourceReader) object() any {
	object := &Object{keys: &keys{}}
	seen := map[string]bool{}
	s.items('}', func() {
		at := s.pos
		check(s.at() == '"', "SRC-JSON", at, "a key is missing")
		name := s.string()
		check(len(name) <= maxKey, "LIM-STRING", at, "a key of more than 65536 bytes")
		check(!seen[name], "SRC-DUPKEY", at, "a key is twice in one object")
		seen[name] = true
		s.space()
		s.expect(":")
		s.space()
		object.keys.names = append(object.keys.names, name)
		object.values = append(object.values, s.value())
	})
	return object
}

func (s *sourceReader) string() string {
	s.pos++
	start := s.pos
	var text []byte
	for {
		switch c := s.at(); {
		case c == '"':
			text = append(text, s.data[start:s.pos]...)
			s.pos++
			return string(text)
		case c == '\\':
			text = append(text, s.data[start:s.pos]...)
			text = s.escape(text)
			start = s.pos
		default:
			check(c >= 0x20, "SRC-JSON", s.pos, "a control character in a string, or its end is missing")
			s.pos++
		}
	}
}

func (s *sourceReader) escape(text []byte) []byte {
	backslash := s.pos
	s.pos++
	c := s.at()
	if c != 'u' {
		at := strings.IndexByte(`"\/bfnrt`, c)
		check(c != 0 && at >= 0, "SRC-JSON", s.pos, "an unknown escape")
		s.pos++
		return append(text, "\"\\/\b\f\n\r\t"[at])
	}
	r := s.unit()
	if utf16.IsSurrogate(r) {
		isPair := s.at() == '\\' && s.pos+1 < len(s.data) && s.data[s.pos+1] == 'u'
		check(isPair, "SRC-JSON", backslash, "half a surrogate pair")
		s.pos++
		r = utf16.DecodeRune(r, s.unit())
		check(r != utf8.RuneError, "SRC-JSON", backslash, "half a surrogate pair")
	}
	return utf8.AppendRune(text, r)
}

// unit reads the hexadecimal digits after the backslash and the u.
func (s *sourceReader) unit() (r rune) {
	s.pos++
	for i := 0; i < 4; i++ {
		digit := strings.IndexByte("0123456789abcdef", lower(s.at()))
		check(digit >= 0, "SRC-JSON", s.pos, "an escape of four hexadecimal digits")
		r = r<<4 | rune(digit)
		s.pos++
	}
	return r
}

func (s *sourceReader) digits() string {
	start := s.pos
	for isDigit(s.at()) {
		s.pos++
	}
	check(s.pos > start, "SRC-JSON", s.pos, "a digit is missing")
	return string(s.data[start:s.pos])
}

func (s *sourceReader) number() any {
	start := s.pos
	isNegative := s.at() == '-'
	if isNegative {
		s.pos++
	}
	whole, fraction, exponent := "0", "", 0
	if s.at() == '0' {
		s.pos++
	} else {
		whole = s.digits()
	}
	isInteger := true
	if s.at() == '.' {
		s.pos++
		fraction, isInteger = s.digits(), false
	}
	if s.at() == 'e' || s.at() == 'E' {
		s.pos++
		sign := s.at()
		if sign == '-' || sign == '+' {
			s.pos++
		}
		digits := strings.TrimLeft(s.digits(), "0")
		if len(digits) > 18 {
			digits = "999999999999999999"
		}
		if exponent, isInteger = 0, false; digits != "" {
			exponent, _ = strconv.Atoi(digits)
		}
		if sign == '-' {
			exponent = -exponent
		}
	}
	text := string(s.data[start:s.pos])
	switch {
	case isInteger && text == "-0":
		return math.Copysign(0, -1)
	case isInteger && isNegative:
		number, err := strconv.ParseInt(text, 10, 64)
		check(err == nil, "NUM-RANGE", start, "an integer out of range")
		return number
	case isInteger:
		number, err := strconv.ParseUint(text, 10, 64)
		check(err == nil, "NUM-RANGE", start, "an integer out of range")
		return unsigned(number)
	}
	float, _ := strconv.ParseFloat(text, 64)
	digits, power := normal(whole+fraction, exponent-len(fraction))
	isFloat := !math.IsInf(float, 0) && (float != 0 || digits == "")
	check(isFloat, "NUM-RANGE", start, "a number beyond all floats")
	if float != 0 {
		shortest := strconv.FormatFloat(math.Abs(float), 'e', -1, 64)
		at := strings.IndexByte(shortest, 'e')
		point, _ := strconv.Atoi(shortest[at+1:])
		mantissa := strings.Replace(shortest[:at], ".", "", 1)
		near, nearPower := normal(mantissa, point-len(mantissa)+1)
		check(digits == near && power == nearPower, "NUM-PRECISION", start, "no float denotes it exactly enough")
	}
	return float
}

// normal leaves out zeros at both ends of the digits of a number.
func normal(digits string, power int) (string, int) {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	return short, power + len(digits) - len(short)
}
