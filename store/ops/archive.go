package ops

import (
	"bufio"
	"bytes"
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

// A backup is a line that names the format, a line of JSON with its description, and a record for each key: the lengths of name
// and value and the expiry time in milliseconds as varints, then the name, and the value in the format of DUMP. A record with an
// empty name ends the list. The number of keys and the SHA-256 of everything before follow.
const archiveFormat = "feedwire backup 1\n"

// Bounds in bytes, so that a damaged file cannot exhaust the memory before its sum is checked.
const (
	maxKeyName  = 1 << 20
	maxKeyValue = 512 << 20 // the limit of Redis
)

// Backup is the description of a backup.
type Backup struct {
	Created      time.Time `json:"created"`
	Installation string    `json:"installation"`
	Schema       int       `json:"schema"`
	Server       string    `json:"server"`         // version of Redis; an older server may not read the values
	Keys         int       `json:"keys,omitempty"` // counted at the end
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

// add writes a key that expires at a time in milliseconds; 0: never.
func (a *archiveWriter) add(name string, value []byte, until int64) error {
	lengths := binary.AppendUvarint(nil, uint64(len(name)))
	lengths = binary.AppendUvarint(lengths, uint64(len(value)))
	lengths = binary.AppendVarint(lengths, until)
	for _, b := range [][]byte{lengths, []byte(name), value} {
		if _, err := a.w.Write(b); err != nil {
			return err
		}
	}
	a.keys++
	return nil
}

// end writes the end of the list, the number of keys and the sum.
func (a *archiveWriter) end() error {
	if _, err := a.w.Write(binary.AppendUvarint([]byte{0}, uint64(a.keys))); err != nil {
		return err
	}
	_, err := a.w.Write(a.sum.Sum(nil))
	return err
}

// errDamaged reports where a backup is damaged.
func errDamaged(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("%w backup: %s: %w; use another backup", feed.ErrInvalid, what, err)
}

// summed is a buffered reader that computes the sum of what is read.
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

// line reads a line, as long as the buffer at most. It is valid until the next read.
func (s *summed) line() ([]byte, error) {
	line, err := s.ReadSlice('\n')
	s.sum.Write(line)
	return line, err
}

// readArchive reads a backup and calls use with each key and its expiry time, in the form of archiveWriter.add. The value is valid
// until use returns. The checksum is at the end of the file, so verify the complete file before a restore uses its keys. readArchive
// returns feed.ErrInvalid if the file is damaged or is not a backup.
func readArchive(r io.Reader, use func(name string, value []byte, until int64) error) (about Backup, err error) {
	in := &summed{bufio.NewReaderSize(r, 1<<20), sha256.New()}
	if about, err = readHead(in); err != nil {
		return about, err
	}
	var buffer bytes.Buffer // it grows with the file, and not with the length that a damaged file claims
	for {
		name, value, until, err := readLengths(in)
		if buffer.Reset(); err == nil {
			_, err = io.CopyN(&buffer, in, int64(name+value))
		}
		if err != nil {
			return about, errDamaged("a key", err)
		}
		if name == 0 {
			break
		}
		if err := use(string(buffer.Next(int(name))), buffer.Bytes(), until); err != nil {
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
		return about, errDamaged("its sum", errors.New("it does not match the content"))
	case keys != uint64(about.Keys):
		return about, errDamaged("its end", fmt.Errorf("it has %d keys, but its description says %d", about.Keys, keys))
	}
	return about, nil
}

// ReadBackup checks a whole backup and returns its description. feed.ErrInvalid: the file is damaged, or not a backup.
func ReadBackup(r io.Reader) (Backup, error) {
	return readArchive(r, func(string, []byte, int64) error { return nil })
}

func readHead(in *summed) (about Backup, err error) {
	if format, err := in.line(); err != nil || string(format) != archiveFormat {
		return about, fmt.Errorf("%w backup: it does not begin with %q: it is another kind of file, or was written by a newer feedwire", feed.ErrInvalid, archiveFormat)
	}
	head, err := in.line()
	if err == nil {
		err = json.Unmarshal(head, &about)
	}
	if err != nil {
		return about, errDamaged("its head", err)
	}
	about.Keys = 0
	return about, nil
}

// readLengths reads what precedes a key: the lengths of its name and value, and its expiry time. A name without length ends the list.
func readLengths(in *summed) (name, value uint64, until int64, err error) {
	if name, err = binary.ReadUvarint(in); err != nil || name == 0 {
		return 0, 0, 0, err
	}
	if value, err = binary.ReadUvarint(in); err == nil {
		until, err = binary.ReadVarint(in)
	}
	if name > maxKeyName || value > maxKeyValue {
		err = fmt.Errorf("its name of %d bytes or its value of %d bytes is too long", name, value)
	}
	return name, value, until, err
}
