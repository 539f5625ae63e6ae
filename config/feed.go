package config

import (
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// feedOptions is one member of the map feeds. In a default, <type> stands for the name of the feed.
func feedOptions() []option[Feed] {
	return []option[Feed]{
		{"profile", profile.InstantArticles,
			"The profile of the consumer: instant-articles, smartnews, msn, flipboard, newsbreak, full-text, or a name in " +
				"profiles.",
			func(f *Feed) value { return text(&f.Profile, "name of a profile", nil) }},
		{"title", "feedwire <type>",
			"The title of the feed.",
			func(f *Feed) value { return text(&f.Title, "text", nil) }},
		{"link", "",
			"The site that the feed belongs to. Default: public_url.",
			func(f *Feed) value { return text(&f.Link, "URL", webURL) }},
		{"description", "Articles selected by feedwire for <type>.",
			"The description of the feed, in a sentence.",
			func(f *Feed) value { return text(&f.Description, "text", nil) }},
		{"language", "",
			"The language of the articles, such as en or pt-BR. If empty, the feed names none.",
			func(f *Feed) value { return text(&f.Language, "language tag", language) }},
		{"copyright", "",
			"The copyright of the feed. Instant articles show it at their end.",
			func(f *Feed) value { return text(&f.Copyright, "text", nil) }},
		{"logo", "",
			"The URL of the logo, for profiles that have an element for it.",
			func(f *Feed) value { return text(&f.Logo, "URL", webURL) }},
		{"dark_logo", "",
			"The URL of the logo for dark backgrounds, for profiles that have an element for it.",
			func(f *Feed) value { return text(&f.DarkLogo, "URL", webURL) }},
		{"twin_of", "",
			"Makes the feed the development twin of another feed: it has the profile, sources, selection and settings of that " +
				"feed, with its own state, title and credentials.",
			func(f *Feed) value { return text(&f.TwinOf, "name of a feed", nil) }},
		{"rules", "",
			"A JSON file with publisher rules that map the markup of its sources to instant articles; see " +
				"docs/reference/transformer.md.",
			func(f *Feed) value { return text(&f.Rules, "path", nil) }},
		{"sources", "[]",
			`URLs of sources whose entries become articles for this feed, in addition to sources that name the feed; "*" is ` +
				"every source.",
			func(f *Feed) value { return list(&f.Sources, `URLs, or "*"`, sourceOrAll) }},
		{"select.keep", "[]",
			`Accepts only entries that match one of these filters: title, content, link, author, category or any, "=" and a ` +
				"regular expression (RE2), as in ['category=(?i)^sport$'].",
			func(f *Feed) value { return filters(&f.Select.Keep) }},
		{"select.block", "[]",
			"Rejects entries that match one of these filters, even if select.keep accepts them.",
			func(f *Feed) value { return filters(&f.Select.Block) }},
		{"publish", "source",
			"Who publishes articles in this feed: manual is an editor, auto publishes each new article automatically, source " +
				"applies the setting of the source.",
			func(f *Feed) value {
				return oneOf(&f.Publish, map[string]feed.PublishMode{
					"source": "", "manual": feed.PublishManual, "auto": feed.PublishAuto,
				})
			}},
		{"window", "24h",
			"How long an article stays in the feed after its publication. Default: as in the profile.",
			func(f *Feed) value { return duration(&f.Window, time.Minute, year) }},
		{"max_items", "100",
			"The maximum number of articles in the document. Default: as in the profile.",
			func(f *Feed) value { return count(&f.MaxItems, 1, 1000) }},
		{"impressions.retire_after", "4",
			"The number of impressions after which an article is imported and leaves the feed. With 0 it stays until its " +
				"window is over, and the feed shows the newest articles. Default: as in the profile.",
			func(f *Feed) value { return count(&f.RetireAfter, 0, 1000) }},
		{"impressions.counted", "[facebookexternalhit, Facebot, meta-externalagent]",
			`The consumer: parts of the User-Agent, case ignored; "*" is everyone. Requests with the feed's own credentials ` +
				"count too. Default: as in the profile.",
			func(f *Feed) value { return list(&f.Counted, `parts of a User-Agent, or "*"`, agent) }},
		{"auth.username", "",
			"The user name that the feed requires (HTTP Basic). If empty, the feed is public.",
			func(f *Feed) value { return text(&f.Username, "text", username) }},
		{"auth.password", "",
			"The password for auth.username.",
			func(f *Feed) value { return secret(&f.Password, "text", password, hide) }},
		{"auth.password_file", "",
			"A file with the password, instead of auth.password.",
			func(f *Feed) value { return secretFile(&f.Password, password) }},
	}
}

// feedList is the outgoing feeds by their names. A feed that is there already keeps all that is known of it, above all
// its password.
func feedList(p *[]Feed) value {
	before := *p
	return listOf(p, "names", func(s string) (Feed, *Problem) {
		name, problem := feedType(s)
		for _, f := range before {
			if f.Type == name {
				return f, problem
			}
		}
		return newFeed(name), problem
	}, func(f Feed) string { return f.Type })
}

// newFeed is an outgoing feed with all defaults.
func newFeed(typ string) Feed {
	f := Feed{Type: typ}
	setDefaults(&f, feedOptions(), typ)
	return f
}

// twin is a feed with the settings of another one, and a title and credentials of its own.
func twin(typ string, of *Feed) Feed {
	own := newFeed(typ)
	f := *of
	f.Type, f.Title, f.Description, f.TwinOf = typ, own.Title, own.Description, of.Type
	f.Username, f.Password = own.Username, own.Password
	return f
}

// follow gives a feed the defaults of its profile.
func (f *Feed) follow(p *profile.Profile) {
	f.Profile, f.Window, f.MaxItems, f.RetireAfter, f.Counted = p.Name, p.Window, p.MaxItems, p.RetireAfter, slices.Clone(p.Counted)
}

// decodeFeeds reads the outgoing feeds. Twins come last, since they begin as what their originals are.
func (l *loader) decodeFeeds(n node) {
	if n.kind != mapping && n.kind != nothing {
		l.problem(n.at, "feeds", "this is "+n.kind.String()+", not a block of feeds",
			"write the name of each feed, like production:")
		return
	}
	if len(n.pairs) > 0 {
		l.config.Feeds = nil // those of the file take the place of the default ones
		l.config.places["feeds"] = n.at
	}
	order := make(map[string]int, len(n.pairs))
	for _, p := range n.pairs {
		l.config.places[feedKey(p.key)] = p.at
	}
	for _, twins := range []bool{false, true} {
		for i, p := range n.pairs {
			if original := p.value.child("twin_of"); (original != nil && original.text != "") == twins {
				order[p.key] = i
				l.decodeFeed(p, original)
			}
		}
	}
	slices.SortStableFunc(l.config.Feeds, func(a, b Feed) int { return order[a.Type] - order[b.Type] })
}

// decodeFeed reads one feed; original is the value of twin_of, nil where there is none.
func (l *loader) decodeFeed(p pair, original *node) {
	key := feedKey(p.key)
	if _, problem := feedType(p.key); problem != nil {
		l.problem(p.at, "feeds", problem.Reason, problem.Hint)
		return
	}
	if p.value.kind != mapping && p.value.kind != nothing {
		l.problem(p.value.at, key, "this is "+p.value.kind.String()+", not a block of keys",
			"write title: and others below it, further right")
		return
	}
	f := newFeed(p.key)
	if original != nil && original.text != "" {
		of := slices.IndexFunc(l.config.Feeds, func(o Feed) bool { return o.Type == original.text && o.TwinOf == "" })
		if of < 0 {
			reason := "there is no feed " + quote(original.text) + " to be the twin of"
			if _, there := l.config.places[feedKey(original.text)]; there {
				reason = quote(original.text) + " is a twin itself"
			}
			l.problem(original.at, key+".twin_of", reason, "name one of feeds that is no twin itself")
		} else {
			f = twin(p.key, &l.config.Feeds[of])
		}
		l.refuseOwn(p.value, key)
	} else if named := p.value.child("profile"); named != nil && named.kind == scalar {
		if wanted, ok := profile.Find(named.text, l.config.Profiles); ok {
			f.follow(&wanted)
			for _, k := range []string{"window", "max_items", "impressions.retire_after", "impressions.counted"} {
				l.config.places[key+"."+k] = place{name: profilePlace + wanted.Name}
			}
		} else {
			l.problem(named.at, key+".profile", "there is no profile "+quote(named.text), l.profileHint(named.text))
		}
	}
	decode(l, &f, feedOptions(), key+".", "", p.value.pairs)
	l.config.Feeds = append(l.config.Feeds, f)
}

// refuseOwn reports what a twin cannot have of its own.
func (l *loader) refuseOwn(n node, key string) {
	for _, name := range []string{"profile", "sources", "select", "rules"} {
		if own := n.child(name); own != nil {
			l.problem(own.at, key+"."+name, "a twin has that of its original", "leave it out, or leave out twin_of")
		}
	}
}
