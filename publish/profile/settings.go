package profile

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Setting is one key of a profile.
type Setting struct {
	Key, Default, Doc string
	Kind              string // for people, like "whole number, 0 to 10"
	List              bool

	// Set parses the value as YAML has it, one text for a single value. It changes nothing if it returns an error.
	Set func(texts []string) error
	// Show is the reverse of Set.
	Show func() []string
}

// Settings returns all settings of p in the order of the documentation.
func (p *Profile) Settings() []Setting {
	return []Setting{
		text("about", "", "The consumer of the feed, in a sentence.", &p.About),
		text("facts", "", "URLs of the consumer's requirements, separated by spaces.", &p.Facts),
		list("forms", "[rss]", "The formats: rss, atom, json. The first is served at /feed/<name>, each at /feed/<name>.<format>.",
			"forms", oneOf(formRSS, formAtom, formJSON), &p.Forms),
		list("namespaces", "[dc=http://purl.org/dc/elements/1.1/]", "The namespaces that RSS declares in addition to content and atom, each as prefix=URI.",
			"prefix=URI", namespace, &p.Namespaces),
		word("dates", datesRFC822, "The date format of RSS: that of RSS 2.0, or ISO 8601. Modification dates, Atom and JSON Feed always use ISO 8601.",
			&p.Dates, datesRFC822, DatesISO8601),
		list("channel_dates", "[lastBuildDate]", "The channel elements with the time of the newest change.",
			"elements", element, &p.ChannelDates),
		number("ttl", "0", "The ttl of the channel in minutes; 0 omits it.", 0, 10_000, &p.TTL),
		number("channel_description_maximum", "0", "The maximum length of the feed description in characters; 0 is unlimited.",
			0, 1000, &p.ChannelDescriptionMaximum),
		name("logo", "", "The element for the logo: image for that of RSS; any other contains a url. If empty, the logo is omitted.",
			&p.Logo),
		name("dark_logo", "", "The element for the logo for dark backgrounds. If empty, the logo is omitted.", &p.DarkLogo),
		boolean("no_hub", "false", "Omits the links to the hub.", &p.NoHub),
		word("guid", guidUUID, "The guid of an item: the uuid of the article, or its permalink.",
			&p.GUID, guidUUID, GUIDPermalink),
		name("author", "dc:creator", "The element for an author's name, repeated for each author.", &p.Author),
		boolean("byline", "false", "Names the feed as the author of articles without one.", &p.Byline),
		name("modified", "", "The element for the modification time. If empty, the time is omitted.", &p.Modified),
		name("short_title", "", "The element for a longer title cut to title_maximum. If empty, articles with a longer title are blocked.",
			&p.ShortTitle),
		number("title_minimum", "0", "The minimum length of a title in characters. Articles with a shorter title are blocked.",
			0, 1000, &p.TitleMinimum),
		number("title_maximum", "0", "The maximum length of a title in characters; 0 is unlimited.", 0, 1000, &p.TitleMaximum),
		number("description_minimum", "0", "The minimum length of a description in characters. If the summary is shorter, the text of the article is used.",
			0, 5000, &p.DescriptionMinimum),
		number("description_maximum", "1000", "The maximum length of a description in bytes; longer ones are cut.",
			10, 100_000, &p.DescriptionMaximum),
		boolean("categories", "true", "Includes the categories of the article.", &p.Categories),
		list("images", "[]", "The elements for the article's image: media:content, media:thumbnail, enclosure.",
			"elements", oneOf(mediaContent, mediaThumbnail, enclosureImage), &p.Images),
		number("image_minimum", "0", "The minimum length of the shorter side of the image in pixels, if its size is known.",
			0, 10_000, &p.ImageMinimum),
		boolean("enclosures", "false", "Includes the first audio or video of the article, unless an image uses the enclosure.",
			&p.Enclosures),
		boolean("strip_tracking", "true", "Removes tracking parameters, such as utm_source, from the links of items.",
			&p.StripTracking),
		boolean("query_addresses", "false", "Accepts instant articles whose address has a query, like ?p=12. The format forbids them, so they are blocked by default.",
			&p.QueryAddresses),
		list("require", "[]", "What an article must have: body, image. Other articles are blocked.",
			"words", oneOf(RequireBody, RequireImage), &p.Require),
		word("body", bodyFragment, "The markup of an article: a fragment of clean HTML, or an instant-articles document.",
			&p.Body, bodyFragment, BodyInstant),
		list("tags", "[]", "The HTML elements that a fragment may contain. If empty, all safe elements.",
			"elements", tag, &p.Tags),
		list("embeds", "[]", "The hosts, with subdomains, whose frames a fragment may contain; if empty, well-known players. Other frames become links.",
			"hosts", host, &p.Embeds),
		number("depth", "0", "The maximum nesting depth; deeper elements are moved up. 0 is unlimited.", 0, 256, &p.Depth),
		number("max_items", "100", "The maximum number of articles in the document, unless the feed sets it.",
			1, 1000, &p.MaxItems),
		number("max_bytes", "0", "The maximum size of the document in bytes: it has the newest articles that fit. 0 is unlimited.",
			0, 64<<20, &p.MaxBytes),
		duration("window", "24h", "How long an article stays in the feed, unless the feed sets it.", &p.Window),
		number("retire_after", "0", "The number of impressions after which an article leaves the feed, unless the feed sets it; 0 is never.",
			0, 1000, &p.RetireAfter),
		list("counted", "[]", `The consumer, unless the feed sets it: parts of the User-Agent; "*" is everyone.`,
			"parts of a User-Agent", agent, &p.Counted),
	}
}

