//go:build aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package coconut

import (
	"os"
	"syscall"
)

func mapFile(file *os.File, size int) ([]byte, func([]byte) error, error) {
	data, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return data, syscall.Munmap, err
}
