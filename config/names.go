package config

import (
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// feedType accepts the name of an outgoing feed.
func feedType(s string) (string, *Problem) {
	if feed.CheckType(s) != nil {
		return "", wrong(quote(s)+" cannot be the name of a feed",
			"use 1 to 32 of a-z, 0-9, - and _, starting with a letter")
	}
	return s, nil
}

// agent accepts a part of a User-Agent. An empty part would be found in every one.
func agent(s string) (string, *Problem) {
	if s == "" || strings.ContainsFunc(s, isControl) {
		return "", wrong(quote(s)+" is not a part of a User-Agent", `write a word of it like Facebot, or "*" for everyone`)
	}
	return s, nil
}

// prefix checks what keys begin with. It may begin with a tag in braces, which keeps them together in a Redis Cluster.
func prefix(s string) *Problem {
	other := func(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune(":_.-", r) }
	rest := s
	if tagged, found := strings.CutPrefix(s, "{"); found {
		tag, behind, closed := strings.Cut(tagged, "}")
		if !closed || tag == "" {
			return wrong(quote(s)+" cannot begin a key", "close the tag as in {feedwire}:")
		}
		rest = tag + behind
	}
	if len(s) > 64 || strings.ContainsFunc(rest, other) {
		return wrong(quote(s)+" cannot begin a key", "use 1 to 64 letters, digits and : _ . -, and braces around the beginning only")
	}
	return nil
}

// username checks the user name of HTTP Basic, which ends at the first colon (RFC 7617 section 2).
func username(s string) *Problem {
	if strings.Contains(s, ":") {
		return wrong(quote(s)+" holds a colon, which ends a user name", "leave it out")
	}
	return nil
}

// language checks the form of a language tag: subtags of one to eight letters and digits (RFC 5646 section 2.1).
func language(s string) *Problem {
	for subtag := range strings.SplitSeq(s, "-") {
		other := func(r rune) bool { return !isAlphanumeric(r) }
		if subtag == "" || len(subtag) > 8 || strings.ContainsFunc(subtag, other) {
			return wrong(quote(s)+" is not a language tag", "write it like en, de-AT or pt-BR")
		}
	}
	return nil
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// headerName checks the name of a header field.
func headerName(s string) *Problem {
	if err := feed.CheckHeader(s, ""); err != nil {
		return wrong(quote(s)+" is not the name of a header field", "write it like X-Forwarded-User")
	}
	return nil
}
