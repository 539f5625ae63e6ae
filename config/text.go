package config

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// textKind is a kind of text.
type textKind struct {
	name string                            // for people
	read func(s string) (string, *Problem) // returns the normal form of a text that is not empty
	mask func(s string) string             // returns what may be seen of a secret; nil: everything
}

// textKinds returns the kinds that options.yaml names.
func textKinds() map[string]textKind {
	return map[string]textKind{
		"address":             {"host:port", address, nil},
		"callback URL":        {"URL", callbackURL, maskPath},
		"callback URLs":       {"URLs", callbackURL, nil},
		"contact":             {"web or mail address", contact, nil},
		"cron spec":           {"cron spec", cronSpec, nil},
		"element":             {"element", element, nil},
		"elements":            {"elements", element, nil},
		"feed names":          {"types of feeds", feedType, nil},
		"feed":                {"name of a feed", anything, nil},
		"header name":         {"header name", headerName, nil},
		"hosts":               {"hosts", host, nil},
		"HTML elements":       {"elements", htmlElement, nil},
		"key prefix":          {"text", prefix, nil},
		"language tag":        {"language tag", language, nil},
		"loopback address":    {"host:port", loopbackAddress, nil},
		"namespaces":          {"prefix=URI", namespace, nil},
		"password":            {"text", password, hide},
		"path":                {"path", anything, nil},
		"profile":             {"name of a profile", anything, nil},
		"proxy URL or direct": {"URL, or direct", proxyOrDirect, maskProxy},
		"proxy URL":           {"URL", proxyURL, maskProxy},
		"Redis URL":           {"URL", redisURL, maskUserinfo},
		"source URL":          {"URL", sourceURL, nil},
		"source URLs or all":  {`URLs, or "*"`, sourceOrAll, nil},
		"text":                {"text", anything, nil},
		"token":               {"text", bearer, hide},
		"user agents":         {`parts of a User-Agent, or "*"`, agent, nil},
		"user name":           {"text", username, nil},
		"web URL":             {"URL", webURL, nil},
		"webhook secret":      {"text", webhookSecret, hide},
	}
}

func anything(s string) (string, *Problem) { return s, nil }

// feedType parses the name of an outgoing feed.
func feedType(s string) (string, *Problem) {
	if feed.CheckType(s) != nil {
		return "", wrong(quote(s)+" cannot be the name of a feed",
			"use 1 to 32 of a-z, 0-9, - and _, starting with a letter")
	}
	return s, nil
}

// agent parses a part of a User-Agent. It rejects the empty text, which is part of every User-Agent.
func agent(s string) (string, *Problem) {
	if s == "" || strings.ContainsFunc(s, isControl) {
		return "", wrong(quote(s)+" is not a part of a User-Agent", `write a word of it like Facebot, or "*" for everyone`)
	}
	return s, nil
}

