package coconut

import (
	"fmt"
	"runtime/debug"
)

// Error is a fault of a file. Kind is a code of §10.4, such as `VAL-FORM`. Offset counts bytes from
// the first byte of the file.
type Error struct {
	Kind    string
	Offset  int64
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Kind, e.Offset, e.Message)
}

// Limits of §9.
const (
	maxDepth      = 512
	maxString     = 268_435_456
	maxKey        = 65_536
	maxEnvelope   = 4_096
	maxParameters = 32
	maxHeader     = 65_536
	maxLandmarks  = 16_777_216
	maxEdges      = 134_217_728
	maxEntries    = 64
	maxShapes     = 16_777_216
	maxSlots      = 268_435_456
)

// The functions inside of this package report faults by panic(*Error). Each exported function ends
// that with File.run, so that no such panic leaves the package.
func fail(kind string, offset int, format string, arguments ...any) {
	panic(&Error{kind, int64(offset), fmt.Sprintf(format, arguments...)})
}

func check(ok bool, kind string, offset int, message string) {
	if !ok {
		panic(&Error{kind, int64(offset), message})
	}
}

// halt carries an error that is not a fault of the file.
type halt struct{ error }

// run ends the panics of this package. Others, such as those of callbacks, go on.
func (f *File) run(do func()) (err error) {
	if f.closed.Load() {
		return ErrClosed
	}
	if f.unmap != nil {
		// A page of a mapped file that is no longer there is an error, not the end of the process.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *Error:
			err = fault
		case halt:
			err = fault.error
		default:
			_, isFault := fault.(interface{ Addr() uintptr })
			if !isFault || f.unmap == nil {
				panic(fault)
			}
			err = ErrChanged
		}
	}()
	do()
	return nil
}
