package coconut

import (
	"bytes"
	"fmt"
	"strings"
)

// §8.1: the landmark rule, parsed when it is first used.

// Limits of §9.
const maxPieces = 32

type rule struct {
	patterns []pattern
	edges    []edgePattern
	join     string
	hasJoin  bool
	states   []state
	// ofPatterns leaves out the states of edges.
	ofPatterns stateSet
}

type pattern struct {
	key *template // nil without [Key]
	end int       // the state of its path
}

type edgePattern struct {
	kind    string
	class   int
	end     int
	reading reading
	text    string
}

type reading uint8

const (
	readWhole reading = iota
	readBeforeLast
	readBeforeFirst
	readNames
	readInstances
)

// template parses a key; a field is also a key.
type template []pieces

type pieces struct {
	optional bool // in parentheses
	once     bool // left out if the key ends with it already
	list     []piece
}

type piece struct {
	path              []string // nil for text
	isJSON, isModules bool
	equals            bool
	text              string
}

// states of the machine that walks paths. A set of them is what a value has reached.
const maxStates = 192

type stateSet [maxStates / 64]uint64

func (s *stateSet) add(other stateSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

func (s stateSet) has(state int) bool { return s[state/64]>>(state%64)&1 != 0 }

func one(state int) (s stateSet) {
	s[state/64] = 1 << (state % 64)
	return s
}

type step struct {
	kind byte // '*', '/' for a name, '{' for an only entry
	name string
	to   int
}

type state struct {
	steps   []step
	groups  []int    // that begin here
	closure stateSet // this state and all groups that begin here
	next    stateSet // where the steps lead
}

func (f *File) readRule() *rule {
	h := &f.header
	r := &rule{join: h.Join, hasJoin: h.HasJoin, states: make([]state, 1)}
	p := ruleParser{rule: r}
	place := func(field string, i int) int {
		if places := h.items[field]; i < len(places) {
			return places[i]
		}
		return f.headerAt // of the rule of packages, which has no faults
	}
	isPlural := -1 // a pattern with too many pieces
	for i, text := range h.Patterns {
		p.begin(text, place("patterns", i))
		p.require(i < 32, "there are more than 32 patterns")
		p.pattern()
		if p.pieces > maxPieces && isPlural < 0 {
			isPlural = i
		}
	}
	for i := range r.states {
		r.ofPatterns.add(one(i))
	}
	for i, text := range h.Edges {
		p.begin(text, place("edges", i))
		p.require(i < 32, "there are more than 32 edges")
		p.edge()
	}
	if isPlural >= 0 {
		fail("LIM-COUNT", place("patterns", isPlural), "more than %d pieces in a template", maxPieces)
	}
	r.close()
	return r
}

// close computes the closures: a group may be entered where its path is.
func (r *rule) close() {
	for i := len(r.states) - 1; i >= 0; i-- {
		s := &r.states[i]
		s.closure = one(i)
		for _, group := range s.groups { // they are later states
			s.closure.add(r.states[group].closure)
		}
	}
	for i := range r.states {
		for _, s := range r.states[i].steps {
			r.states[i].next.add(r.states[s.to].closure)
		}
	}
}

// step leads from a set of states into an entry or, without name, into an item.
func (r *rule) step(set stateSet, isEntry bool, is func(name string) bool, isOnly bool) (next stateSet) {
	for i := range r.states {
		if !set.has(i) {
			continue
		}
		for _, s := range r.states[i].steps {
			if s.kind == '*' || isEntry && (s.kind == '/' || isOnly) && is(s.name) {
				next.add(r.states[s.to].closure)
			}
		}
	}
	return next
}

// class is the lowest pattern that ends in a set, or -1.
func (r *rule) class(set stateSet) int {
	for i := range r.patterns {
		if set.has(r.patterns[i].end) {
			return i
		}
	}
	return -1
}

type ruleParser struct {
	rule     *rule
	text     string
	pos, at  int
	segments int // of all patterns and edges so far
	pieces   int // of this pattern
}

func (p *ruleParser) begin(text string, at int) { p.text, p.pos, p.at, p.pieces = text, 0, at, 0 }

// require refuses a rule that a later version may have, or that no version has, by the code.
func (p *ruleParser) require(ok bool, message string, code ...string) {
	if !ok {
		panic(&Error{append(code, "LMK-NEWER")[0], int64(p.at), fmt.Sprintf("no landmark rule, %q: %s", p.text, message)})
	}
}

func (p *ruleParser) accept(token string) bool {
	if strings.HasPrefix(p.text[p.pos:], token) {
		p.pos += len(token)
		return true
	}
	return false
}

const special = "*()[]{}=|<"

// name reads characters without meaning, and escapes.
func (p *ruleParser) name() string {
	var name []byte
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == '/' || strings.IndexByte(special, c) >= 0 {
			break
		}
		p.pos++
		if c == '~' {
			p.require(p.pos < len(p.text), "nothing is after ~")
			c = p.text[p.pos]
			p.pos++
			switch {
			case c == '0':
				c = '~'
			case c == '1':
				c = '/'
			default:
				p.require(strings.IndexByte(special, c) >= 0, "nothing else is written with ~")
			}
		}
		name = append(name, c)
	}
	return string(name)
}

