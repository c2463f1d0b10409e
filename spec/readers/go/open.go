package coconut

import (
	"fmt"
	"io"
	"math"
	"os"
)

// Option changes how Open reads a file.
type Option func(*options)

type options struct{ reads bool }

// ReadFile makes Open read all of a file into memory, and not map it.
func ReadFile() Option { return func(o *options) { o.reads = true } }

// Open opens a file. On unix it is mapped into memory, so that only the pages that are used are
// read. While it is open, do not write to the file; replace it by renaming another onto it,
// as `coco` does. If a mapped file is cut short, calls return ErrChanged. If it is written in place,
// answers may be wrong, since checksums are compared only once. Use the option ReadFile for files
// that others may write. Elsewhere, and where a file cannot be mapped, Open reads it.
func Open(path string, with ...Option) (*File, error) {
	var o options
	for _, option := range with {
		option(&o)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f := &File{}
	if size := info.Size(); !o.reads && size > 0 && size <= math.MaxInt {
		if data, unmap, err := mapFile(file, int(size)); err == nil {
			f.data, f.unmap = data, unmap
		}
	}
	if f.unmap == nil {
		if f.data, err = io.ReadAll(file); err != nil {
			return nil, err
		}
	}
	if err := f.run(f.open); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
