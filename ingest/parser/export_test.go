package parser

import (
	"bytes"
	"net/url"

	"github.com/feedwire/feedwire/ingest/charset"
	"github.com/feedwire/feedwire/ingest/mend"
)

// For tests of the package's functions from outside.
var (
	PlainText  = plainText
	PersonName = personName
)

// Prescan runs the checks that precede the parser of gofeed.
func Prescan(body []byte) error {
	if text, _, _ := charset.Decode(body, ""); bytes.HasPrefix(text, []byte("{")) {
		_, err := readJSON(text, &url.URL{}, 2000)
		return err
	}
	_, _, err := Normalise(body, "")
	return err
}

// Normalise decodes and mends an XML document and returns it with the texts of its repairs.
func Normalise(body []byte, contentType string) ([]byte, []string, error) {
	text, _, _ := charset.Decode(body, contentType)
	doc, err := mend.XML(text, &url.URL{}, 2000)
	if err != nil {
		return nil, nil, err
	}
	return doc.Text, doc.Repairs.Texts(), nil
}

// Resolve makes the links of content absolute.
func Resolve(base, content string) string {
	u, _ := url.Parse(base)
	return resolveContent(u, content)
}
