package instant

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// Codes returns the codes of all warnings.
func Codes() []string {
	return []string{codeLeftOut, codeIgnored, codeUnwrapped, codeFlattened, codeRepaired, codeRule}
}

// LaidOut returns the names of the classes with a layout.
func LaidOut() []string { return slices.Sorted(maps.Keys(classes)) }

// Fragment returns the cover and the body of the document that Transform makes.
func Fragment(a feed.Article, o Options) (body string, warnings []hypertext.Warning, err error) {
	b, err := layOut(a, o)
	if err != nil {
		return "", b.warnings.All(), fmt.Errorf("transform article %s: %w", a.UUID, err)
	}
	var sb strings.Builder
	if b.header.cover != nil {
		b.header.cover.write(&sb)
		sb.WriteString("\n")
	}
	for _, bl := range b.blocks {
		bl.write(&sb)
	}
	return sb.String(), b.warnings.All(), nil
}
