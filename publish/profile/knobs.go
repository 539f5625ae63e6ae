package profile

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Knob is one thing that a profile can say. Set reads it as it is written in YAML, one text for a single value, and
// changes nothing where it returns an error. Show gives it back in that form.
type Knob struct {
	Key, Default, Doc string
	Kind              string // for people: "whole number, 0 to 10"
	List              bool
	Set               func(p *Profile, texts []string) error
	Show              func(p *Profile) []string
}

// Knobs are all knobs, in the order in which they are explained.
func Knobs() []Knob {
	return []Knob{
		text("about", "", "Who takes the feed, in a sentence.",
			func(p *Profile) *string { return &p.About }),
		text("facts", "", "Where the consumer says what it wants: URLs, separated by spaces.",
			func(p *Profile) *string { return &p.Facts }),
		list("forms", "[rss]", "The forms of the document: rss, atom, json. The first one is served at /feed/<name>, each at /feed/<name>.<form>.",
			"forms", oneOf(RSS, Atom, JSON), func(p *Profile) *[]string { return &p.Forms }),
		list("namespaces", "[dc=http://purl.org/dc/elements/1.1/]",
			"The namespaces that RSS declares besides content and atom, each as prefix=URI.",
			"prefix=URI", namespace, func(p *Profile) *[]string { return &p.Namespaces }),
		word("dates", DatesRFC822, "How RSS writes dates: as RSS 2.0 has them, or in ISO 8601. Dates of changes, Atom and JSON Feed have ISO 8601 always.",
			func(p *Profile) *string { return &p.Dates }, DatesRFC822, DatesISO8601),
		list("channel_dates", "[lastBuildDate]", "The elements of the channel that give the time of the newest change.",
			"elements", element, func(p *Profile) *[]string { return &p.ChannelDates }),
		number("ttl", "0", "The minutes after which the consumer may ask again; 0 leaves them out.", 0, 10_000,
			func(p *Profile) *int { return &p.TTL }),
		number("channel_description_maximum", "0", "The characters after which the description of the feed is cut; 0 is any number.", 0, 1000,
			func(p *Profile) *int { return &p.ChannelDescriptionMaximum }),
		name("logo", "", "The element for the feed's logo: image for that of RSS, any other holds a url. Left empty, there is none.",
			func(p *Profile) *string { return &p.Logo }),
		name("dark_logo", "", "The element for the logo on dark ground. Left empty, there is none.",
			func(p *Profile) *string { return &p.DarkLogo }),
		boolean("no_hub", "false", "Leaves out the links to the hub.",
			func(p *Profile) *bool { return &p.NoHub }),
		word("guid", GUIDUUID, "What names an item: the uuid of the article, or its permalink.",
			func(p *Profile) *string { return &p.GUID }, GUIDUUID, GUIDPermalink),
		name("author", "dc:creator", "The element for an author's name, once for each.",
			func(p *Profile) *string { return &p.Author }),
		boolean("byline", "false", "Names the feed as the author of an article that names none.",
			func(p *Profile) *bool { return &p.Byline }),
		name("modified", "", "The element for the time of the last change. Left empty, there is none.",
			func(p *Profile) *string { return &p.Modified }),
		name("short_title", "", "The element for a title cut to title_maximum, where the title is longer. Left empty, such an article is held back.",
			func(p *Profile) *string { return &p.ShortTitle }),
		number("title_minimum", "0", "The characters that a title has at least; articles with a shorter one are held back.", 0, 1000,
			func(p *Profile) *int { return &p.TitleMinimum }),
		number("title_maximum", "0", "The characters that a title has at most; 0 is any number.", 0, 1000,
			func(p *Profile) *int { return &p.TitleMaximum }),
		number("description_minimum", "0", "The characters that a description has at least. Where the summary is shorter, the text of the article stands for it.",
			0, 5000, func(p *Profile) *int { return &p.DescriptionMinimum }),
		number("description_maximum", "1000", "The bytes after which a description is cut.", 10, 100_000,
			func(p *Profile) *int { return &p.DescriptionMaximum }),
		boolean("categories", "true", "Gives the categories of the article.",
			func(p *Profile) *bool { return &p.Categories }),
		list("images", "[]", "The elements for the article's image: media:content, media:thumbnail, enclosure.",
			"elements", oneOf(MediaContent, MediaThumbnail, EnclosureImage), func(p *Profile) *[]string { return &p.Images }),
		number("image_minimum", "0", "The pixels that the shorter side of that image has at least, where its size is known.", 0, 10_000,
			func(p *Profile) *int { return &p.ImageMinimum }),
		boolean("enclosures", "false", "Gives the first sound or film that came with the article, where no image takes its place.",
			func(p *Profile) *bool { return &p.Enclosures }),
		boolean("strip_tracking", "true", "Takes parameters that tell where a reader comes from, like utm_source, out of the links of items.",
			func(p *Profile) *bool { return &p.StripTracking }),
		boolean("query_addresses", "false", "Takes instant articles whose address has a query, like ?p=12. The format forbids them, so they are held back else.",
			func(p *Profile) *bool { return &p.QueryAddresses }),
		list("require", "[]", "What an article needs to be in the feed: body, image. Others are held back.",
			"words", oneOf(RequireBody, RequireImage), func(p *Profile) *[]string { return &p.Require }),
		word("body", BodyFragment, "The form of the article: a fragment of cleaned HTML, or an instant-articles document.",
			func(p *Profile) *string { return &p.Body }, BodyFragment, BodyInstant),
		list("tags", "[]", "The HTML elements that a fragment may hold. Left empty, all that are safe.",
			"elements", tag, func(p *Profile) *[]string { return &p.Tags }),
		list("embeds", "[]", "The hosts whose frames a fragment may hold, with their subdomains. Other frames become links.",
			"hosts", host, func(p *Profile) *[]string { return &p.Embeds }),
		number("depth", "0", "How deep elements may be nested; what is deeper is lifted. 0 is any depth.", 0, 256,
			func(p *Profile) *int { return &p.Depth }),
		number("max_items", "100", "The most articles in one document, where the feed says nothing else.", 1, 1000,
			func(p *Profile) *int { return &p.MaxItems }),
		number("max_bytes", "0", "The most bytes of one document: the newest articles that fit are in it. 0 is any number.", 0, 64<<20,
			func(p *Profile) *int { return &p.MaxBytes }),
		duration("window", "24h", "How long an article stays, where the feed says nothing else.",
			func(p *Profile) *time.Duration { return &p.Window }),
		number("retire_after", "0", "After how many complete fetches by the consumer an article leaves, where the feed says nothing else; 0 is never.",
			0, 1000, func(p *Profile) *int { return &p.RetireAfter }),
		list("counted", "[]", `Whose fetches count, where the feed says nothing else: parts of the User-Agent; "*" counts everyone.`,
			"parts of a User-Agent", agent, func(p *Profile) *[]string { return &p.Counted }),
	}
}

