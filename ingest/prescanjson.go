package ingest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"
)

// maxJSONDepth bounds how deep JSON values are nested.
const maxJSONDepth = 64

// prescanJSON bounds a JSON Feed as prescanXML does XML, and refuses JSON that is something else.
func prescanJSON(text []byte, _ *url.URL, limits Limits) ([]byte, outline, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	depth, tokens := 0, 0
	for {
		token, err := d.Token()
		if err != nil {
			if err == io.EOF { //nolint:errorlint // documented to be returned as it is
				break
			}
			return nil, nil, &Error{Class: ClassParse, Reason: "the document is no valid JSON", Err: err}
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			err = checkToken(len(t))
		}
		switch tokens++; {
		case err != nil:
			return nil, nil, err
		case depth > maxJSONDepth:
			return nil, nil, failf(ClassLimits, "values are nested more than %d deep", maxJSONDepth)
		case tokens > maxElements:
			return nil, nil, failf(ClassLimits, "the document has more than %d values", maxElements)
		}
	}
	var head struct {
		Version string
		Items   []json.RawMessage
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, nil, &Error{Class: ClassParse, Reason: "the document is no valid JSON Feed", Err: err}
	}
	switch {
	case head.Items == nil && !strings.Contains(head.Version, "jsonfeed.org"):
		return nil, nil, failf(ClassNotAFeed, "the document is JSON, but no JSON Feed")
	case len(head.Items) > limits.Entries:
		return nil, nil, failf(ClassLimits, "the document has more than %d entries (fetch.max_entries)", limits.Entries)
	}
	return text, nil, nil
}
