// coconut-go reads Coconut files: one value, the document, what the file is, and full verification.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"strconv"

	coconut "github.com/coconut-format/coconut/spec/readers/go"
)

const usage = `usage: coconut-go get FILE KEY     print all values with this key, one JSON document each
       coconut-go deps FILE KEY    print the edges of the landmark with this key
       coconut-go rdeps FILE KEY   print the edges that lead to it
       coconut-go keys FILE        print the keys of all landmarks
       coconut-go dump FILE        print the document as JSON
       coconut-go info FILE        describe the file
       coconut-go verify FILE      check everything, print the document digest
       coconut-go levels [FOLDER]  print how files are refused at the levels open, decode and verify
       coconut-go found FOLDER     print what lookups of the keys in FOLDER/*.keys find
levels without a folder reads the names of files from standard input, one in a line.`

// Exit codes.
const (
	isDone    = 0
	isRefused = 1
	isUsage   = 2
	isMissing = 4
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	code, err := run(out, os.Args[1:])
	if fault := out.Flush(); err == nil && fault != nil {
		code, err = isUsage, fault
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
	}
	os.Exit(code)
}

func run(out *bufio.Writer, arguments []string) (int, error) {
	count := map[string]int{"get": 2, "deps": 2, "rdeps": 2, "keys": 1, "dump": 1, "info": 1, "verify": 1, "found": 1}
	switch {
	case len(arguments) == 1 && arguments[0] == "levels":
		return isDone, levelsOf(out, os.Stdin)
	case len(arguments) == 2 && arguments[0] == "levels":
		return isDone, inFolder(arguments[1], func(path, stem string) error { return levels(out, path, stem) })
	case len(arguments) == 0 || count[arguments[0]] != len(arguments)-1:
		fmt.Fprintln(os.Stderr, usage)
		return isUsage, nil
	case arguments[0] == "found":
		return isDone, inFolder(arguments[1], func(path, stem string) error { return found(out, path, stem) })
	}
	f, err := coconut.Open(arguments[1])
	if err == nil {
		defer f.Close()
		err = command(out, f, arguments[0], append(arguments[2:], "")[0])
	}
	return code(err), err
}

func code(err error) int {
	var ofPath *fs.PathError
	switch {
	case err == nil:
		return isDone
	case errors.Is(err, coconut.ErrNotFound):
		return isMissing
	case errors.As(err, &ofPath):
		return isUsage
	}
	return isRefused
}

func command(out *bufio.Writer, f *coconut.File, name, key string) error {
	switch name {
	case "get":
		all, err := f.GetAll(key)
		if err == nil && len(all) == 0 {
			if err = f.CheckAbsent(key); err == nil {
				err = coconut.ErrNotFound
			}
		}
		for i := 0; i < len(all) && err == nil; i++ {
			var v coconut.Value
			if v, err = all[i].Value(); err == nil {
				err = printValue(out, v)
			}
		}
		return err
	case "deps":
		return printEdges(out, f.Dependencies, key)
	case "rdeps":
		return printEdges(out, f.Dependents, key)
	case "keys":
		var fault error
		err := f.Landmarks(func(l coconut.Landmark) bool {
			var key string
			if key, fault = l.Key(); fault == nil {
				fmt.Fprintln(out, strconv.Quote(key))
			}
			return fault == nil
		})
		if err == nil {
			err = fault
		}
		return err
	case "dump":
		v, err := f.Root()
		if err == nil {
			err = printValue(out, v)
		}
		return err
	case "verify":
		digest, err := f.Verify()
		if err == nil {
			fmt.Fprintln(out, hex.EncodeToString(digest[:]))
		}
		return err
	}
	return info(out, f)
}

func printValue(out *bufio.Writer, v coconut.Value) error {
	if err := v.JSON(out); err != nil {
		return err
	}
	return out.WriteByte('\n')
}

func printEdges(out *bufio.Writer, edges func(key string) ([]coconut.Edge, error), key string) error {
	all, err := edges(key)
	for i := 0; i < len(all) && err == nil; i++ {
		var key string
		key, err = all[i].Landmark.Key()
		fmt.Fprintf(out, "%s %q\n", all[i].Kind, key)
	}
	return err
}

func info(out *bufio.Writer, f *coconut.File) error {
	fmt.Fprintf(out, "document type: %s\n", f.DocumentType())
	if f.IsSource() {
		fmt.Fprintln(out, "encoding: json")
		return nil
	}
	h := f.Header()
	count, err := f.Count()
	fmt.Fprintf(out, "encoding: msgpack\nprofile: %s\nproducer: %q\nvalues: %d\ndepth: %d\nlandmarks: %d\ndigest: %x\n",
		h.Profile, h.Producer, h.Values, h.Depth, count, h.Digest)
	return err
}

func said(err error) string {
	var e *coconut.Error
	switch {
	case err == nil:
		return "accepted"
	case errors.As(err, &e):
		return fmt.Sprintf("%s @ %d", e.Kind, e.Offset)
	}
	return fmt.Sprintf("%q", err)
}

// levels prints a line `N open decode verify`, tab-separated: `accepted`, or `CODE @ OFFSET`.
func levels(out *bufio.Writer, path, stem string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := coconut.OpenBytes(data)
	open := said(err)
	decode, verify := open, open
	if err == nil {
		decode = said(f.Check())
		_, err = f.Verify()
		verify = said(err)
	}
	_, err = fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", stem, open, decode, verify)
	return err
}

func levelsOf(out *bufio.Writer, names io.Reader) error {
	lines := bufio.NewScanner(names)
	for lines.Scan() {
		if err := levels(out, lines.Text(), lines.Text()); err != nil {
			return err
		}
		// Whoever asks may wait for the answer before the next question.
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// inFolder calls do for FOLDER/N.coco, in order of N.
func inFolder(folder string, do func(path, stem string) error) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var stems []string
	for _, entry := range entries {
		const ending = ".coco"
		if name := entry.Name(); len(name) > len(ending) && name[len(name)-len(ending):] == ending {
			stems = append(stems, name[:len(name)-len(ending)])
		}
	}
	sort.Strings(stems)
	for _, stem := range stems {
		if err := do(folder+"/"+stem+".coco", stem); err != nil {
			return err
		}
	}
	return nil
}
