package config

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Secret is a text that is masked wherever it is printed, logged or encoded.
type Secret struct {
	text string
	file string // path of the file that contained it; may be empty
}

const mask = "••••"

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// File returns the path of the file that contained the secret, or "".
func (s Secret) File() string { return s.file }

// String returns the mask, or "" if there is no secret.
func (s Secret) String() string { return hide(s.text) }

// Format prints String for every verb, so that no verb prints the fields.
func (s Secret) Format(w fmt.State, _ rune) { fmt.Fprint(w, s.String()) }

// MarshalText returns String, for logs and encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// hide returns the mask of a text that is not empty.
func hide(text string) string {
	if text == "" {
		return ""
	}
	return mask
}

// secret returns a value of a secret, or none. No message repeats it.
func secret(p *string, kind textKind) value {
	v := single(kind.name, func(s string) *Problem {
		if s == "" {
			return nil
		}
		s, problem := kind.read(s)
		if problem == nil {
			*p = s
		}
		return problem
	}, func() string { return kind.mask(*p) })
	v.exact = func() string { return *p }
	return v
}

// secretFile returns a value of the path of a file that contains a secret. It stores both.
func secretFile(p, file *string, kind textKind) value {
	return single("path of a file", func(path string) *Problem {
		if path == "" {
			return nil
		}
		s, err := readSecret(path)
		if err != nil {
			return wrong(fmt.Sprintf("the file %s %s", quote(path), err), "name a readable file that contains nothing but the secret")
		}
		if _, problem := kind.read(s); problem != nil {
			return wrong(fmt.Sprintf("in the file %s: %s", quote(path), problem.Reason), problem.Hint)
		}
		*p, *file = s, path
		return nil
	}, func() string { return *file })
}

// maxSecret is the maximum size of a file with a secret in bytes.
const maxSecret = 64 << 10

// readSecret returns the content of a file without line breaks at its end. The error continues a sentence about the file.
func readSecret(path string) (string, error) {
	b, err := readBounded(path, maxSecret)
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

// unreadable returns the reason of an error without the name of the file.
func unreadable(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}
