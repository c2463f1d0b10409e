package coconut

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// FuzzOpen gives any bytes to all that reads. Nothing may panic, and what is accepted at a level must
// hold at the others: a document that verifies is printed and read again with equal values.
//
//	go test -fuzz FuzzOpen -fuzztime 60s
func FuzzOpen(f *testing.F) {
	for _, folder := range []string{"good", "bad"} {
		for _, v := range vectors(f, folder) {
			if len(v.bytes) < 4_096 {
				f.Add(v.bytes)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		useAll(t, data)
		useAll(t, repaired(data))
	})
}

// repaired makes the trailer's length and the checksums fit, so that faults behind them are reached.
func repaired(data []byte) []byte {
	if len(data) < trailerSize || string(data[len(data)-8:len(data)-4]) != "COCO" {
		return data
	}
	data = append([]byte(nil), data...)
	trailer := data[len(data)-trailerSize:]
	binary.LittleEndian.PutUint64(trailer, uint64(len(data)))
	binary.LittleEndian.PutUint64(trailer[8:], 0)
	binary.LittleEndian.PutUint32(trailer[24:], crc32.ChecksumIEEE(data[:len(data)-4]))
	return data
}

func useAll(t *testing.T, data []byte) {
	file, err := OpenBytes(data)
	if err != nil {
		return
	}
	checked := file.Check()
	tree, loaded := file.Load()
	if said(checked) != said(loaded) && checked != nil {
		t.Errorf("check: %v, load: %v", checked, loaded)
	}
	_, verified := file.Verify()
	if verified == nil && checked != nil {
		t.Errorf("verify accepts what check refuses: %v", checked)
	}
	useLandmarks(file)
	root, err := file.Root()
	if err != nil || loaded != nil {
		return
	}
	var text bytes.Buffer
	if err := root.JSON(&text); err != nil || text.Len() > 1<<20 {
		return
	}
	if again := parsed(t, text.Bytes()); !same(again, tree) {
		t.Errorf("printed as another document: %s", text.Bytes())
	}
	var plain any
	if err := root.Decode(&plain); err != nil {
		t.Errorf("decode: %v", err)
	}
}

// useLandmarks calls everything; the errors are whatever they are.
func useLandmarks(file *File) {
	visited := 0
	_ = file.Landmarks(func(l Landmark) bool {
		key, _ := l.Key()
		_, _ = file.GetAll(key)
		_, _ = l.OwnKey()
		_, _ = l.Class()
		_, _, _ = l.Parent()
		_ = l.Children(func(Landmark) bool { return true })
		_, _ = l.Dependencies()
		_, _ = l.Dependents()
		if v, err := l.Value(); err == nil {
			_, _ = v.Load()
			_ = v.Entries(func(string, Value) bool { return true })
		}
		visited++
		return visited < 50
	})
}
