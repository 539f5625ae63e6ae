package config

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/publish/strength"
	"github.com/feedwire/feedwire/store/feed"
)

// textKind is a kind of text.
type textKind struct {
	name string                            // for people
	read func(s string) (string, *Problem) // returns the normal form of a text that is not empty
	mask func(s string) string             // returns what may be seen of a secret; nil: everything
}

// textKinds are the kinds that options.yaml names.
var textKinds = map[string]textKind{
	"address":             {"host:port", address, nil},
	"bucket URL":          {"URL", bucketURL, nil},
	"callback URL":        {"URL", callbackURL, maskPath},
	"callback URLs":       {"URLs", callbackURL, nil},
	"constants":           {"name=text", constant, nil},
	"contact":             {"web or mail address", contact, nil},
	"blocked domain":      {"domains", blockedDomain, nil},
	"blocked word":        {"words", blockedWord, nil},
	"cron spec":           {"cron spec", cronSpec, nil},
	"element":             {"element", element, nil},
	"element or path":     {"element, or outer/inner", elementPath, nil},
	"elements":            {"elements", element, nil},
	"feed names":          {"types of feeds", feedType, nil},
	"feed":                {"name of a feed", anything, nil},
	"header name":         {"header name", headerName, nil},
	"host name":           {"host name", hostName, nil},
	"hosts":               {"hosts", host, nil},
	"fields of entries":   {"names of fields", entryField, nil},
	"HTML template":       {"HTML, with {{.Title}} and {{.Link}}", snippet, nil},
	"HTML elements":       {"elements", htmlElement, nil},
	"key prefix":          {"text", prefix, nil},
	"language tag":        {"language tag", language, nil},
	"loopback address":    {"host:port", loopbackAddress, nil},
	"list":                {"list:name", entryList, nil},
	"mail server":         {"host name or address", mailServer, nil},
	"media types":         {"media types", mediaType, nil},
	"namespaces":          {"prefix=URI", namespace, nil},
	"password":            {"text", password, hide},
	"path":                {"path", anything, nil},
	"profile":             {"name of a profile", anything, nil},
	"proxy URL or direct": {"URL, or direct", or("direct", proxyURL), maskProxy},
	"proxy URL":           {"URL", proxyURL, maskProxy},
	"Redis URL":           {"URL", redisURL, maskUserinfo},
	"sender":              {"mail address, also with a name", sender, nil},
	"site name":           {"text", siteName, nil},
	"source URL":          {"URL", sourceURL, nil},
	"source URLs or all":  {`URLs, or "*"`, or("*", sourceURL), nil},
	"text":                {"text", anything, nil},
	"time zone":           {"time zone", timeZone, nil},
	"token":               {"text", daemonToken, hide},
	"user agents":         {`parts of a User-Agent, or "*"`, agent, nil},
	"user name":           {"text", username, nil},
	"web URL":             {"URL", webURL, nil},
	"webhook secret":      {"text", webhookSecret, hide},
}

func anything(s string) (string, *Problem) { return s, nil }

// or returns a parser that also accepts a word.
func or(word string, read func(string) (string, *Problem)) func(string) (string, *Problem) {
	return func(s string) (string, *Problem) {
		if s == word {
			return s, nil
		}
		return read(s)
	}
}

// accept returns a parser of the texts that are ok. In the reason for refusing others, %s is the text.
func accept(ok func(string) bool, reason, hint string) func(string) (string, *Problem) {
	return func(s string) (string, *Problem) {
		if !ok(s) {
			return "", wrong(strings.ReplaceAll(reason, "%s", quote(s)), hint)
		}
		return s, nil
	}
}

// checked is accept for a function that returns an error.
func checked(check func(string) error, reason, hint string) func(string) (string, *Problem) {
	return accept(func(s string) bool { return check(s) == nil }, reason, hint)
}

// matching is accept for a regular expression.
func matching(expression, reason, hint string) func(string) (string, *Problem) {
	return accept(regexp.MustCompile(expression).MatchString, reason, hint)
}