// isName matches the name of an XML element.
var isName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}(:[A-Za-z][A-Za-z0-9_-]{0,63})?$`).MatchString

// element parses the name of an XML element.
func element(s string) (string, *Problem) {
	if !isName(s) {
		return "", wrong(quote(s)+" is not the name of an element", "write it like dc:creator")
	}
	return s, nil
}

// namespace parses the declaration of an XML namespace.
func namespace(s string) (string, *Problem) {
	prefix, uri, _ := strings.Cut(s, "=")
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "" || !isName(prefix) || strings.Contains(prefix, ":"):
		return "", wrong(quote(s)+" is not a namespace", "write it like dc=http://purl.org/dc/elements/1.1/")
	case prefix == "content" || prefix == "atom":
		return "", wrong("the prefix "+prefix+" is always declared", "remove it")
	}
	return s, nil
}

// htmlElement parses the name of an HTML element.
func htmlElement(s string) (string, *Problem) {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !isAlphanumeric(r) || r < 'a' && r > '9' }) {
		return "", wrong(quote(s)+" is not an HTML element", "write it like figure")
	}
	return s, nil
}

// host parses the name of a host.
func host(s string) (string, *Problem) {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Hostname() != s || !strings.Contains(s, ".") {
		return "", wrong(quote(s)+" is not a host", "write it like youtube.com")
	}
	return s, nil
}

// prefix parses the prefix of keys. It may start with a tag in braces, which keeps keys together in a Redis Cluster.
func prefix(s string) (string, *Problem) {
	other := func(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune(":_.-", r) }
	rest := s
	if tagged, found := strings.CutPrefix(s, "{"); found {
		tag, behind, closed := strings.Cut(tagged, "}")
		if !closed || tag == "" {
			return "", wrong(quote(s)+" cannot begin a key", "close the tag as in {feedwire}:")
		}
		rest = tag + behind
	}
	if len(s) > 64 || strings.ContainsFunc(rest, other) {
		return "", wrong(quote(s)+" cannot begin a key", "use 1 to 64 letters, digits and : _ . -, and braces around the beginning only")
	}
	return s, nil
}

// username parses the user name of HTTP Basic, which ends at the first colon (RFC 7617 section 2).
func username(s string) (string, *Problem) {
	if strings.Contains(s, ":") {
		return "", wrong(quote(s)+" contains a colon, which ends a user name", "remove it")
	}
	return s, nil
}

// language parses a language tag: subtags of one to eight letters and digits (RFC 5646 section 2.1).
func language(s string) (string, *Problem) {
	for subtag := range strings.SplitSeq(s, "-") {
		other := func(r rune) bool { return !isAlphanumeric(r) }
		if subtag == "" || len(subtag) > 8 || strings.ContainsFunc(subtag, other) {
			return "", wrong(quote(s)+" is not a language tag", "write it like en, de-AT or pt-BR")
		}
	}
	return s, nil
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// headerName parses the name of a header field.
func headerName(s string) (string, *Problem) {
	if err := feed.CheckHeader(s, ""); err != nil {
		return "", wrong(quote(s)+" is not the name of a header field", "write it like X-Forwarded-User")
	}
	return s, nil
}

// headerList returns a value of header fields, each written "Name: value". Values may be secret; only names are shown.
func headerList(p *map[string]string) value {
	return value{kind: "list of header fields", list: true, set: func(texts []string) *Problem {
		const example = `write it like "X-Key: abc"`
		all := make(map[string]string, len(texts))
		for _, s := range texts {
			name, content, ok := strings.Cut(s, ":")
			name, content = strings.TrimSpace(name), strings.TrimSpace(content)
			if !ok {
				return wrong("a header field has no colon", example)
			}
			if err := feed.CheckHeader(name, content); err != nil {
				return wrong(invalidReason(err), example)
			}
			all[name] = content
		}
		*p = nil
		if len(all) > 0 {
			*p = all
		}
		return nil
	}, exact: func() string { return fmt.Sprint(*p) }, show: func() string { // maps print in the order of their keys
		shown := slices.Sorted(maps.Keys(*p))
		for i := range shown {
			shown[i] += ": " + mask
		}
		return spellList(shown)
	}}
}

// signalKind parses the name of a kind of signals.
func signalKind(s string) (feed.SignalKind, *Problem) {
	var kinds []string
	for _, k := range feed.SignalKinds() {
		if string(k) == s {
			return k, nil
		}
		kinds = append(kinds, string(k))
	}
	return "", wrong(quote(s)+" is not a kind of signals", "use some of "+strings.Join(kinds, ", "))
}

// filters returns a value of expressions over parts of an entry: "title=ferry".
func filters(p *[]feed.Filter) value {
	v := list(p, "field=expression", func(s string) (feed.Filter, *Problem) {
		f, err := feed.ParseFilter(s)
		if err == nil {
			_, err = feed.Filters{Keep: []feed.Filter{f}}.Compile()
		}
		if err != nil {
			return f, wrong(filterReason(err), "write it like 'title=(?i)ferry', in single quotes")
		}
		return f, nil
	}, feed.Filter.String)
	set := v.set
	v.set = func(texts []string) *Problem {
		before := *p
		if problem := set(texts); problem != nil {
			return problem
		}
		if _, err := (feed.Filters{Keep: *p}).Compile(); err != nil { // too many
			*p = before
			return wrong(filterReason(err), "leave some out, or join them with |")
		}
		if len(*p) == 0 {
			*p = nil
		}
		return nil
	}
	return v
}

// invalidReason returns the text of a feed.ErrInvalid without its prefix. The place of a Problem says where.
func invalidReason(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), feed.ErrInvalid.Error()), ": ")
}

func filterReason(err error) string {
	return strings.TrimPrefix(strings.TrimSpace(invalidReason(err)), "keep filter 1: ")
}
