package coconut_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sort"
	"testing"

	coconut "github.com/coconut-format/coconut/spec/readers/go"
)

// Attribute and Resource are what a tool needs of the schema of a resource, as it would declare
// them for encoding/json.
type Attribute struct {
	Type     any  `json:"type"`
	Required bool `json:"required"`
	Computed bool `json:"computed"`
}

type Resource struct {
	Version int `json:"version"`
	Block   struct {
		Attributes map[string]Attribute `json:"attributes"`
	} `json:"block"`
}

// Schemas is the output of `terraform providers schema -json`, compiled with `coco compile`. A tool
// that decodes the text does it whole, and for every run: 13.6 MB for the largest provider. Here,
// opening reads a few pages, and a resource is decoded when it is requested.
type Schemas struct {
	file *coconut.File
}

// resources is the number of the class of resource_schemas, which `coco info` shows. The schema of
// a data source with the same name is in another class.
const resources = 0

func OpenSchemas(path string) (*Schemas, error) {
	file, err := coconut.Open(path)
	if err != nil {
		return nil, err
	}
	return &Schemas{file}, nil
}

// Resource decodes the schema of one resource. It may be called from several goroutines.
func (s *Schemas) Resource(name string) (*Resource, error) {
	found, err := s.file.GetInClass(resources, name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w", name, coconut.ErrNotFound)
	}
	value, err := found[0].Value()
	if err != nil {
		return nil, err
	}
	resource := new(Resource)
	if err := value.Decode(resource); err != nil {
		return nil, err
	}
	return resource, nil
}

func (s *Schemas) Close() error { return s.file.Close() }

// In place of decoding all schemas of a provider, a tool opens them and decodes what it uses.
func Example_schemas() {
	schemas, err := OpenSchemas("testdata/providers.coco")
	if err != nil {
		log.Fatal(err)
	}
	defer schemas.Close()

	bucket, err := schemas.Resource("shop_bucket")
	if err != nil {
		log.Fatal(err)
	}
	var names []string
	for name := range bucket.Block.Attributes {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		attribute := bucket.Block.Attributes[name]
		fmt.Println(name, attribute.Type, attribute.Required)
	}
	_, err = schemas.Resource("shop_bukket")
	fmt.Println(err, errors.Is(err, coconut.ErrNotFound))
	// Output:
	// id string false
	// name string true
	// tags [map string] false
	// shop_bukket: no landmark has this key true
}

// decoded is the same with encoding/json.
func decoded(path string) (map[string]*Resource, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all struct {
		Providers map[string]struct {
			Resources map[string]*Resource `json:"resource_schemas"`
		} `json:"provider_schemas"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	found := map[string]*Resource{}
	for _, provider := range all.Providers {
		for name, resource := range provider.Resources {
			found[name] = resource
		}
	}
	return found, nil
}

func TestSchemasAreThoseOfTheirSource(t *testing.T) {
	schemas, err := OpenSchemas("testdata/providers.coco")
	if err != nil {
		t.Fatal(err)
	}
	defer schemas.Close()
	all, err := decoded("testdata/providers.json")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for name, expected := range all {
		found, err := schemas.Resource(name)
		if err != nil || fmt.Sprint(*found) != fmt.Sprint(*expected) {
			t.Errorf("%s: %v, not %v: %v", name, found, expected, err)
		}
	}
}

// BenchmarkSchemas opens the schemas of a provider, and decodes three resources into structs.
// COCONUT_BENCH_FILE and COCONUT_BENCH_SOURCE name the schemas of the AWS provider.
func BenchmarkSchemas(b *testing.B) {
	names := []string{"aws_instance", "aws_s3_bucket", "aws_vpc"}
	compiled, source := os.Getenv("COCONUT_BENCH_FILE"), os.Getenv("COCONUT_BENCH_SOURCE")
	if compiled == "" || source == "" {
		b.Skip("COCONUT_BENCH_FILE and COCONUT_BENCH_SOURCE name no files")
	}
	b.Run("coconut", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			schemas, err := OpenSchemas(compiled)
			if err != nil {
				b.Fatal(err)
			}
			for _, name := range names {
				if _, err := schemas.Resource(name); err != nil {
					b.Fatal(err)
				}
			}
			schemas.Close()
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			all, err := decoded(source)
			if err != nil || all[names[0]] == nil {
				b.Fatal(err)
			}
		}
	})
}