// Parsers of kinds. Reasons do not contain texts that may be secret.
var (
	feedType = checked(feed.CheckType, "%s cannot be the name of a feed", "use 1 to 32 of a-z, 0-9, - and _, starting with a letter")
	element  = matching(`^[A-Za-z][A-Za-z0-9_-]{0,63}(:[A-Za-z][A-Za-z0-9_-]{0,63})?$`, "%s is not the name of an element",
		"write it like dc:creator")
	elementPath = matching(`^[A-Za-z][A-Za-z0-9_:-]{0,128}(/[A-Za-z][A-Za-z0-9_:-]{0,128})?$`, "%s is not the name of an element",
		"write it like snf:analytics, or snf:advertisement/snf:adcontent for an element in another")
	snippet = checked(func(s string) error { _, err := profile.Snippet(s, "Title", "https://example.org/"); return err },
		"%s is not a template of HTML", "close all elements and quotes, and use {{.Title}} and {{.Link}} only")
	entryField = accept(func(s string) bool { return s == profile.AllFields || feed.FieldNamed(s) != nil }, "%s is not a field of an entry",
		"write a name of docs/reference/fields.md like duration, or all")
	entryList = checked(feed.CheckFrom, "%s is not a list of entries", "write list: and the name of a list of docs/reference/votes.md, like list:sport")
	constant  = matching(`^[A-Za-z][A-Za-z0-9:_-]*=.+$`, "%s is not an element with its text", "write it like media:rating=nonadult")

	mediaType = matching(`^[a-z]+/[a-z0-9.+-]+$`, "%s is not a media type", "write it like audio/mpeg")

	htmlElement = matching(`^[a-z0-9]+$`, "%s is not an HTML element", "write it like figure")
	// Subtags of one to eight letters and digits (RFC 5646 section 2.1).
	language = matching(`^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$`, "%s is not a language tag", "write it like en, de-AT or pt-BR")
	timeZone = checked(func(s string) error { _, err := time.LoadLocation(s); return err }, "%s is not a time zone",
		"write it like Europe/Berlin or UTC")
	// The empty text is part of every User-Agent.
	agent = matching(`^[^\x00-\x1f\x7f]+$`, "%s is not a part of a User-Agent", `write a word of it like Facebot, or "*" for everyone`)
	// The user name of HTTP Basic ends at the first colon, and no control characters are allowed (RFC 7617 section 2).
	username = matching(`^[^:]*$`, "%s contains a colon, which ends a user name", "remove it")
	password = matching(`^[^\x00-\x1f\x7f]*$`, "the password contains a line break or another control character", "write it in one line")
	// One word of visible ASCII (RFC 6750 section 2.1).
	bearer = matching(`^[!-~]*$`, "the token contains spaces or characters outside ASCII", "use letters, digits and punctuation")
	// A tag in braces keeps keys together in a Redis Cluster.
	prefixForm = regexp.MustCompile(`^(\{[\w:.-]+\})?[\w:.-]*$`)
	prefix     = accept(func(s string) bool { return len(s) <= 64 && prefixForm.MatchString(s) }, "%s cannot begin a key",
		"use 1 to 64 letters, digits and : _ . -, and braces around the beginning only, as in {feedwire}:")
	proxyURL = checked(feed.CheckProxy, "this is not the URL of a proxy",
		"write it like http://proxy.example.org:3128 or socks5://127.0.0.1:1080")
	webhookSecret = checked(func(s string) error { _, err := feed.WebhookKey(s); return err }, "this is not the secret of a webhook",
		"write whsec_ and 24 to 64 bytes in base64, or leave it out to have one made")
	headerName = checked(func(s string) error { return feed.CheckHeader(s, "") }, "%s is not the name of a header field",
		"write it like X-Forwarded-User")
	host = accept(func(s string) bool {
		u, err := url.Parse("https://" + s)
		return err == nil && u.Hostname() == s && strings.Contains(s, ".")
	}, "%s is not a host", "write it like youtube.com")
	siteName = matching(`^[^\x00-\x1f\x7f]{1,40}$`, "%s has more than 40 characters, or a control character", "write it like Harbour Talk")
	contact  = accept(func(s string) bool {
		a, err := mail.ParseAddress(s)
		_, problem := webURL(s)
		return err == nil && a.Address == s || problem == nil
	}, "%s is neither a web nor a mail address", "write https://example.org/bot or bot@example.org")
)

// blockedWord accepts a word or phrase that a text can contain.
func blockedWord(s string) (string, *Problem) {
	return s, ruleProblem(s, blocklist.CheckWord(s), "write letters or digits, at most 253 bytes")
}

// blockedDomain accepts the domain of a host.
func blockedDomain(s string) (string, *Problem) {
	return s, ruleProblem(s, blocklist.CheckDomain(s), "write it like spam.example, without scheme, port and path")
}

func ruleProblem(rule string, err error, hint string) *Problem {
	if err == nil {
		return nil
	}
	return wrong(quote(rule)+" "+err.Error(), hint)
}

// sender accepts the address of a sender with or without a name.
var sender = checked(func(s string) error { _, err := mail.ParseAddress(s); return err }, "%s is not a mail address",
	"write it like talk@example.org or Harbour Talk <talk@example.org>")

// daemonToken accepts a token of the daemon that is hard to guess.
func daemonToken(s string) (string, *Problem) {
	s, problem := bearer(s)
	if reason := strength.WeakToken(s); problem == nil && reason != "" {
		return "", wrong("the token is too weak: "+reason, strength.StrongToken)
	}
	return s, problem
}

// namespace parses the declaration of an XML namespace.
func namespace(s string) (string, *Problem) {
	prefix, uri, _ := strings.Cut(s, "=")
	u, err := url.Parse(uri)
	_, problem := element(prefix)
	switch {
	case err != nil || u.Scheme == "" || problem != nil || strings.Contains(prefix, ":"):
		return "", wrong(quote(s)+" is not a namespace", "write it like dc=http://purl.org/dc/elements/1.1/")
	case prefix == "content" || prefix == "atom":
		return "", wrong("the prefix "+prefix+" is always declared", "remove it")
	}
	return s, nil
}
