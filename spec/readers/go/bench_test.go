package coconut

import (
	"encoding/json"
	"os"
	"testing"
)

// The benchmarks compare with encoding/json. COCONUT_BENCH_FILE names a compiled file, and
// COCONUT_BENCH_SOURCE its JSON.

func benchFile(b *testing.B, variable string) string {
	b.Helper()
	path := os.Getenv(variable)
	if path == "" {
		b.Skip(variable + " names no file")
	}
	return path
}

// benchKey is the key of a landmark in the middle, and its size must not matter.
func benchKey(b *testing.B, path string) string {
	b.Helper()
	f, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	count, err := f.Count()
	if err != nil || count == 0 {
		b.Skipf("%d landmarks, %v", count, err)
	}
	key, err := Landmark{f, count / 2}.Key()
	if err != nil {
		b.Fatal(err)
	}
	return key
}

func lookUp(b *testing.B, path, key string, options ...Option) {
	f, err := Open(path, options...)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	all, err := f.GetAll(key)
	if err != nil || len(all) == 0 {
		b.Fatal(err)
	}
	v, err := all[0].Value()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := v.Load(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpenGet opens a file, finds one landmark and loads it.
func BenchmarkOpenGet(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_FILE")
	key := benchKey(b, path)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		lookUp(b, path, key)
	}
}

func BenchmarkOpenGetReadFile(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_FILE")
	key := benchKey(b, path)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		lookUp(b, path, key, ReadFile())
	}
}

// BenchmarkGet finds a landmark in an opened file.
func BenchmarkGet(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_FILE")
	key := benchKey(b, path)
	f, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := f.GetAll(key); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad opens a file and loads all of it, with what is shared.
func BenchmarkLoad(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_FILE")
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Load(); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkDecodeAny makes ordinary maps and slices.
func BenchmarkDecodeAny(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_FILE")
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		root, err := f.Root()
		if err != nil {
			b.Fatal(err)
		}
		var all any
		if err := root.Decode(&all); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkVerify(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_FILE")
	for i := 0; i < b.N; i++ {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Verify(); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkEncodingJSON reads the source with encoding/json, to compare with.
func BenchmarkEncodingJSON(b *testing.B) {
	path := benchFile(b, "COCONUT_BENCH_SOURCE")
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		var all any
		if err := json.Unmarshal(text, &all); err != nil {
			b.Fatal(err)
		}
	}
}
