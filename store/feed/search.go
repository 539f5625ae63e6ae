package feed

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a Search.
const (
	MaxSearch      = 400 // characters of its text
	MaxSearchTerms = 20
)

// ErrNoSearch is the answer to a search without an index.
var ErrNoSearch = fmt.Errorf("search is %w: search.enabled of the configuration is false", ErrForbidden)

// Search selects the entries that match all of its terms. The zero Search selects all.
type Search struct {
	Terms []SearchTerm
	Feeds []string // canonical URLs of sources; nil: all
	Posts bool     // with Feeds: the posts of members, too
	From  time.Time
	Until time.Time // the entry is older; zero: any

	ByRelevance bool // the best matches first; otherwise the newest
}

// SearchField is the part of an entry that a term is searched in.
type SearchField string

// Fields of a SearchTerm.
const (
	SearchAnywhere   SearchField = "" // in each of the others, and in the text
	SearchTitles     SearchField = "title"
	SearchAuthors    SearchField = "author"
	SearchCategories SearchField = "category"
	SearchLinks      SearchField = "link" // addresses and guids, which SearchAnywhere does not search
)

// SearchTerm is a word or a phrase.
type SearchTerm struct {
	Field  SearchField
	Text   string
	Phrase bool // the words follow one another
	Prefix bool // words begin with Text
	Not    bool // the entry does not match it
}

// ParseSearch reads what people write into a search field: words, "phrases", beginnings such as harb*, and terms that must not match, with a
// minus sign. title:, author:, category: and link: restrict a term to a part of the entry, after: and before: take a date (2026-11-28, UTC). A
// URL is looked for in addresses. A quotation mark without a second one reaches to the end. The error is ErrInvalid.
func ParseSearch(text string) (s Search, err error) {
	if !utf8.ValidString(text) {
		return s, Invalid("q", "it is not UTF-8")
	}
	if utf8.RuneCountInString(text) > MaxSearch {
		return s, Invalid("q", fmt.Sprintf("it has more than %d characters", MaxSearch))
	}
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		var t SearchTerm
		t, rest = nextSearchTerm(rest)
		if field, date, ok := strings.Cut(t.Text, ":"); ok && !t.Phrase && (field == "after" || field == "before") {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil || t.Not {
				return s, Invalid("q", fmt.Sprintf("write a date as in %s:2026-11-28", field))
			}
			if field == "after" {
				s.From = day
			} else {
				s.Until = day
			}
			continue
		}
		if strings.ContainsFunc(t.Text, isWordRune) { // other terms are punctuation
			s.Terms = append(s.Terms, t)
		}
	}
	if len(s.Terms) > MaxSearchTerms {
		return s, Invalid("q", fmt.Sprintf("it has more than %d words and phrases", MaxSearchTerms))
	}
	return s, nil
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// nextSearchTerm cuts the first term off a text that begins with one.
func nextSearchTerm(text string) (t SearchTerm, rest string) {
	if after, ok := strings.CutPrefix(text, "-"); ok && after != "" && !unicode.IsSpace(rune(after[0])) {
		t.Not, text = true, after
	}
	for _, field := range []SearchField{SearchTitles, SearchAuthors, SearchCategories, SearchLinks} {
		if after, ok := strings.CutPrefix(text, string(field)+":"); ok && after != "" && !unicode.IsSpace(rune(after[0])) {
			t.Field, text = field, after
			break
		}
	}
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		t.Phrase = true
		t.Text, rest, _ = strings.Cut(quoted, `"`)
		return t, rest
	}
	t.Text, rest = text, ""
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		t.Text, rest = text[:end], text[end:]
	}
	if t.Field == SearchAnywhere && strings.Contains(t.Text, "://") {
		t.Field = SearchLinks
	}
	if word, ok := strings.CutSuffix(t.Text, "*"); ok {
		t.Text, t.Prefix = word, true
	}
	return t, rest
}

// Segment is a part of a passage.
type Segment struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"` // a term matches it
}

// SearchHit is an entry that a Search selects.
type SearchHit struct {
	Entry   Entry     `json:"entry"`             // without content
	Passage []Segment `json:"passage,omitempty"` // of its text, where terms match; its beginning if none does
}

// SearchPage is a part of what a Search selects.
type SearchPage struct {
	Hits []SearchHit
	Next Cursor // zero: nothing follows
	// Incomplete reports that the index does not have all entries yet.
	Incomplete bool
}

// FindEntries returns up to limit entries that s selects and see accepts (nil: all) after a cursor, with passages of their texts. A page may have
// fewer entries although there are more at its Next. ErrUnavailable: the index cannot answer now.
type FindEntries func(ctx context.Context, s *Search, see func(*Entry) bool, after Cursor, limit int) (SearchPage, error)
