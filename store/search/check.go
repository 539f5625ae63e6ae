package search

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// intact reads all segments and compares them with their checksums. Opening an index does not, and what is read from a damaged segment can be
// anything.
func intact(dir string) error {
	segments, err := filepath.Glob(filepath.Join(dir, "store", "*.zap"))
	if err != nil {
		return err
	}
	for _, path := range segments {
		if err := intactSegment(path); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return nil
}

// intactSegment checks a segment: it ends with the CRC-32 of all that is before it (zapx, footer).
func intactSegment(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < crc32.Size {
		return io.ErrUnexpectedEOF
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyN(sum, f, info.Size()-crc32.Size); err != nil {
		return err
	}
	var end [crc32.Size]byte
	if _, err := io.ReadFull(f, end[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(end[:]) != sum.Sum32() {
		return fmt.Errorf("the checksum differs")
	}
	return nil
}
