package instant

import (
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Vocabulary is what a rules file can hold and what warnings can say: all words that the manual must explain.
func Vocabulary() []string {
	words := []string{codeLeftOut, codeIgnored, codeUnwrapped, codeFlattened, codeRepaired, codeRule}
	for _, c := range classes {
		words = append(append(words, c.name), strings.Fields(c.keys)...)
	}
	return words
}

// Fragment is the body of the document that Transform makes, cover first, without header and footer: plain HTML but for
// the figures of the format.
func Fragment(a feed.Article, o Options) (body string, warnings []Warning, err error) {
	b, err := lay(a, o)
	if err != nil {
		return "", b.warnings, fmt.Errorf("transform article %s: %w", a.UUID, err)
	}
	var sb strings.Builder
	if b.header.cover != nil {
		b.header.cover.write(&sb)
		sb.WriteString("\n")
	}
	for i := range b.blocks {
		writeBlock(&sb, b.blocks[i])
	}
	return sb.String(), b.warnings, nil
}
