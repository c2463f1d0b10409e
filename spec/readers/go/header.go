package coconut

// §5.3: the header.

type headerReader struct {
	cursor
	header *Header
	source Source
	into   map[string]any // where the fields go
	prefix string         // of the keys of the field `source`
}

func (f *File) readHeader() {
	end := f.entries
	if end > f.headerAt+maxHeader {
		end = f.headerAt + maxHeader
		defer func() {
			fault := recover()
			if e, isError := fault.(*Error); isError && (e.Kind == "MSG-SHORT" || e.Kind == "MSG-COUNT") {
				fail("LIM-HEADER", end, "the header has more than 65536 bytes")
			} else if fault != nil {
				panic(fault)
			}
		}()
	}
	f.header = Header{places: map[string]int{}, items: map[string][]int{}}
	h := &f.header
	r := headerReader{cursor: f.cursor(f.headerAt, end), header: h}
	r.into = map[string]any{"document-type": &h.DocumentType, "version": &h.version, "profile": &h.Profile,
		"requires": &h.Requires, "requires-write": &h.RequiresWrite, "optional": &h.Optional,
		"producer": &h.Producer, "values": &h.Values, "depth": &h.Depth, "landmarks": &h.Landmarks,
		"digest": &h.Digest, "dialect": &h.Dialect, "patterns": &h.Patterns, "join": &h.Join, "edges": &h.Edges,
		"source": &h.Source, inSource + "format": &r.source.Format, inSource + "bytes": &r.source.Bytes,
		inSource + "sha-256": &r.source.SHA256}
	first := r
	first.checkRequires()
	r.fields("document-type", "version", "profile", "producer", "values", "depth", "landmarks", "digest")
	f.headerEnd = r.pos
	check(sameLetters(h.DocumentType, f.envelope.documentType), "HDR-MISMATCH", h.places["document-type"],
		"envelope and header disagree about `document-type`")
	check(h.version == 1, "HDR-MISMATCH", h.places["version"], "envelope and header disagree about `version`")
	f.plain = h.Profile == "plain"
	h.HasJoin = h.places["join"] > 0
	if sameLetters(h.DocumentType, "cocopack") && h.places["patterns"]+h.places["edges"]+h.places["join"] == 0 {
		h.Patterns = []string{"[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*"}
		h.Join, h.HasJoin = ":", true
	}
}

func (r *headerReader) key() string {
	t := r.next()
	check(t.form == formString, "MSG-TYPE", t.start, "a key of the header is not a string")
	return r.text(t)
}

// checkRequires looks for what a reader must know, before anything else in the header.
func (r *headerReader) checkRequires() {
	fields := r.next()
	check(fields.form == formMap, "PAY-FORM", fields.start, "the header is not a map")
	for n := fields.n; n > 0; n-- {
		start := r.pos
		key := r.next() // keys are judged with the fields
		if key.form != formString || string(key.bytes(r.f.data)) != "requires" {
			r.pos = start
			r.skip(2)
			continue
		}
		list := r.next()
		if list.form == formArray {
			list.start = r.pos // of its first item
		}
		check(list.form == formArray && list.n == 0, "HDR-REQUIRES", list.start,
			"the document requires a feature that this reader does not know")
		return
	}
}

func (r *headerReader) fields(required ...string) {
	fields := r.next()
	check(fields.form == formMap, "HDR-FIELD", fields.start, "a header field is not a map")
	seen := map[string]bool{}
	for n := fields.n; n > 0; n-- {
		key := r.key()
		check(!seen[key], "HDR-FIELD", r.pos, "a header field is given twice")
		seen[key] = true
		r.field(key)
	}
	for _, key := range required {
		check(seen[key], "HDR-FIELD", fields.start, "header field `"+key+"` is missing")
	}
}

func (r *headerReader) field(key string) {
	h := r.header
	key = r.prefix + key
	h.places[key] = r.pos
	switch into := r.into[key].(type) {
	case *string:
		at := r.pos
		*into = r.str()
		isKnown := *into == "full" || *into == "plain" || *into == "transport"
		check(isKnown || key != "profile", "HDR-FIELD", at, "an unknown profile")
	case *uint64:
		*into = r.integer(limits[key])
	case *[]string:
		*into, h.items[key] = r.list()
	case *[32]byte:
		r.digest(into)
	case **Source:
		r.prefix, *into = inSource, &r.source
		r.fields("format", "bytes", "sha-256")
		r.prefix = ""
	default:
		r.skip(1)
	}
}

// limits of numbers in the header; others may have 64 bits.
var limits = map[string]uint64{"version": 0xFFFF, "depth": 0xFFFFFFFF}

func (r *headerReader) str() string {
	t := r.next()
	check(t.form == formString, "HDR-FIELD", t.start, "a header field is not a string")
	return r.text(t)
}

func (r *headerReader) integer(limit uint64) uint64 {
	t := r.next()
	check(t.form == formUint && (limit == 0 || t.n <= limit), "HDR-FIELD", t.start, "no integer in range")
	return t.n
}

func (r *headerReader) digest(into *[32]byte) {
	t := r.next()
	check(t.form == formBin && t.n == 32, "HDR-FIELD", t.start, "a header field is not a digest of 32 bytes")
	copy(into[:], t.bytes(r.f.data))
}

func (r *headerReader) list() (texts []string, places []int) {
	t := r.next()
	check(t.form == formArray, "HDR-FIELD", t.start, "a header field is not a list")
	for ; t.n > 0; t.n-- {
		places = append(places, r.pos)
		texts = append(texts, r.str())
	}
	return texts, places
}

// sameLetters compares without the case of ASCII letters.
func sameLetters(a, b string) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// inSource stands before the keys of the field `source`. No key begins so, since keys are text.
const inSource = "\xFF"
