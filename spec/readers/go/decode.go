package coconut

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Decode stores the value in what target points to, as encoding/json does: structs with `json`
// tags, maps with string keys, slices, arrays, pointers, scalars, and `any`. Interfaces take
// map[string]any, []any, string, bool, int64 (uint64 beyond it), float64 and nil. Within them, what
// is shared in the file is one map or slice, so do not change it. Types with UnmarshalJSON are given
// JSON text.
func (v Value) Decode(target any) error {
	to := reflect.ValueOf(target)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("Decode needs a pointer that is not nil, got %T", target)
	}
	tree, err := v.Load()
	if err != nil {
		return err
	}
	a := assigner{limit: maxHeld, at: int64(v.at), objects: map[*Object]any{}, lists: map[*any]any{}}
	return a.assign(to.Elem(), tree)
}

type assigner struct {
	limit   int // values that may still be made
	at      int64
	objects map[*Object]any
	lists   map[*any]any
}

// MismatchError reports that a value does not fit the Go type at its place. It is an ErrKind.
type MismatchError struct {
	// Path is a JSON pointer from the decoded value.
	Path string
	// Found is the kind of the value.
	Found Kind
	Type  reflect.Type
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s at %q does not fit %s", e.Found, e.Path, e.Type)
}

// Unwrap makes errors.Is find ErrKind.
func (e *MismatchError) Unwrap() error { return ErrKind }

// below adds a step to the path of an error.
func below(step string, err error) error {
	if e, isMismatch := err.(*MismatchError); isMismatch {
		e.Path = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step) + e.Path
	}
	return err
}

func mismatch(value any, to reflect.Type) error {
	return &MismatchError{"", kindOf(value), to}
}

func (a *assigner) assign(to reflect.Value, value any) error {
	if a.limit--; a.limit < 0 {
		return &Error{"LIM-NODES", a.at, fmt.Sprintf("expands to more than %d values", maxHeld)}
	}
	if to.CanAddr() {
		if special, isSpecial := to.Addr().Interface().(json.Unmarshaler); isSpecial && to.Kind() != reflect.Pointer {
			var text strings.Builder
			if err := WriteJSON(&text, value); err != nil {
				return err
			}
			return special.UnmarshalJSON([]byte(text.String()))
		}
	}
	switch to.Kind() {
	case reflect.Pointer:
		if value == nil {
			to.Set(reflect.Zero(to.Type()))
			return nil
		}
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return a.assign(to.Elem(), value)
	case reflect.Interface:
		plain, err := a.plain(value)
		if err != nil || plain == nil {
			to.Set(reflect.Zero(to.Type()))
			return err
		}
		if !reflect.TypeOf(plain).AssignableTo(to.Type()) {
			return mismatch(value, to.Type())
		}
		to.Set(reflect.ValueOf(plain))
		return nil
	}
	switch value := value.(type) {
	case nil:
		if to.Kind() == reflect.Map || to.Kind() == reflect.Slice {
			to.Set(reflect.Zero(to.Type()))
		}
		return nil
	case *Object:
		return a.object(to, value)
	case []any:
		return a.list(to, value)
	default:
		return scalar(to, value)
	}
}

func scalar(to reflect.Value, value any) error {
	fits := false
	switch value := value.(type) {
	case bool:
		if fits = to.Kind() == reflect.Bool; fits {
			to.SetBool(value)
		}
	case string:
		if fits = to.Kind() == reflect.String; fits {
			to.SetString(value)
		}
	case float64:
		if fits = isFloat(to) && (to.Kind() == reflect.Float64 || !to.OverflowFloat(value)); fits {
			to.SetFloat(value)
		}
	case int64:
		switch {
		case to.CanInt():
			if fits = !to.OverflowInt(value); fits {
				to.SetInt(value)
			}
		case to.CanUint():
			if fits = value >= 0 && !to.OverflowUint(uint64(value)); fits {
				to.SetUint(uint64(value))
			}
		case isFloat(to):
			// As in encoding/json, the nearest float.
			fits = true
			to.SetFloat(float64(value))
		}
	case uint64:
		switch {
		case to.CanUint():
			if fits = !to.OverflowUint(value); fits {
				to.SetUint(value)
			}
		case isFloat(to):
			fits = true
			to.SetFloat(float64(value))
		}
	}
	if !fits {
		return mismatch(value, to.Type())
	}
	return nil
}

