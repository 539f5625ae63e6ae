package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// A backup is a line that names the format, a line of JSON about it, and a record for each key: the lengths of name and
// value and the end of its life as varints, then name and value, the value as DUMP has it. An empty name ends them; the number
// of keys and the SHA-256 of all that stands before follow.
const archiveFormat = "feedwire backup 1\n"

// Bounds of what is read, in bytes, so that a damaged file cannot ask for all memory before its sum is known.
const (
	maxArchiveHead = 64 << 10
	maxKeyName     = 1 << 20
	maxKeyValue    = 512 << 20 // as Redis bounds a string
)

// Backup is what a backup says of itself.
type Backup struct {
	Created      time.Time `json:"created"`
	Installation string    `json:"installation"`
	Schema       int       `json:"schema"`
	Server       string    `json:"server"`         // version of Redis; an older one may not read it
	Keys         int       `json:"keys,omitempty"` // known at its end
}

// archiveWriter writes a backup.
type archiveWriter struct {
	w    io.Writer
	sum  hash.Hash
	keys int
}

func newArchiveWriter(w io.Writer, about Backup) (*archiveWriter, error) {
	a := &archiveWriter{sum: sha256.New()}
	a.w = io.MultiWriter(w, a.sum)
	head, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(a.w, archiveFormat+string(head)+"\n")
	return a, err
}

// add writes a key; a zero expiry: it lives for ever.
func (a *archiveWriter) add(name, value []byte, expires time.Time) error {
	until := int64(0)
	if !expires.IsZero() {
		until = expires.UnixMilli()
	}
	lengths := binary.AppendUvarint(nil, uint64(len(name)))
	lengths = binary.AppendUvarint(lengths, uint64(len(value)))
	lengths = binary.AppendVarint(lengths, until)
	for _, part := range [][]byte{lengths, name, value} {
		if _, err := a.w.Write(part); err != nil {
			return err
		}
	}
	a.keys++
	return nil
}

// end writes what ends a backup.
func (a *archiveWriter) end() error {
	if _, err := a.w.Write(binary.AppendUvarint([]byte{0}, uint64(a.keys))); err != nil {
		return err
	}
	_, err := a.w.Write(a.sum.Sum(nil))
	return err
}

// errDamaged says that a file is no backup, or not one as it was written.
func errDamaged(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("%w backup: %s: %w; take another one", feed.ErrInvalid, what, err)
}

// summed sums what is read from a buffered reader.
type summed struct {
	*bufio.Reader
	sum hash.Hash
}

func (s *summed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

func (s *summed) ReadByte() (byte, error) {
	b, err := s.Reader.ReadByte()
	if err == nil {
		s.sum.Write([]byte{b})
	}
	return b, err
}

// readArchive reads a backup to its end and gives each key to use, whose slices hold until it returns. The sum is known only at
// the end: give it nothing that writes before it was read once. Errors about the file are feed.ErrInvalid.
func readArchive(r io.Reader, use func(name, value []byte, expires time.Time) error) (about Backup, err error) {
	in := &summed{bufio.NewReaderSize(r, 1<<20), sha256.New()}
	if about, err = readHead(in); err != nil {
		return about, err
	}
	var buffer []byte
	for {
		name, err := binary.ReadUvarint(in)
		if err != nil {
			return about, errDamaged("a key", err)
		}
		if name == 0 {
			break
		}
		value, err := binary.ReadUvarint(in)
		if err != nil {
			return about, errDamaged("a key", err)
		}
		until, err := binary.ReadVarint(in)
		switch {
		case err != nil:
			return about, errDamaged("a key", err)
		case name > maxKeyName || value > maxKeyValue:
			return about, errDamaged("a key", fmt.Errorf("its name of %d bytes or its value of %d is too long", name, value))
		}
		if buffer, err = readParts(in, buffer[:0], int(name+value)); err != nil {
			return about, errDamaged("a key", err)
		}
		var expires time.Time
		if until != 0 {
			expires = time.UnixMilli(until)
		}
		if err := use(buffer[:name], buffer[name:], expires); err != nil {
			return about, err
		}
		about.Keys++
	}
	keys, err := binary.ReadUvarint(in)
	want := in.sum.Sum(nil)
	got := make([]byte, len(want))
	if err == nil {
		_, err = io.ReadFull(in.Reader, got)
	}
	switch {
	case err != nil:
		return about, errDamaged("its end", err)
	case string(got) != string(want):
		return about, errDamaged("its sum", errors.New("it is that of something else"))
	case keys != uint64(about.Keys):
		return about, errDamaged("its end", fmt.Errorf("%d keys, but it says %d", about.Keys, keys))
	}
	return about, nil
}

// ReadBackup checks a backup from its beginning to its end and tells what it says of itself.
func ReadBackup(r io.Reader) (Backup, error) {
	return readArchive(r, func([]byte, []byte, time.Time) error { return nil })
}

func readHead(in *summed) (about Backup, err error) {
	format := make([]byte, len(archiveFormat))
	if _, err := io.ReadFull(in, format); err != nil || string(format) != archiveFormat {
		return about, fmt.Errorf("%w backup: it does not begin with %q: another file, or of a newer feedwire", feed.ErrInvalid, archiveFormat)
	}
	var head []byte
	for len(head) < maxArchiveHead {
		b, err := in.ReadByte()
		if err != nil {
			return about, errDamaged("its head", err)
		}
		if b == '\n' {
			break
		}
		head = append(head, b)
	}
	if err := json.Unmarshal(head, &about); err != nil {
		return about, errDamaged("its head", err)
	}
	about.Keys = 0
	return about, nil
}

// readParts appends n bytes to a buffer, which grows with what is there and not with what is said to be.
func readParts(in io.Reader, buffer []byte, n int) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		at := len(buffer)
		part := min(n, step)
		buffer = append(buffer, make([]byte, part)...)
		if _, err := io.ReadFull(in, buffer[at:]); err != nil {
			return buffer, err
		}
		n -= part
	}
	return buffer, nil
}
