package coconut

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
)

// lazy is made when it is first used. A fault that is found then is reported each time.
type lazy[T any] struct {
	mutex sync.Mutex
	ready atomic.Bool
	value T
	fault any
}

func (l *lazy[T]) get(make func() T) T {
	if !l.ready.Load() {
		l.make(make)
	}
	if l.fault != nil {
		panic(l.fault)
	}
	return l.value
}

func (l *lazy[T]) make(make func() T) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.ready.Load() {
		return
	}
	defer func() {
		l.fault = recover()
		l.ready.Store(true)
	}()
	l.value = make()
}

// ordinalOf reads a number of a table. What is too large for any table stays so where an int has 32
// bits.
func ordinalOf(bytes []byte) int {
	number := binary.LittleEndian.Uint32(bytes)
	if number > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(number)
}
