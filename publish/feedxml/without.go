package feedxml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// Without returns an RSS or Atom document without the entry with a guid. base is that of NewIDs. It fails if the document does not
// contain the entry.
func Without(document []byte, guid, base string) ([]byte, error) {
	ids := NewIDs(guid, base)
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		start := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("find entry %q: %w", guid, err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "item" && element.Name.Local != "entry" {
			continue
		}
		var entry struct {
			GUID string `xml:"guid"`
			ID   string `xml:"http://www.w3.org/2005/Atom id"`
		}
		if err := d.DecodeElement(&entry, &element); err != nil {
			return nil, fmt.Errorf("find entry %q: %w", guid, err)
		}
		if escaped(entry.GUID) == escaped(ids.RSS) || escaped(entry.ID) == escaped(ids.Atom) {
			return slices.Delete(bytes.Clone(document), int(start), int(d.InputOffset())), nil
		}
	}
}

// escaped returns a text as documents contain it, with U+FFFD for characters that XML does not allow.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder takes everything
	return out.String()
}
