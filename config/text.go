package config

import (
	"net/url"
	"regexp"
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
		"proxy URL or direct": {"URL, or direct", or("direct", proxyURL), maskProxy},
		"proxy URL":           {"URL", proxyURL, maskProxy},
		"Redis URL":           {"URL", redisURL, maskUserinfo},
		"source URL":          {"URL", sourceURL, nil},
		"source URLs or all":  {`URLs, or "*"`, or("*", sourceURL), nil},
		"text":                {"text", anything, nil},
		"token":               {"text", bearer, hide},
		"user agents":         {`parts of a User-Agent, or "*"`, agent, nil},
		"user name":           {"text", username, nil},
		"web URL":             {"URL", webURL, nil},
		"webhook secret":      {"text", webhookSecret, hide},
	}
}

func anything(s string) (string, *Problem) { return s, nil }

// valid returns a text, or a problem if it is not ok.
func valid(s string, ok bool, reason, hint string) (string, *Problem) {
	if !ok {
		return "", wrong(reason, hint)
	}
	return s, nil
}

// or returns a parser that also accepts a word.
func or(word string, read func(string) (string, *Problem)) func(string) (string, *Problem) {
	return func(s string) (string, *Problem) {
		if s == word {
			return s, nil
		}
		return read(s)
	}
}

// feedType parses the name of an outgoing feed.
func feedType(s string) (string, *Problem) {
	return valid(s, feed.CheckType(s) == nil, quote(s)+" cannot be the name of a feed",
		"use 1 to 32 of a-z, 0-9, - and _, starting with a letter")
}

// agent parses a part of a User-Agent. It rejects the empty text, which is part of every User-Agent.
func agent(s string) (string, *Problem) {
	return valid(s, s != "" && !strings.ContainsFunc(s, isControl), quote(s)+" is not a part of a User-Agent",
		`write a word of it like Facebot, or "*" for everyone`)
}

// isName matches the name of an XML element.
var isName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}(:[A-Za-z][A-Za-z0-9_-]{0,63})?$`).MatchString

// element parses the name of an XML element.
func element(s string) (string, *Problem) {
	return valid(s, isName(s), quote(s)+" is not the name of an element", "write it like dc:creator")
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
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return valid(s, s != "" && !strings.ContainsFunc(s, other), quote(s)+" is not an HTML element", "write it like figure")
}

// host parses the name of a host.
func host(s string) (string, *Problem) {
	u, err := url.Parse("https://" + s)
	return valid(s, err == nil && u.Hostname() == s && strings.Contains(s, "."), quote(s)+" is not a host", "write it like youtube.com")
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
	return valid(s, len(s) <= 64 && !strings.ContainsFunc(rest, other), quote(s)+" cannot begin a key",
		"use 1 to 64 letters, digits and : _ . -, and braces around the beginning only")
}

// username parses the user name of HTTP Basic, which ends at the first colon (RFC 7617 section 2).
func username(s string) (string, *Problem) {
	return valid(s, !strings.Contains(s, ":"), quote(s)+" contains a colon, which ends a user name", "remove it")
}

// isLanguage matches a language tag: subtags of one to eight letters and digits (RFC 5646 section 2.1).
var isLanguage = regexp.MustCompile(`^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$`).MatchString

// language parses a language tag.
func language(s string) (string, *Problem) {
	return valid(s, isLanguage(s), quote(s)+" is not a language tag", "write it like en, de-AT or pt-BR")
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// headerName parses the name of a header field.
func headerName(s string) (string, *Problem) {
	return valid(s, feed.CheckHeader(s, "") == nil, quote(s)+" is not the name of a header field", "write it like X-Forwarded-User")
}
