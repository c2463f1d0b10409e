package coconut

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"sync/atomic"
)

func appendScalar(to []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(to, "null"...)
	case bool:
		return strconv.AppendBool(to, value)
	case int64:
		return strconv.AppendInt(to, value, 10)
	case uint64:
		return strconv.AppendUint(to, value, 10)
	case float64:
		return appendFloat(to, value)
	}
	return appendString(to, value.(string))
}

// Object is an object of a loaded tree. Its keys keep their order. What is shared in the file is
// one Object, or one slice, in the tree, so trees must not be changed.
type Object struct {
	keys   *keys
	values []any
}

// keys are those of one object, or of all records of a shape.
type keys struct {
	names []string
	index atomic.Pointer[map[string]int] // where there are many, once one was looked for
}

// Len is the number of entries.
func (o *Object) Len() int { return len(o.values) }

// Entry returns an entry by its place.
func (o *Object) Entry(i int) (key string, value any) { return o.keys.names[i], o.values[i] }

// Get returns the value of a key.
func (o *Object) Get(key string) (value any, exists bool) {
	if len(o.values) > 8 {
		index := o.keys.index.Load()
		if index == nil {
			made := make(map[string]int, len(o.keys.names))
			for i, name := range o.keys.names {
				made[name] = i
			}
			index = &made
			o.keys.index.Store(index)
		}
		if i, exists := (*index)[key]; exists {
			return o.values[i], true
		}
		return nil, false
	}
	for i, name := range o.keys.names {
		if name == key {
			return o.values[i], true
		}
	}
	return nil, false
}

// MarshalJSON makes trees work with encoding/json.
func (o *Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	err := WriteJSON(&text, o)
	return text.Bytes(), err
}

// WriteJSON writes a loaded tree as JSON text without white space. The text goes back to the same
// values: keys keep their order, and floats always have a point or an exponent.
func WriteJSON(to io.Writer, tree any) error {
	w := bufio.NewWriterSize(to, 32<<10)
	p := printer{w: w}
	p.value(tree)
	return w.Flush()
}

type printer struct {
	w    *bufio.Writer
	text []byte
}

func (p *printer) value(value any) {
	switch value := value.(type) {
	case []any:
		between := byte('[')
		for _, item := range value {
			p.w.WriteByte(between)
			between = ','
			p.value(item)
		}
		p.close(len(value) == 0, "[]")
	case *Object:
		between := byte('{')
		for i, item := range value.values {
			p.w.WriteByte(between)
			between = ','
			p.scalar(value.keys.names[i])
			p.w.WriteByte(':')
			p.value(item)
		}
		p.close(len(value.values) == 0, "{}")
	default:
		p.scalar(value)
	}
}

func (p *printer) close(isEmpty bool, brackets string) {
	if isEmpty {
		p.w.WriteByte(brackets[0])
	}
	p.w.WriteByte(brackets[1])
}

func (p *printer) scalar(value any) {
	p.text = appendScalar(p.text[:0], value)
	p.w.Write(p.text)
}

func appendFloat(to []byte, value float64) []byte {
	start := len(to)
	format := byte('f')
	if abs := math.Abs(value); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	to = strconv.AppendFloat(to, value, format, -1, 64)
	if bytes.IndexAny(to[start:], ".e") < 0 {
		to = append(to, ".0"...)
	}
	return to
}

func appendString(to []byte, text string) []byte {
	to = append(to, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		if escapes[text[i]] == 0 {
			continue
		}
		to = append(to, text[start:i]...)
		start = i + 1
		to = append(to, '\\')
		switch c := text[i]; c {
		case '"', '\\':
			to = append(to, c)
		case '\b':
			to = append(to, 'b')
		case '\t':
			to = append(to, 't')
		case '\n':
			to = append(to, 'n')
		case '\f':
			to = append(to, 'f')
		case '\r':
			to = append(to, 'r')
		default:
			to = append(to, 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		}
	}
	return append(append(to, text[start:]...), '"')
}
