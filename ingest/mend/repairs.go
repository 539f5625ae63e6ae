package mend

// Repairs is the set of repairs made to a document.
type Repairs uint

// The repairs, in the order in which Texts lists them.
const (
	RepairedEncoding Repairs = 1 << iota // by the caller
	repairedHead
	repairedCharacters
	repairedReferences
	repairedEntities
	repairedBrackets
	repairedComments
	repairedAttributes
	repairedNamespaces
	repairedMarkup
	repairedStray
	repairedUnclosed
	repairedRoot
	repairedTail
	Truncated        // also by the caller, for JSON
	RepairedJSONType // by the caller
	RepairedCommas   // by the caller
)

// structural repairs guess where elements begin and end.
const structural = repairedMarkup | repairedStray | repairedUnclosed | repairedRoot | repairedTail | Truncated

// IsStructural reports whether the document may have lost an entry.
func (r Repairs) IsStructural() bool { return r&structural != 0 }

// Texts describes the repairs, one sentence fragment each.
func (r Repairs) Texts() []string {
	var out []string
	for i, text := range []string{
		"bytes that are invalid in the document's encoding were replaced",
		"text before the root element was removed",
		"characters that XML forbids were removed",
		"unescaped ampersands and invalid references were corrected",
		"HTML entities were replaced by their characters",
		"]]> in text was escaped",
		"malformed comments were removed",
		"attributes without quotes, without a value or repeated were corrected",
		"misspelt namespaces were corrected",
		"< that begins no tag was escaped",
		"end tags without a start tag were removed",
		"unclosed elements were closed",
		"a missing or repeated root element was corrected",
		"text after the root element was removed",
		"the document is truncated; its complete entries were read",
		"values of a wrong type were removed",
		"commas without a value after them were removed",
	} {
		if r&(1<<i) != 0 {
			out = append(out, text)
		}
	}
	return out
}
