package coconut_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	coconut "github.com/coconut-format/coconut/spec/readers/go"
)

// walkthrough writes the file of spec/format/walkthrough.md:
//
//	{"nodes": {
//	  "web": {"kind": "vm", "cores": 2, "tags": ["eu"], "needs": ["db"]},
//	  "db":  {"kind": "vm", "cores": 8, "tags": ["eu"], "needs": []}}}
func walkthrough() (path string, remove func()) {
	vectors := os.Getenv("COCONUT_VECTORS")
	if vectors == "" {
		vectors = "../../vectors"
	}
	text, err := os.ReadFile(filepath.Join(vectors, "good", "index-walkthrough.hex"))
	if err != nil {
		log.Fatal(err)
	}
	var digits strings.Builder
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.ReplaceAll(strings.TrimSpace(line), " ", ""))
	}
	bytes, err := hex.DecodeString(digits.String())
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "coconut")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(folder, "nodes.coco")
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(folder) }
}

func Example() {
	path, remove := walkthrough()
	defer remove()

	f, err := coconut.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	web, err := f.Get("web")
	if err != nil {
		log.Fatal(err)
	}
	cores, _, err := web.Field("cores")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cores.Int64())
	// Output: 2 <nil>
}

func ExampleValue_Decode() {
	path, remove := walkthrough()
	defer remove()
	f, err := coconut.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	type Node struct {
		Kind  string
		Cores int      `json:"cores"`
		Needs []string `json:"needs"`
	}
	db, err := f.Get("web")
	if err != nil {
		log.Fatal(err)
	}
	var node Node
	if err := db.Decode(&node); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", node)
	// Output: {Kind:vm Cores:2 Needs:[db]}
}

func ExampleValue_JSON() {
	path, remove := walkthrough()
	defer remove()
	f, err := coconut.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	db, err := f.Get("db")
	if err != nil {
		log.Fatal(err)
	}
	if err := db.JSON(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output: {"kind":"vm","cores":8,"tags":["eu"],"needs":[]}
}

func ExampleFile_Dependents() {
	path, remove := walkthrough()
	defer remove()
	f, err := coconut.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	edges, err := f.Dependents("db")
	if err != nil {
		log.Fatal(err)
	}
	for _, edge := range edges {
		key, err := edge.Landmark.Key()
		fmt.Println(edge.Kind, key, err)
	}
	// Output: needs web <nil>
}

func ExampleFile_Landmarks() {
	path, remove := walkthrough()
	defer remove()
	f, err := coconut.Open(path, coconut.ReadFile())
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	err = f.Landmarks(func(l coconut.Landmark) bool {
		key, err := l.Key()
		fmt.Println(l.Ordinal, key, err)
		return true
	})
	fmt.Println(err)
	// Output:
	// 0 web <nil>
	// 1 db <nil>
	// <nil>
}

func ExampleError() {
	_, err := coconut.OpenBytes([]byte("application/vnd.coconut+msgpack; document-type=document; version=9\n\n"))
	var fault *coconut.Error
	if errors.As(err, &fault) {
		fmt.Println(fault.Kind, fault.Offset, fault.NeedsNewer())
	}
	// Output: ENV-NEWER 65 true
}

func ExampleFile_Verify() {
	path, remove := walkthrough()
	defer remove()
	f, err := coconut.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	digest, err := f.Verify()
	fmt.Printf("%x… %v\n", digest[:4], err)
	// Output: a82fe8ed… <nil>
}
