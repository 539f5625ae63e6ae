package body

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

// Policy defines what cleaned HTML may contain. The zero value allows everything that articles consist of.
type Policy struct {
	// Tags are the allowed elements, a subset of tags; an empty list allows all of them. A table and a formula include their parts. Other
	// elements are replaced by their content.
	Tags []string
	// EmbedHosts are the hosts, with their subdomains, whose frames are allowed. Other frames become links. An empty list means
	// well-known video and audio players.
	EmbedHosts []string
	// MaxDepth is the maximum nesting of elements, at most 256. Deeper elements are replaced by their content. 0 means 100.
	MaxDepth int
}

const (
	defaultDepth = 100
	mostDepth    = 256 // far below the 512 at which the HTML parser gives up
)

// tags are the elements that cleaned HTML can contain.
var tags = strings.Fields("a abbr address article aside audio b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em " +
	"figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i iframe img ins kbd li main mark math nav ol p picture pre q rp rt ruby s samp " +
	"section small source span strong sub summary sup table tbody td tfoot th thead time tr track u ul var video wbr")

// players are the hosts of well-known video and audio players.
var players = strings.Fields("youtube.com youtube-nocookie.com player.vimeo.com dailymotion.com w.soundcloud.com open.spotify.com " +
	"bandcamp.com players.brightcove.net player.twitch.tv embed.podcasts.apple.com archive.org embed.ted.com")

// Cleaner cleans by one policy. It is safe for concurrent use.
type Cleaner struct {
	tags       map[string]bool
	attributes map[string][]string // allowed attributes by element, in the order of output
	hosts      []string
	depth      int
	checked    *bluemonday.Policy
}

// New returns a Cleaner. It costs more than cleaning an article, so reuse the Cleaner.
func New(p Policy) *Cleaner {
	c := &Cleaner{
		tags: make(map[string]bool), attributes: make(map[string][]string),
		hosts: p.EmbedHosts, depth: min(cmp.Or(p.MaxDepth, defaultDepth), mostDepth),
	}
	for _, tag := range tags {
		c.tags[tag] = len(p.Tags) == 0 || slices.Contains(p.Tags, tag)
		c.attributes[tag] = strings.Fields("lang dir title " + attributes[tag])
	}
	for _, part := range []string{"tbody", "tr", "td"} {
		c.tags[part] = c.tags["table"]
	}
	for tag := range strings.FieldsSeq("math " + mathParts) {
		c.tags[tag] = c.tags["math"]
		c.attributes[tag] = strings.Fields("lang dir title " + mathAttributes)
	}
	if len(c.hosts) == 0 {
		c.hosts = players
	}
	c.checked = c.policy()
	return c
}

// policy returns the allowlist of the writer as a policy of bluemonday.
func (c *Cleaner) policy() *bluemonday.Policy {
	var hosts []string
	for _, host := range c.hosts {
		hosts = append(hosts, regexp.QuoteMeta(host))
	}
	address := regexp.MustCompile(`^https?://`)
	frame := regexp.MustCompile(`(?i)^https?://([^/?#@\\]+\.)?(` + strings.Join(hosts, "|") + `)(:[0-9]*)?([/?#]|$)`)
	p := bluemonday.NewPolicy()
	p.AllowURLSchemes("http", "https", "mailto", "tel")
	p.RequireParseableURLs(true)
	for tag, allowed := range c.tags {
		if !allowed {
			continue
		}
		p.AllowNoAttrs().OnElements(tag)
		for _, key := range c.attributes[tag] {
			switch {
			case tag == "iframe" && key == "src":
				p.AllowAttrs(key).Matching(frame).OnElements(tag)
			case key == "src" || key == "srcset" || key == "poster" || key == "cite":
				p.AllowAttrs(key).Matching(address).OnElements(tag)
			default:
				p.AllowAttrs(key).OnElements(tag)
			}
		}
	}
	return p
}
