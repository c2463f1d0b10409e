package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"

	coconut "github.com/coconut-format/coconut/spec/readers/go"
)

// object is printed in the order of its fields.
type landmark struct {
	Ordinal      int             `json:"ordinal"`
	Key          string          `json:"key"`
	Own          string          `json:"own"`
	Class        int             `json:"class"`
	Parent       *int            `json:"parent"`
	Children     []int           `json:"children"`
	Dependencies [][2]int        `json:"dependencies"`
	Dependents   [][2]int        `json:"dependents"`
	Value        json.RawMessage `json:"value"`
}

// found prints a line of JSON, with lookups of the keys in N.keys, a list in JSON.
func found(out *bufio.Writer, path, stem string) error {
	line, err := foundIn(path, stem)
	if err != nil {
		line = map[string]string{"file": stem, "error": err.Error()}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}

func foundIn(path, stem string) (line any, err error) {
	text, err := os.ReadFile(strings.TrimSuffix(path, "coco") + "keys")
	if err != nil {
		return nil, err
	}
	var keys []string
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	f, err := coconut.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make([][]landmark, len(keys))
	for i, key := range keys {
		if all[i], err = lookUp(f, key); err != nil {
			return nil, err
		}
	}
	digest, err := f.Verify()
	if err != nil {
		return nil, err
	}
	count, err := f.Count()
	return struct {
		File      string       `json:"file"`
		Digest    string       `json:"digest"`
		Landmarks int          `json:"landmarks"`
		Found     [][]landmark `json:"found"`
	}{stem, hex.EncodeToString(digest[:]), count, all}, err
}

func lookUp(f *coconut.File, key string) ([]landmark, error) {
	found, err := f.GetAll(key)
	all := []landmark{}
	for _, l := range found {
		if err != nil {
			break
		}
		var one landmark
		one, err = describe(l)
		all = append(all, one)
	}
	return all, err
}

func describe(l coconut.Landmark) (d landmark, err error) {
	keep := func(fault error) {
		if err == nil {
			err = fault
		}
	}
	var fault error
	d = landmark{Ordinal: l.Ordinal, Children: []int{}}
	d.Key, fault = l.Key()
	keep(fault)
	d.Own, fault = l.OwnKey()
	keep(fault)
	d.Class, fault = l.Class()
	keep(fault)
	parent, exists, fault := l.Parent()
	keep(fault)
	if exists {
		d.Parent = &parent.Ordinal
	}
	keep(l.Children(func(child coconut.Landmark) bool {
		d.Children = append(d.Children, child.Ordinal)
		return true
	}))
	edges, fault := l.Dependencies()
	keep(fault)
	d.Dependencies = numbers(edges)
	edges, fault = l.Dependents()
	keep(fault)
	d.Dependents = numbers(edges)
	v, fault := l.Value()
	keep(fault)
	if err != nil {
		return d, err
	}
	var text bytes.Buffer
	err = v.JSON(&text)
	d.Value = text.Bytes()
	return d, err
}

func numbers(edges []coconut.Edge) [][2]int {
	all := [][2]int{}
	for _, e := range edges {
		all = append(all, [2]int{e.Landmark.Ordinal, e.Number})
	}
	return all
}
