package instant

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// Codes returns the codes of all warnings.
func Codes() []string {
	return []string{codeLeftOut, codeIgnored, codeUnwrapped, codeFlattened, codeRepaired, codeRule}
}

// Vocabulary returns the names of all classes and their properties.
func Vocabulary() []string {
	var words []string
	for _, c := range classes {
		words = append(append(words, c.name), strings.Fields(c.properties)...)
	}
	return words
}

// Candidates returns the classes of the rules of a file that may match an element, highest priority first.
func (s *Rules) Candidates(tag, classes string) (names []string) {
	b := builder{rules: s, cache: make(map[string][]*rule)}
	for _, r := range b.candidates(&html.Node{Data: tag, Attr: []html.Attribute{{Key: "class", Val: classes}}}) {
		if !r.builtin {
			names = append(names, r.class.name)
		}
	}
	return names
}

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
