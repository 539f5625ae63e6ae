package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
)

// Secret is a text that must not be seen: wherever it is printed, logged or encoded, a mask stands in its place.
type Secret struct {
	text string
	file string // it was read from; empty: it was given as it is
}

const mask = "••••"

// Reveal is the text itself.
func (s Secret) Reveal() string { return s.text }

// String is the mask, or nothing where there is no secret.
func (s Secret) String() string { return hide(s.text) }

// Format is String for every verb, so that none shows the fields.
func (s Secret) Format(w fmt.State, _ rune) { fmt.Fprint(w, s.String()) }

// MarshalText is String, for encoders of any kind.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML is String.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// hide is the mask for a text that is not empty.
func hide(text string) string {
	if text == "" {
		return ""
	}
	return mask
}

// secret is a text that check accepts, or none. Neither check nor this repeats it in a problem.
func secret(p *Secret, kind string, check func(string) *Problem, show func(string) string) value {
	return masked(single(kind, func(s string) *Problem {
		if s == "" {
			return nil
		}
		if p.file != "" {
			return setTwice()
		}
		if problem := check(s); problem != nil {
			return problem
		}
		p.text = s
		return nil
	}, func() string { return show(p.text) }), p.Reveal)
}

// secretFile is the twin of secret: the path of a file that holds it.
func secretFile(p *Secret, check func(string) *Problem) value {
	return single("path of a file", func(path string) *Problem {
		if path == "" {
			return nil
		}
		if p.text != "" && p.file == "" {
			return setTwice()
		}
		s, err := readSecret(path)
		if err != nil {
			return wrong(fmt.Sprintf("the file %s %s", quote(path), err), "name a readable file that holds nothing but the secret")
		}
		if problem := check(s); problem != nil {
			return wrong(fmt.Sprintf("in the file %s: %s", quote(path), problem.Reason), problem.Hint)
		}
		*p = Secret{text: s, file: path}
		return nil
	}, func() string { return p.file })
}

func setTwice() *Problem {
	return wrong("the secret is given twice, as it is and by a file", "keep one of the two")
}

// maxSecret bounds a file with a secret, in bytes.
const maxSecret = 64 << 10

// readSecret is the content of a file without the line breaks at its end. The error reads on after the file's name.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", unreadable(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	s := strings.TrimRight(string(b), "\r\n")
	switch {
	case err != nil:
		return "", unreadable(err)
	case len(b) > maxSecret:
		return "", fmt.Errorf("is larger than %s", spellSize(maxSecret))
	case s == "":
		return "", errors.New("is empty")
	}
	return s, nil
}

// unreadable says why a file cannot be read, without its name, which the caller says.
func unreadable(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

// bearer checks the token, which is sent as one word of visible ASCII (RFC 6750 section 2.1).
func bearer(s string) *Problem {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return wrong("the token holds spaces or characters outside ASCII", "use letters, digits and punctuation")
	}
	return nil
}

// password checks the password of HTTP Basic, which must not hold control characters (RFC 7617 section 2).
func password(s string) *Problem {
	if strings.ContainsFunc(s, isControl) {
		return wrong("the password holds a line break or another control character", "write it in one line")
	}
	return nil
}