// setDefault sets k to its default.
func (k *Setting) setDefault() error {
	texts := []string{k.Default}
	if k.List {
		texts = strings.FieldsFunc(k.Default, func(r rune) bool { return strings.ContainsRune("[], ", r) })
	}
	return k.Set(texts)
}

// single returns a setting with one value, which parse and show convert.
func single[T any](key, def, doc, kind string, field *T, parse func(string) (T, error), show func(T) string) Setting {
	return Setting{Key: key, Default: def, Doc: doc, Kind: kind,
		Set: func(texts []string) error {
			value, err := parse(texts[0])
			if err == nil {
				*field = value
			}
			return err
		},
		Show: func() []string { return []string{show(*field)} },
	}
}

func checked(key, def, doc, kind string, field *string, check func(string) error) Setting {
	return single(key, def, doc, kind, field, func(s string) (string, error) { return s, check(s) }, strings.Clone)
}

func text(key, def, doc string, field *string) Setting {
	return checked(key, def, doc, "text", field, func(s string) error {
		if strings.ContainsFunc(s, unicode.IsControl) {
			return errors.New("it contains a line break or another control character")
		}
		return nil
	})
}

func name(key, def, doc string, field *string) Setting {
	return checked(key, def, doc, "element", field, func(s string) error {
		if s == "" {
			return nil
		}
		return element(s)
	})
}

func word(key, def, doc string, field *string, words ...string) Setting {
	return checked(key, def, doc, "word, one of "+strings.Join(words, ", "), field, oneOf(words...))
}

func boolean(key, def, doc string, field *bool) Setting {
	return single(key, def, doc, "bool, true or false", field, func(s string) (bool, error) {
		if s != "true" && s != "false" {
			return false, fmt.Errorf("%.40q is neither true nor false", s)
		}
		return s == "true", nil
	}, strconv.FormatBool)
}

func number(key, def, doc string, low, high int, field *int) Setting {
	return single(key, def, doc, fmt.Sprintf("whole number, %d to %d", low, high), field, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("%.40q is not a whole number in this range", s)
		}
		return n, nil
	}, strconv.Itoa)
}

const longest = 365 * 24 * time.Hour

func duration(key, def, doc string, field *time.Duration) Setting {
	return single(key, def, doc, "duration, 1m to 8760h", field, func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < time.Minute || d > longest {
			return 0, fmt.Errorf("%.40q is not a duration in this range", s)
		}
		return d, nil
	}, func(d time.Duration) string { return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m") })
}

// maxList is how many items a list may have.
const maxList = 200

func list(key, def, doc, kind string, check func(string) error, field *[]string) Setting {
	return Setting{Key: key, Default: def, Doc: doc, Kind: "list of " + kind, List: true,
		Set: func(texts []string) error {
			if len(texts) > maxList {
				return fmt.Errorf("the list has %d items; at most %d are allowed", len(texts), maxList)
			}
			for i, s := range texts {
				if err := check(s); err != nil {
					return err
				}
				if slices.Contains(texts[:i], s) {
					return fmt.Errorf("%.40q is listed twice", s)
				}
			}
			*field = append([]string(nil), texts...) // an empty list is nil
			return nil
		},
		Show: func() []string { return *field },
	}
}

func oneOf(words ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%.40q is not one of %s", s, strings.Join(words, ", "))
		}
		return nil
	}
}

func element(s string) error {
	if !elementName.MatchString(s) {
		return fmt.Errorf("%.40q is not the name of an element, like dc:creator", s)
	}
	return nil
}

func namespace(s string) error {
	prefix, uri, _ := strings.Cut(s, "=")
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" || !elementName.MatchString(prefix) || strings.Contains(prefix, ":") {
		return fmt.Errorf("%.80q is not a namespace, like dc=http://purl.org/dc/elements/1.1/", s)
	}
	if prefix == "content" || prefix == "atom" {
		return fmt.Errorf("the prefix %s is always declared; remove it", prefix)
	}
	return nil
}

func tag(s string) error {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	if s == "" || strings.ContainsFunc(s, other) {
		return fmt.Errorf("%.40q is not an HTML element, like figure", s)
	}
	return nil
}

func host(s string) error {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Hostname() != s || !strings.Contains(s, ".") {
		return fmt.Errorf("%.80q is not a host, like youtube.com", s)
	}
	return nil
}

func agent(s string) error {
	if s == "" || strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf(`%.40q is not a part of a User-Agent; use a word of it, or "*" for every client`, s)
	}
	return nil
}
