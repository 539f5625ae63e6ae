package ingest

// repairs is the set of what was mended in a document.
type repairs uint

// The repairs, in the order in which they are told.
const (
	mendedCharset repairs = 1 << iota
	mendedHead
	mendedCharacters
	mendedReferences
	mendedEntities
	mendedBrackets
	mendedComments
	mendedAttributes
	mendedNamespaces
	mendedMarkup
	mendedStray
	mendedUnclosed
	mendedRoot
	mendedTail
	mendedCut
	mendedJSON
)

// structural repairs had to guess where elements begin and end: an entry may have been missed.
const structural = mendedMarkup | mendedStray | mendedUnclosed | mendedRoot | mendedTail | mendedCut

// repairTexts tells each repair to a person.
var repairTexts = [...]string{
	"bytes that are no text in the document's encoding were replaced",
	"what stood before the root element was left out",
	"characters that XML does not allow were left out",
	"ampersands and references that mean nothing were mended",
	"names of HTML characters were written as characters",
	"]]> in text was escaped",
	"comments that end nowhere or too often were left out",
	"attributes without quotes, without value or twice in one tag were mended",
	"misspelt namespaces were corrected",
	"< that begins no tag was taken for text",
	"end tags that close nothing were left out",
	"elements that were never closed were closed",
	"the root element was missing or repeated, and was put right",
	"what stood behind the root element was left out",
	"the document ends early; what was complete of it was taken",
	"values of a wrong type were left out",
}

// texts are the repairs as a person reads them.
func (r repairs) texts() []string {
	var out []string
	for i, text := range repairTexts {
		if r&(1<<i) != 0 {
			out = append(out, text)
		}
	}
	return out
}
