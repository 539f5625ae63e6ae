package feed

import (
	"fmt"
	"strings"
)

// localPrefix begins the URL of a local source. The rest is its name.
const localPrefix = "feedwire:local/"

const maxLocalName = 64 // bytes

// IsLocal reports whether the source with a URL is local: people and programs write its entries, and it is never polled.
func IsLocal(feedURL string) bool { return strings.HasPrefix(feedURL, localPrefix) }

// LocalURL returns the URL of the local source with a name.
func LocalURL(name string) string { return localPrefix + name }

// ParseSourceID returns the id of a source from its id or URL. ErrNotFound: it is neither.
func ParseSourceID(name string) (string, error) {
	if len(name) == 12 && strings.Trim(name, "0123456789abcdef") == "" {
		return name, nil
	}
	url, err := SourceURL(name)
	if err != nil {
		return "", fmt.Errorf("source %.128q %w: use its id (12 hex digits) or its URL", name, ErrNotFound)
	}
	return SourceID(url), nil
}

// IsReservedField reports whether Entry.Extra cannot hold a field with a name, because the hash of an entry has it for another purpose.
func IsReservedField(name string) bool {
	switch name {
	case "id", fieldFeedURL, fieldGUID, fieldTimestamp, fieldAuthor, fieldAuthors, fieldPublished, fieldUpdated, fieldDigest, fieldAliases,
		fieldEdits, fieldChangedAt, fieldRereadAt, fieldExpiredAt, fieldHidden, fieldUnread, fieldSourceUpdated, "extra":
		return true
	}
	f := FieldNamed(name)
	return f != nil && f.text != nil
}

// Local reports whether the source is local, see IsLocal.
func (s *Source) Local() bool { return IsLocal(s.URL) }

// SourceURL returns the canonical form of the URL of a source: that of a feed, or that of a local source. ErrInvalid as for CanonicalURL,
// or the name of the local source is not made of lower-case letters, digits and hyphens.
func SourceURL(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if !IsLocal(raw) {
		return CanonicalURL(raw)
	}
	name := strings.TrimPrefix(raw, localPrefix)
	if name == "" || len(name) > maxLocalName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return "", fmt.Errorf("%w: the name of a local source %.80q must have 1 to %d lower-case letters, digits and hyphens, as in %s",
			ErrInvalid, name, maxLocalName, LocalURL("notes"))
	}
	return raw, nil
}
