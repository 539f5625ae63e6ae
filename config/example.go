package config

import (
	"fmt"
	"strconv"
	"strings"
)

const exampleHead = `# The configuration of feedwire.
#
# Every option is listed with its default. To change one, remove the # directly before its key. An environment
# variable (FEEDWIRE_STORE_REDIS for store.redis) overrides this file, and a flag (--store-redis) overrides both.
# "feedwire config check" reports mistakes, "feedwire config show --origin" prints the values in force and their origin.
`

// Example is a file that explains every option. The defaults are comments that change nothing when the # directly before
// a key is removed.
func Example() []byte {
	var b strings.Builder
	b.WriteString(exampleHead)
	table := options()
	for i, o := range table {
		if o.key != "webhooks" && o.key != "sources" && o.key != "feeds" {
			writeOption(&b, table[:i], o, "")
		}
	}

	writeItems(&b, table, "webhooks", webhookOptions(), "https://example.org/hook")
	writeItems(&b, table, "sources", sourceOptions(), "https://example.org/feed.xml")

	writeDoc(&b, profilesDoc, "")
	b.WriteString("profiles:\n  #our-app:\n")
	writeDoc(&b, extendDoc, "    ")
	b.WriteString("    #" + extend + ": full-text\n")
	settings := profileOptions()
	for i, o := range settings {
		writeOption(&b, settings[:i], o, "    ")
	}

	feeds, _ := find(table, "feeds")
	writeDoc(&b, feeds.doc, "")
	b.WriteString("feeds:\n  production:\n")
	members := feedOptions()
	for i, o := range members {
		o.def = strings.ReplaceAll(o.def, "<type>", "production")
		writeOption(&b, members[:i], o, "    ")
	}
	b.WriteString("\n  # A second feed with the same options.\n  development:\n")
	return []byte(b.String())
}

// writeItems writes a list of one item with its options, the first of which is its URL.
func writeItems[T any](b *strings.Builder, table []option[Config], name string, items []option[T], url string) {
	list, _ := find(table, name)
	writeDoc(b, list.doc, "")
	b.WriteString(name + ":\n  #-\n")
	items[0].def = url
	for i, o := range items {
		writeOption(b, items[:i], o, "    ")
	}
}

// writeOption writes one option, and the section that it opens, if none of those before it stands there.
func writeOption[T any](b *strings.Builder, before []option[T], o option[T], indent string) {
	section, name, inSection := strings.Cut(o.key, ".")
	if inSection {
		if !isSection(before, section) {
			fmt.Fprintf(b, "\n%s%s:\n", indent, section)
		}
		indent += "  "
	} else {
		name = section
	}
	var t T
	writeDoc(b, o.doc, indent)
	fmt.Fprintf(b, "%s#%s: %s\n", indent, name, spellText(o.def, o.value(&t).list))
}

// writeDoc writes sentences as comments of at most 100 columns, after an empty line where no block begins.
func writeDoc(b *strings.Builder, doc, indent string) {
	if !strings.HasSuffix(b.String(), ":\n") && !strings.HasSuffix(b.String(), "#-\n") {
		b.WriteString("\n")
	}
	line := indent + "#"
	for _, word := range strings.Fields(doc) {
		if len(line)+1+len(word) > 100 {
			b.WriteString(line + "\n")
			line = indent + "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// spellText is a text as YAML, in quotes where it would be read as something else without. A list has its brackets.
func spellText(s string, isList bool) string {
	const special = "*&!%@`\"'[]{}#|>-?:, "
	plain := s != "" && !strings.ContainsAny(s[:1], special) && !strings.HasSuffix(s, ":") &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #")
	if isList || plain {
		return s
	}
	return strconv.Quote(s)
}
