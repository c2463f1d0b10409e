package coconut

// §5.3: the header.

// Header is what the header says. Values, Depth and Landmarks are claims, which Verify compares.
type Header struct {
	DocumentType, Profile, Producer, Dialect string
	Requires, RequiresWrite, Optional        []string
	Values, Depth, Landmarks                 uint64
	Digest                                   [32]byte
	Source                                   *Source
	// Patterns, Join and Edges are the landmark rule (§8.1).
	Patterns, Edges []string
	Join            string
	HasJoin         bool

	places            map[string]int // of the values
	patternAt, edgeAt []int
}

// Source says which text the file was compiled from.
type Source struct {
	Format string
	Bytes  uint64
	SHA256 [32]byte
}

type headerReader struct {
	cursor
	header *Header
	isSub  bool // reads the map of the field `source`
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
	f.header = Header{places: map[string]int{}}
	r := headerReader{f.cursor(f.headerAt, end), &f.header, false}
	first := r
	first.checkRequires()
	r.fields([]string{"document-type", "version", "profile", "producer", "values", "depth", "landmarks", "digest"})
	f.headerEnd = r.pos
	h := &f.header
	check(sameLetters(h.DocumentType, f.envelope.documentType), "HDR-MISMATCH", h.places["document-type"],
		"envelope and header disagree about `document-type`")
	_, hasPatterns := h.places["patterns"]
	_, hasEdges := h.places["edges"]
	if sameLetters(h.DocumentType, "cocopack") && !hasPatterns && !hasEdges && !h.HasJoin {
		h.Patterns = []string{"[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*"}
		h.Join, h.HasJoin, h.patternAt = ":", true, make([]int, 4)
	}
}

func (r *headerReader) begin() token {
	t := r.next()
	check(t.form == formMap, "PAY-FORM", t.start, "the header is no map")
	return t
}

func (r *headerReader) key() (string, int) {
	t := r.next()
	check(t.form == formString, "MSG-TYPE", t.start, "a key of the header is no string")
	return string(t.bytes(r.f.data)), t.end - int(t.n)
}

// checkRequires looks for what a reader must know, before anything else in the header.
func (r *headerReader) checkRequires() {
	for n := r.begin().n; n > 0; n-- {
		if key, _ := r.key(); key != "requires" {
			r.skip(1)
			continue
		}
		array := r.next()
		check(array.form == formArray, "HDR-FIELD", array.start, "header field `requires` is no list")
		if array.n > 0 {
			item := r.next()
			check(item.form == formString, "HDR-FIELD", item.start, "an item of `requires` is no string")
			fail("HDR-REQUIRES", item.start, "the document requires the feature %q, which this reader does not know",
				item.bytes(r.f.data))
		}
		return
	}
}

func (r *headerReader) fields(required []string) {
	start := r.pos
	seen := map[string]bool{}
	var count uint64
	if t := r.next(); r.isSub {
		check(t.form == formMap, "HDR-FIELD", start, "header field `source` is no map")
		count = t.n
	} else {
		count = t.n
	}
	for ; count > 0; count-- {
		key, at := r.key()
		text([]byte(key), at)
		check(!seen[key], "HDR-FIELD", r.pos, "a header field is given twice")
		seen[key] = true
		r.field(key)
	}
	for _, key := range required {
		check(seen[key], "HDR-FIELD", start, "header field `"+key+"` is missing")
	}
}

func (r *headerReader) field(key string) {
	h := r.header
	if r.isSub {
		switch key {
		case "format":
			h.Source.Format = r.str()
		case "bytes":
			h.Source.Bytes = r.integer(^uint64(0))
		case "sha-256":
			r.digest(&h.Source.SHA256)
		default:
			r.skip(1)
		}
		return
	}
	h.places[key] = r.pos
	switch at := r.pos; key {
	case "document-type":
		h.DocumentType = r.str()
	case "version":
		check(r.integer(0xFFFF) == 1, "HDR-MISMATCH", at, "envelope and header disagree about `version`")
	case "profile":
		h.Profile = r.str()
		r.f.plain = h.Profile == "plain"
		check(h.Profile == "full" || h.Profile == "plain" || h.Profile == "transport", "HDR-FIELD", at, "an unknown profile")
	case "requires":
		h.Requires, _ = r.list()
	case "requires-write":
		h.RequiresWrite, _ = r.list()
	case "optional":
		h.Optional, _ = r.list()
	case "producer":
		h.Producer = r.str()
	case "values":
		h.Values = r.integer(^uint64(0))
	case "depth":
		h.Depth = r.integer(0xFFFFFFFF)
	case "landmarks":
		h.Landmarks = r.integer(^uint64(0))
	case "source":
		h.Source = new(Source)
		r.isSub = true
		r.fields([]string{"format", "bytes", "sha-256"})
		r.isSub = false
	case "digest":
		r.digest(&h.Digest)
	case "dialect":
		h.Dialect = r.str()
	case "patterns":
		h.Patterns, h.patternAt = r.list()
	case "join":
		h.Join, h.HasJoin = r.str(), true
	case "edges":
		h.Edges, h.edgeAt = r.list()
	default:
		r.skip(1)
	}
}

func (r *headerReader) str() string {
	t := r.next()
	check(t.form == formString, "HDR-FIELD", t.start, "a header field is no string")
	return r.text(t)
}

func (r *headerReader) integer(limit uint64) uint64 {
	t := r.next()
	check(t.form == formUint && t.n <= limit, "HDR-FIELD", t.start, "a header field is no integer in range")
	return t.n
}

func (r *headerReader) digest(into *[32]byte) {
	t := r.next()
	check(t.form == formBin && t.n == 32, "HDR-FIELD", t.start, "a header field is no digest of 32 bytes")
	copy(into[:], t.bytes(r.f.data))
}

func (r *headerReader) list() (texts []string, places []int) {
	t := r.next()
	check(t.form == formArray, "HDR-FIELD", t.start, "a header field is no list")
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