// splitDefault is the default as Set takes it.
func splitDefault(k Knob) []string {
	if !k.List {
		return []string{k.Default}
	}
	inner := strings.Trim(k.Default, "[]")
	if inner == "" {
		return nil
	}
	return strings.Split(inner, ", ")
}

// single is a knob of one text.
func single(key, def, doc, kind string, set func(*Profile, string) error, show func(*Profile) string) Knob {
	return Knob{Key: key, Default: def, Doc: doc, Kind: kind,
		Set:  func(p *Profile, texts []string) error { return set(p, texts[0]) },
		Show: func(p *Profile) []string { return []string{show(p)} },
	}
}

func checked(key, def, doc, kind string, field func(*Profile) *string, check func(string) error) Knob {
	return single(key, def, doc, kind, func(p *Profile, s string) error {
		err := check(s)
		if err == nil {
			*field(p) = s
		}
		return err
	}, func(p *Profile) string { return *field(p) })
}

func text(key, def, doc string, field func(*Profile) *string) Knob {
	return checked(key, def, doc, "text", field, func(s string) error {
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return errors.New("it holds a line break or another control character")
		}
		return nil
	})
}

func name(key, def, doc string, field func(*Profile) *string) Knob {
	return checked(key, def, doc, "element", field, func(s string) error {
		if s == "" {
			return nil
		}
		return element(s)
	})
}