func isFloat(to reflect.Value) bool {
	return to.Kind() == reflect.Float64 || to.Kind() == reflect.Float32
}

func (a *assigner) list(to reflect.Value, items []any) error {
	switch to.Kind() {
	case reflect.Slice:
		if a.limit < len(items) {
			return &Error{"LIM-NODES", a.at, fmt.Sprintf("expands to more than %d values", maxHeld)}
		}
		to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
	case reflect.Array:
		to.Set(reflect.Zero(to.Type()))
	default:
		return mismatch(items, to.Type())
	}
	for i := 0; i < len(items) && i < to.Len(); i++ {
		if err := a.assign(to.Index(i), items[i]); err != nil {
			return below(strconv.Itoa(i), err)
		}
	}
	return nil
}

func (a *assigner) object(to reflect.Value, object *Object) error {
	switch to.Kind() {
	case reflect.Map:
		if to.Type().Key().Kind() != reflect.String {
			return mismatch(object, to.Type())
		}
		if to.IsNil() {
			to.Set(reflect.MakeMapWithSize(to.Type(), int(math.Min(float64(object.Len()), 1024))))
		}
		for i, value := range object.values {
			item := reflect.New(to.Type().Elem()).Elem()
			if err := a.assign(item, value); err != nil {
				return below(object.keys.names[i], err)
			}
			to.SetMapIndex(reflect.ValueOf(object.keys.names[i]).Convert(to.Type().Key()), item)
		}
	case reflect.Struct:
		fields := fieldsOf(to.Type())
		for i, value := range object.values {
			name := object.keys.names[i]
			at, exists := fields[name]
			if !exists {
				at, exists = fields[strings.ToLower(name)+"\x00"]
			}
			if !exists {
				continue
			}
			if err := a.assign(fieldAt(to, at), value); err != nil {
				return below(name, err)
			}
		}
	default:
		return mismatch(object, to.Type())
	}
	return nil
}

var knownFields sync.Map // reflect.Type to map[string][]int

// fieldsOf has the fields of a struct by name, and by lower-case name with a NUL after it.
func fieldsOf(t reflect.Type) map[string][]int {
	if known, isKnown := knownFields.Load(t); isKnown {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		isInlined := field.Anonymous && name == ""
		if !field.IsExported() || isInlined || field.Tag.Get("json") == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		for _, name := range []string{name, strings.ToLower(name) + "\x00"} {
			if known, isKnown := fields[name]; !isKnown || len(known) > len(field.Index) {
				fields[name] = field.Index
			}
		}
	}
	knownFields.Store(t, fields)
	return fields
}

func fieldAt(to reflect.Value, path []int) reflect.Value {
	for i, index := range path {
		if i > 0 && to.Kind() == reflect.Pointer {
			if to.IsNil() {
				to.Set(reflect.New(to.Type().Elem()))
			}
			to = to.Elem()
		}
		to = to.Field(index)
	}
	return to
}

// plain makes maps of objects, one for each that is shared.
func (a *assigner) plain(value any) (any, error) {
	switch value := value.(type) {
	case *Object:
		if known, isKnown := a.objects[value]; isKnown {
			return known, nil
		}
		made := make(map[string]any, value.Len())
		for i, item := range value.values {
			plain, err := a.plain(item)
			if err != nil {
				return nil, err
			}
			made[value.keys.names[i]] = plain
		}
		a.objects[value] = made
		return made, nil
	case []any:
		if len(value) == 0 {
			return value, nil
		}
		if known, isKnown := a.lists[&value[0]]; isKnown {
			return known, nil
		}
		made := make([]any, len(value))
		for i, item := range value {
			plain, err := a.plain(item)
			if err != nil {
				return nil, err
			}
			made[i] = plain
		}
		a.lists[&value[0]] = made
		return made, nil
	}
	return value, nil
}
