package config

import (
	"slices"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// feedList returns a value of outgoing feeds by name. Existing feeds keep their options, above all their password.
func feedList(p *[]Feed) value {
	before := *p
	return list(p, "names", func(s string) (Feed, *Problem) {
		name, problem := feedType(s)
		if i := slices.IndexFunc(before, func(f Feed) bool { return f.Type == name }); i >= 0 {
			return before[i], problem
		}
		return newFeed(name), problem
	}, func(f Feed) string { return f.Type })
}

// newFeed returns an outgoing feed with all defaults.
func newFeed(typ string) Feed {
	f := Feed{Outgoing: feed.Outgoing{Type: typ}}
	setDefaults(&f, tables().Feed, typ)
	return f
}

// twin returns a feed with the settings of another feed and its own title and credentials.
func twin(typ string, of *Feed) Feed {
	own := newFeed(typ)
	f := *of
	f.Type, f.Title, f.Description, f.TwinOf = typ, own.Title, own.Description, of.Type
	f.Username, f.Password = own.Username, own.Password
	return f
}

// decodeFeeds reads the outgoing feeds. Twins are decoded last, because they start as copies of their originals.
func (l *loader) decodeFeeds(n node) {
	if !l.isOf(mapping, n, "feeds", "a block of feeds", "write the name of each feed, like production:") {
		return
	}
	if len(n.pairs) > 0 {
		l.config.Feeds = nil // those of the file replace the defaults
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

// decodeFeed reads one feed. original is the value of twin_of, or nil.
func (l *loader) decodeFeed(p pair, original *node) {
	key := feedKey(p.key)
	if _, problem := feedType(p.key); problem != nil {
		l.problem(p.at, "feeds", problem.Reason, problem.Hint)
		return
	}
	if !l.isOf(mapping, p.value, key, "a block of keys", "write title: and others below it, further right") {
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
			f.Profile, f.Window, f.MaxItems, f.RetireAfter = wanted.Name, wanted.Window, wanted.MaxItems, wanted.RetireAfter
			f.Counted = slices.Clone(wanted.Counted)
			for _, k := range []string{"window", "max_items", "impressions.retire_after", "impressions.counted"} {
				l.config.places[key+"."+k] = place{File: profilePlace + wanted.Name}
			}
		} else {
			l.problem(named.at, key+".profile", "there is no profile "+quote(named.text), l.profileHint(named.text))
		}
	}
	l.decode(&f, tables().Feed, key+".", "", p.value.pairs)
	l.config.Feeds = append(l.config.Feeds, f)
}

// refuseOwn reports the settings that a twin cannot have itself.
func (l *loader) refuseOwn(n node, key string) {
	for _, name := range []string{"profile", "sources", "from", "top", "select", "rules"} {
		if own := n.child(name); own != nil {
			l.problem(own.at, key+"."+name, "a twin has that of its original", "leave it out, or leave out twin_of")
		}
	}
}
