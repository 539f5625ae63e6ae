package config

import (
	"fmt"
	"strings"
)

const exampleHead = `# The configuration of feedwire.
#
# Every option is listed with its default. To change one, remove the # directly before its key. An environment
# variable (FEEDWIRE_STORE_REDIS for store.redis) overrides this file, and a flag (--store-redis) overrides both.
# "feedwire config check" reports mistakes, "feedwire config show --origin" prints the values in force and their origin.
`

const (
	profilesDoc = "Your own profiles, by the names that feeds use. " +
		"The built-in profiles are described in docs/reference/profiles.md."
	groupsDoc = "Rules for groups of entries, by the names of the groups. An entry that one of the rules selects is in the group: category:sport, " +
		"source:https://example.org/feed.xml, author:Ann Lee or title:world cup. See docs/reference/votes.md."
	extendDoc = "The profile to start from, built-in or defined above this one. If omitted, the defaults below apply."
)

// generateExample returns example.yaml.
func generateExample() string {
	var b strings.Builder
	b.WriteString(exampleHead)
	t := tables()
	for i, o := range t.Options {
		if o.Key != "webhooks" && o.Key != "sources" && o.Key != "feeds" {
			writeOption(&b, t.Options[:i], o, o.Default, "")
		}
	}

	writeItems(&b, "webhooks", t.Webhook, "https://example.org/hook")
	writeItems(&b, "sources", t.Source, "https://example.org/feed.xml")

	writeDoc(&b, groupsDoc, "")
	b.WriteString("groups:\n  #sport: [category:sport, \"title:world cup\"]\n")

	writeDoc(&b, profilesDoc, "")
	b.WriteString("profiles:\n  #our-app:\n")
	writeDoc(&b, extendDoc, "    ")
	b.WriteString("    #" + extend + ": full-text\n")
	for i, o := range t.Profile {
		writeOption(&b, t.Profile[:i], o, o.Default, "    ")
	}

	writeDoc(&b, find(t.Options, "feeds").Doc, "")
	b.WriteString("feeds:\n  production:\n")
	for i, o := range t.Feed {
		writeOption(&b, t.Feed[:i], o, strings.ReplaceAll(o.Default, "<type>", "production"), "    ")
	}
	b.WriteString("\n  # A second feed with the same options.\n  development:\n")
	return b.String()
}

// writeItems writes a list with one item and its options, the first of which is its URL.
func writeItems(b *strings.Builder, name string, table []*option, url string) {
	writeDoc(b, find(tables().Options, name).Doc, "")
	b.WriteString(name + ":\n  #-\n")
	for i, o := range table {
		def := o.Default
		if i == 0 {
			def = url
		}
		writeOption(b, table[:i], o, def, "    ")
	}
}

// writeOption writes one option, after its section if no option before it has written that.
func writeOption(b *strings.Builder, before []*option, o *option, def, indent string) {
	section, name, inSection := strings.Cut(o.Key, ".")
	if inSection {
		if !isSection(before, section) {
			fmt.Fprintf(b, "\n%s%s:\n", indent, section)
		}
		indent += "  "
	} else {
		name = section
	}
	writeDoc(b, o.Doc, indent)
	fmt.Fprintf(b, "%s#%s: %s\n", indent, name, spellText(def, o.list))
}

// writeDoc writes sentences as a comment of up to 100 columns, after an empty line unless a block begins here.
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
