package charset_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/feedwire/feedwire/ingest/charset"
)

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<?xml version='1.0' encoding=\"koi8-r\"?>\xce\xcf"), "")
	f.Add([]byte("\x1b$B%F%9%H\x1b(B"), "text/xml; charset=iso-2022-jp")
	f.Add([]byte("\xff\xfe<\x00\x00\xd8a\x00"), "text/xml; charset=utf-8")
	f.Add([]byte("\xef\xbb\xbf\xc3\x28"), `text/xml; CHARSET = "gb18030"`)
	f.Add([]byte("\x00\x00\xfe\xff\x00\x00\x00<"), "charset=\xff")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text, name, whole := charset.Decode(body, contentType)
		if !utf8.Valid(text) || name == "" || name != strings.ToLower(name) {
			t.Errorf("%q, %q became %q, from %q", body, contentType, text, name)
		}
		if whole && name == "utf-8" && !bytes.HasSuffix(body, text) {
			t.Errorf("%q was changed to %q", body, text)
		}
	})
}