func (p *ruleParser) nonempty() string {
	name := p.name()
	p.require(name != "", "a text is missing")
	return name
}

func (p *ruleParser) state() int {
	p.rule.states = append(p.rule.states, state{})
	return len(p.rule.states) - 1
}

// segment goes from a state to a new one.
func (p *ruleParser) segment(from int, isEdge bool) int {
	s := step{kind: '/'}
	p.require(p.accept("/"), "a segment begins with /")
	switch {
	case p.accept("*"):
		s.kind = '*'
	case isEdge && p.accept("{"):
		s.kind, s.name = '{', p.name()
		p.require(p.accept("}"), "} is missing")
	default:
		s.name = p.name()
	}
	p.segments++
	p.require(p.segments <= 64, "the rule has more than 64 segments")
	s.to = p.state()
	p.rule.states[from].steps = append(p.rule.states[from].steps, s)
	return s.to
}

// path returns the state of its end, the number of its steps, and whether the last is a group.
func (p *ruleParser) path(from int, isEdge bool) (end, steps int, isGroup bool) {
	for end = from; p.pos < len(p.text); steps++ {
		switch p.text[p.pos] {
		case '/':
			end = p.segment(end, isEdge)
			isGroup = false
		case '(':
			p.pos++
			group := p.state()
			p.rule.states[end].groups = append(p.rule.states[end].groups, group)
			p.group(group, isEdge)
			end, isGroup = group, true
		default:
			return end, steps, isGroup
		}
	}
	return end, steps, isGroup
}

// group makes the states of a group. Its last segment leads back and not to the state made for it.
func (p *ruleParser) group(start int, isEdge bool) {
	for at := start; ; {
		from := at
		at = p.segment(from, isEdge)
		if p.accept(")*") {
			steps := p.rule.states[from].steps
			steps[len(steps)-1].to = start
			p.rule.states = p.rule.states[:at]
			return
		}
	}
}

func (p *ruleParser) pattern() {
	end, steps, isGroup := p.path(0, false)
	made := pattern{end: end}
	if p.accept("[") {
		made.key = p.key()
		p.require(p.accept("]"), "] is missing")
	}
	p.require(p.pos == len(p.text), "it should end here")
	p.require(made.key != nil || steps > 0 && !isGroup, "without a key, a pattern ends in a segment", "LMK-RULE")
	p.rule.patterns = append(p.rule.patterns, made)
}

func (p *ruleParser) field() []string {
	path := []string{p.nonempty()}
	for p.accept("/") {
		path = append(path, p.nonempty())
	}
	return path
}

func (p *ruleParser) key() *template {
	start := p.pos
	if c := p.peek(); c != '{' && c != '(' {
		path := p.field()
		if p.peek() == ']' {
			p.pieces = 1
			return &template{{list: []piece{{path: path}}}}
		}
		p.pos = start
	}
	var made template
	for p.peek() != ']' {
		if p.accept("(") {
			group := pieces{optional: true, list: []piece{p.piece()}}
			for c := p.peek(); c != ')' && c != '|'; c = p.peek() {
				group.list = append(group.list, p.piece())
			}
			group.once = p.accept("|once")
			p.require(p.accept(")"), ") is missing")
			made = append(made, group)
		} else {
			made = append(made, pieces{list: []piece{p.piece()}})
		}
	}
	hasField := false
	for _, part := range made {
		for _, piece := range part.list {
			hasField = hasField || piece.path != nil
		}
	}
	p.require(hasField, "a template needs a field")
	first := made[0].list[0]
	isAlone := len(made) == 1 && !made[0].optional && !first.isJSON && !first.isModules && !first.equals
	p.require(!isAlone, "a field alone is written without braces", "LMK-RULE")
	return &made
}

func (p *ruleParser) peek() byte {
	p.require(p.pos < len(p.text), "] is missing")
	return p.text[p.pos]
}

func (p *ruleParser) piece() (made piece) {
	p.pieces++
	if !p.accept("{") {
		made.text = p.nonempty()
		return made
	}
	made.path = p.field()
	switch {
	case p.accept("|"):
		made.isModules = p.accept("modules")
		made.isJSON = !made.isModules && p.accept("json")
		p.require(made.isJSON || made.isModules, "only json and modules are known after |")
	case p.accept("="):
		made.equals, made.text = true, p.nonempty()
	}
	p.require(p.accept("}"), "} is missing")
	return made
}