func word(key, def, doc string, field func(*Profile) *string, words ...string) Knob {
	return checked(key, def, doc, "word, one of "+strings.Join(words, ", "), field, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%.40q is not one of the possible values", s)
		}
		return nil
	})
}

func boolean(key, def, doc string, field func(*Profile) *bool) Knob {
	return single(key, def, doc, "bool, true or false", func(p *Profile, s string) error {
		if s != "true" && s != "false" {
			return fmt.Errorf("%.40q is neither true nor false", s)
		}
		*field(p) = s == "true"
		return nil
	}, func(p *Profile) string { return strconv.FormatBool(*field(p)) })
}

func number(key, def, doc string, low, high int, field func(*Profile) *int) Knob {
	span := fmt.Sprintf("%d to %d", low, high)
	return single(key, def, doc, "whole number, "+span, func(p *Profile, s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return fmt.Errorf("%.40q is no whole number in range", s)
		}
		*field(p) = n
		return nil
	}, func(p *Profile) string { return strconv.Itoa(*field(p)) })
}

const longest = 365 * 24 * time.Hour

func duration(key, def, doc string, field func(*Profile) *time.Duration) Knob {
	return single(key, def, doc, "duration, 1m to 8760h", func(p *Profile, s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d < time.Minute || d > longest {
			return fmt.Errorf("%.40q is no duration in range", s)
		}
		*field(p) = d
		return nil
	}, func(p *Profile) string {
		return strings.TrimSuffix(strings.TrimSuffix(field(p).String(), "0s"), "0m")
	})
}

// maxList bounds the items of a list.
const maxList = 200

func list(key, def, doc, kind string, check func(string) error, field func(*Profile) *[]string) Knob {
	return Knob{Key: key, Default: def, Doc: doc, Kind: "list of " + kind, List: true,
		Set: func(p *Profile, texts []string) error {
			if len(texts) > maxList {
				return fmt.Errorf("there are %d items, at most %d are allowed", len(texts), maxList)
			}
			for i, s := range texts {
				if err := check(s); err != nil {
					return err
				}
				if slices.Contains(texts[:i], s) {
					return fmt.Errorf("%.40q is there twice", s)
				}
			}
			*field(p) = slices.Clone(texts)
			return nil
		},
		Show: func(p *Profile) []string { return *field(p) },
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
		return fmt.Errorf("%.40q is not the name of an element; write it like dc:creator", s)
	}
	return nil
}

func namespace(s string) error {
	prefix, uri, _ := strings.Cut(s, "=")
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" || !elementName.MatchString(prefix) || strings.Contains(prefix, ":") {
		return fmt.Errorf("%.80q is not a namespace; write it like dc=http://purl.org/dc/elements/1.1/", s)
	}
	if prefix == "content" || prefix == "atom" {
		return fmt.Errorf("the prefix %s is always declared; leave it out", prefix)
	}
	return nil
}

func tag(s string) error {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	if s == "" || strings.ContainsFunc(s, other) {
		return fmt.Errorf("%.40q is not an HTML element; write it like figure", s)
	}
	return nil
}

func host(s string) error {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Hostname() != s || !strings.Contains(s, ".") {
		return fmt.Errorf("%.80q is not a host; write it like youtube.com", s)
	}
	return nil
}

func agent(s string) error {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf(`%.40q is not a part of a User-Agent; write a word of it, or "*" for everyone`, s)
	}
	return nil
}
