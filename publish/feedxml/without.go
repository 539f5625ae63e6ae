package feedxml

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Without returns an RSS, Atom or JSON document without the entry with a guid. base is that of NewIDs. It fails if the document does
// not contain the entry.
func Without(document []byte, guid, base string) ([]byte, error) {
	ids := NewIDs(guid, base)
	if bytes.HasPrefix(document, []byte("{")) {
		return withoutItem(document, ids.JSON)
	}
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

// DeletedIn returns the deleted entries that an Atom or JSON document names. RSS names none. base is that of NewIDs.
func DeletedIn(document []byte, base string) (all []Deleted) {
	if bytes.HasPrefix(document, []byte("{")) {
		var f struct {
			Feedwire jsonDetails `json:"_feedwire"`
		}
		_ = json.Unmarshal(document, &f) // names none if it is damaged
		for _, d := range f.Feedwire.Deleted {
			all = append(all, Deleted{NewIDs(d.ID, base), d.Time})
		}
		return all
	}
	var f struct {
		Deleted []struct {
			Ref  string    `xml:"ref,attr"`
			When time.Time `xml:"when,attr"`
		} `xml:"http://purl.org/atompub/tombstones/1.0 deleted-entry"`
	}
	_ = xml.Unmarshal(document, &f)
	for _, d := range f.Deleted {
		all = append(all, Deleted{NewIDs(EntryGUID(d.Ref, base), base), d.When})
	}
	return all
}

// withoutItem returns a JSON Feed without the item with an id.
func withoutItem(document []byte, id string) ([]byte, error) {
	var f jsonFeed
	if err := json.Unmarshal(document, &f); err != nil {
		return nil, fmt.Errorf("find item %q: %w", id, err)
	}
	written := string([]rune(id)) // as JSON has it: with U+FFFD for bytes that are not UTF-8
	rest := slices.DeleteFunc(slices.Clone(f.Items), func(item json.RawMessage) bool {
		var it struct{ ID string }
		return json.Unmarshal(item, &it) == nil && it.ID == written
	})
	if len(rest) == len(f.Items) {
		return nil, fmt.Errorf("find item %q: %w", id, io.EOF)
	}
	f.Items = rest
	return marshal(f)
}

// escaped returns a text as documents contain it, with U+FFFD for characters that XML does not allow.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder takes everything
	return out.String()
}
