package web

import (
	"fmt"
	"hash/fnv"
)

// Checksum returns a number that changes with its parts, for Kit.Follow.
func Checksum(parts ...any) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		fmt.Fprint(h, part, "\n")
	}
	return h.Sum64()
}
