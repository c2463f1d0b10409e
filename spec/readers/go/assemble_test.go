package coconut

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// assemble makes a file without index and block table, with zeros for claims and digest. The
// elements are given as msgpack.
func assemble(rule map[string][]string, join *string, elements ...string) []byte {
	text := func(to []byte, s string) []byte { return append(append(to, 0xD9, byte(len(s))), s...) }
	file := []byte("application/vnd.coconut+msgpack; document-type=document; version=1\n\n\x97" + signature)
	header := []byte{}
	fields := 0
	put := func(key string, value ...byte) {
		header = append(text(header, key), value...)
		fields++
	}
	put("document-type", text(nil, "document")...)
	put("version", 1)
	put("profile", text(nil, "full")...)
	put("producer", text(nil, "test")...)
	put("values", 0)
	put("depth", 0)
	put("landmarks", 0)
	put("digest", append([]byte{0xC4, 32}, make([]byte, 32)...)...)
	for _, field := range []string{"patterns", "edges"} {
		list := []byte{0x90 | byte(len(rule[field]))}
		for _, one := range rule[field] {
			list = text(list, one)
		}
		put(field, list...)
	}
	if join != nil {
		put("join", text(nil, *join)...)
	}
	file = append(append(file, 0x80|byte(fields)), header...)
	var directory []byte
	for i, element := range elements {
		directory = append(directory, byte(i+1), flagCritical|flagElement, 0, 0)
		directory = binary.LittleEndian.AppendUint32(directory, uint32(len(file)))
		directory = binary.LittleEndian.AppendUint32(directory, uint32(len(element)))
		file = append(file, element...)
	}
	file = append(file, 0xC4, byte(len(directory)+trailerSize))
	file = append(file, directory...)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(file)+trailerSize))
	file = append(file, 0, 0, 0, 0, 0, 0, 0, 0, byte(len(elements)), 0, 0, 0)
	file = append(file, "COCO"...)
	return binary.LittleEndian.AppendUint32(file, crc32.ChecksumIEEE(file))
}

// {"a": {"needs": "b"}, "b": {"needs": "b"}}, where both values are one shared record.
func TestEdgesInSharedRecords(t *testing.T) {
	rule := map[string][]string{"patterns": {"/*"}, "edges": {"needs=0/needs"}}
	f, err := OpenBytes(assemble(rule, nil, "\x90", "\x91\x91\xA5needs", "\x91\x92\x00\xA1b",
		"\x95\xC2\xA1a\xFF\xA1b\xFF"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b"} {
		edges, err := f.Dependencies(key)
		if err != nil || len(edges) != 1 || edges[0].Landmark.Ordinal != 1 {
			t.Errorf("edges of %s: %v, %v", key, edges, err)
		}
	}
	edges, err := f.Dependents("b")
	if err != nil || len(edges) != 2 {
		t.Errorf("edges to b: %v, %v", edges, err)
	}
}

// Landmarks in landmarks, whose keys are compared only as far as they differ.
func TestNestedLandmarksTakeTimeInProportion(t *testing.T) {
	const levels, records = 400, 20_000
	join := "/"
	inner := []byte{0xDD}
	inner = binary.BigEndian.AppendUint32(inner, 1+2*2)
	inner = append(inner, "\xC2\xA1k\xA1x\xA1r"...)
	inner = append(inner, 0xDD)
	inner = binary.BigEndian.AppendUint32(inner, 1+records)
	inner = append(inner, 0xC0)
	for i := 0; i < records; i++ {
		inner = append(inner, 0x92, 0, 0x00)
	}
	root := inner
	for i := 0; i < levels; i++ {
		root = append([]byte("\x95\xC2\xA1k\xA1x\xA1r"), root...)
	}
	rule := map[string][]string{"patterns": {"(/*)*[k]"}}
	f, err := OpenBytes(assemble(rule, &join, "\x91\xA1y", "\x91\x91\xA1k", "\x90", string(root)))
	if err != nil {
		t.Fatal(err)
	}
	if count, err := f.Count(); err != nil || count != levels+1+records {
		t.Fatalf("%d landmarks, %v", count, err)
	}
	if found, err := f.GetAll("x/x/zz"); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}