func (p *ruleParser) edge() {
	equals := strings.IndexByte(p.text, '=')
	p.require(equals > 0, "an edge begins with its kind and =")
	made := edgePattern{kind: p.text[:equals]}
	isKind := func(c byte) bool { return c >= 'a' && c <= 'z' || isDigit(c) || c == '-' }
	isWord := allOf(made.kind, isKind) && made.kind[0] >= 'a' && made.kind[0] <= 'z'
	p.require(isWord, "a kind is lower-case letters, digits and -")
	p.pos = equals + 1
	start := p.pos
	for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
		made.class = made.class*10%1000 + int(p.text[p.pos]-'0')
		p.pos++
	}
	digits := p.text[start:p.pos]
	p.require(len(digits) == 1 || len(digits) == 2 && digits[0] != '0', "a class is one or two digits")
	p.require(made.class < len(p.rule.patterns), "the rule has no such pattern", "LMK-RULE")
	end, steps, _ := p.path(p.rule.patterns[made.class].end, true)
	p.require(steps > 0, "an edge has at least one step")
	if p.accept("<") {
		switch {
		case p.accept("{"):
			made.reading = readNames
		case p.accept("["):
			made.reading = readInstances
		case p.accept("<"):
			made.reading, made.text = readBeforeFirst, p.nonempty()
		default:
			made.reading, made.text = readBeforeLast, p.nonempty()
		}
	}
	p.require(p.pos == len(p.text), "it should end here")
	made.end = end
	p.rule.edges = append(p.rule.edges, made)
}

// references calls found with each reference of a string.
func (e *edgePattern) references(text string, found func(string)) {
	switch e.reading {
	case readBeforeLast:
		if at := strings.LastIndex(text, e.text); at >= 0 {
			text = text[:at]
		}
	case readBeforeFirst:
		if at := strings.Index(text, e.text); at >= 0 {
			text = text[:at]
		}
	case readNames:
		for {
			_, rest, isOpen := strings.Cut(text, "${")
			name, rest, isClosed := strings.Cut(rest, "}")
			if !isOpen || !isClosed {
				return
			}
			if cut := strings.IndexAny(name, ".["); cut >= 0 {
				name = name[:cut]
			}
			if name != "" && name[0] != '!' {
				found(name)
			}
			text = rest
		}
	}
	found(text)
}

// withoutInstances leaves the instance keys out of a full key.
func withoutInstances(to, key []byte) []byte {
	for at := 0; at < len(key); at++ {
		if key[at] == '[' {
			if end := instanceEnd(key[at+1:]); end > 0 {
				at += end
				continue
			}
		}
		to = append(to, key[at])
	}
	return to
}

// instanceEnd is the length of what is in brackets, the closing one included, or 0.
func instanceEnd(rest []byte) int {
	at := 0
	if len(rest) > 0 && rest[0] == '"' {
		for at = 1; at < len(rest) && rest[at] != '"'; at++ {
			if rest[at] == '\\' {
				at++
			}
		}
		at++
	} else {
		for at < len(rest) && isDigit(rest[at]) {
			at++
		}
	}
	if at > 0 && at < len(rest) && rest[at] == ']' {
		return at + 1
	}
	return 0
}

// ownKey makes the key of a landmark from its fields. Only an object has one.
func (p *pattern) ownKey(v Value) (own string, exists bool) {
	if v.open().kind != ObjectKind {
		return "", false
	}
	var key []byte
	for _, part := range *p.key {
		start, isWhole := len(key), true
		for i := 0; i < len(part.list) && isWhole; i++ {
			key, isWhole = part.list[i].append(key, v)
		}
		if !isWhole && !part.optional {
			return "", false
		}
		if !isWhole || part.once && bytes.HasSuffix(key[:start], key[start:]) {
			key = key[:start]
		}
	}
	return string(key), true
}

func (p *piece) append(key []byte, v Value) ([]byte, bool) {
	if p.path == nil {
		return append(key, p.text...), true
	}
	for _, name := range p.path {
		var exists bool
		if v, exists = v.field(name); !exists {
			return key, false
		}
	}
	if p.isModules {
		return appendModules(key, v)
	}
	kind := v.open().kind
	if kind != String && !(kind == Integer && p.isJSON) {
		return key, false
	}
	found, _ := v.load(&decoder{f: v.f, build: true})
	switch {
	case p.isJSON:
		return appendScalar(key, found), true
	case p.equals:
		return append(key, p.text...), found == p.text
	}
	return append(key, found.(string)...), true
}

// appendModules appends the address of a module of Terraform: the path ["root", "a", "b"] is
// module.a.module.b.
func appendModules(to []byte, path Value) ([]byte, bool) {
	o := path.open()
	if o.kind != List || o.count < 2 {
		return to, false
	}
	start, count, isPath := len(to), 0, true
	o.each(func(_ key, item Value) bool {
		found, _ := item.load(&decoder{f: item.f, build: item.open().kind == String})
		name, isText := found.(string)
		if isPath = isText && (count > 0 || name == "root"); isPath && count > 0 {
			to = append(to, ".module."+name...)
		}
		count++
		return isPath
	})
	if len(to) > start { // without the first point
		to = append(to[:start], to[start+1:]...)
	}
	return to, isPath
}
