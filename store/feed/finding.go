package feed

// FindingClass is a limit that entries of a document exceed.
type FindingClass string

// Classes. All are values of the label class of feedwire_findings_total.
const (
	FindingEntries    FindingClass = "entries"    // the document has too many entries; the oldest are left out
	FindingEntry      FindingClass = "entry"      // the markup of an entry exceeds a bound; the entry is left out
	FindingMarkup     FindingClass = "markup"     // some tags or attributes of an entry are removed
	FindingText       FindingClass = "text"       // the rest of a text is left out
	FindingTitle      FindingClass = "title"      // its rest is left out
	FindingLink       FindingClass = "link"       // it is left out
	FindingAuthors    FindingClass = "authors"    // some are left out
	FindingCategories FindingClass = "categories" // some are left out
	FindingEnclosures FindingClass = "enclosures" // some are left out
	FindingField      FindingClass = "field"      // another field is left out
	FindingFeed       FindingClass = "feed"       // the title, description, link or language of the feed is cut or left out
)

// FindingClasses returns all classes.
func FindingClasses() []FindingClass {
	return []FindingClass{
		FindingEntries, FindingEntry, FindingMarkup, FindingText, FindingTitle, FindingLink, FindingAuthors, FindingCategories,
		FindingEnclosures, FindingField, FindingFeed,
	}
}

// Finding is a limit that entries of the last document of a source exceed. The source works without what exceeds it.
type Finding struct {
	Class FindingClass `json:"class"`
	Count int          `json:"count"` // entries; 1 for FindingFeed
	Text  string       `json:"text"`  // what happened to them, for a person
}
