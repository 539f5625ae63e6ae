package publish

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// outlets are the feeds that are served at one time, by name. The first format of a feed has two names.
type outlets map[string]*outlet

// newOutlets returns the outlets of feeds. It reuses those whose settings have not changed. p.mu is held, or p is not shared
// yet.
func (p *Publisher) newOutlets(feeds []feed.Outgoing, opts Options) outlets {
	all := make(outlets, len(feeds))
	for _, f := range feeds {
		p.addOutlets(all, withDefaults(f), opts)
	}
	return all
}

// addOutlets adds a feed in all formats of its profile. They share the accounting: an article that was fetched in one
// format was fetched.
func (p *Publisher) addOutlets(all outlets, f feed.Outgoing, opts Options) {
	wants, ok := profile.Find(f.Profile, opts.Profiles)
	if !ok {
		wants = profile.New(f.Profile)
	}
	sets := map[string]*rulesfile.Rules{"": opts.FeedRules[f.Type]}
	for source, own := range opts.SourceRules {
		sets[source] = own.Before(sets[""])
	}
	shared := settings{
		copies:   p.copies,
		Outgoing: f, profile: wants, rules: sets, store: p.store, opts: opts, accounting: p.accountingOf(&f),
		cleaner: body.New(body.Policy{Tags: wants.Tags, EmbedHosts: wants.Embeds, MaxDepth: wants.Depth}),
	}
	for i, format := range wants.Forms {
		suffixed := f.Type + "." + format
		name := suffixed
		if i == 0 {
			name = f.Type
		}
		o := newOutlet(shared, name, format)
		if current := p.outlet(name); current != nil {
			o = current.replace(o)
		}
		all[name], all[suffixed] = o, o
	}
}

// withDefaults fills in what a document requires.
func withDefaults(f feed.Outgoing) feed.Outgoing {
	f.Profile = cmp.Or(f.Profile, profile.InstantArticles)
	f.Window = cmp.Or(max(f.Window, 0), feed.DefaultWindow)
	f.MaxItems = cmp.Or(max(f.MaxItems, 0), feed.DefaultItems)
	f.Title = cmp.Or(f.Title, f.Type)
	f.Description = cmp.Or(f.Description, f.Title)
	return f
}

func (p *Publisher) outlet(name string) *outlet { return (*p.outlets.Load())[name] }

// Names returns the names under which feeds are served, one for each format: "production", "production.atom".
func (p *Publisher) Names() []string {
	var names []string
	for name, o := range *p.outlets.Load() {
		if name == o.name {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ServeHTTP answers GET and HEAD for the feed in the path value "type".
func (p *Publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("type")
	o := p.outlet(name)
	if o == nil {
		p.refuse(w, name)
		return
	}
	o.ServeHTTP(w, r)
}

// refuse answers a request for a feed that does not exist.
func (p *Publisher) refuse(w http.ResponseWriter, name string) {
	document.Refuse(w, http.StatusNotFound, fmt.Sprintf("There is no feed %.64q. Feeds: %s.", name, strings.Join(p.Names(), ", ")))
}

// At returns the handler for a path without matching a pattern, or nil if no feed is served there.
func (p *Publisher) At(path string) http.Handler {
	if name, ok := strings.CutPrefix(path, "/feed/"); ok {
		if o := p.outlet(name); o != nil {
			return o
		}
	}
	return nil
}

// Topics returns the names of the feeds at the hub by their topics, the rel=self. Feeds with a password have no hub.
func (p *Publisher) Topics() map[string]string {
	all := make(map[string]string)
	for name, o := range *p.outlets.Load() {
		if name == o.name && o.hub() != "" {
			all[o.self()] = name
		}
	}
	return all
}

// Document returns a feed as it is served now. It counts nothing. Errors: feed.ErrNotFound if there is no such feed,
// feed.ErrUnavailable if it cannot be brought up to date.
func (p *Publisher) Document(ctx context.Context, name string) (feed.Distribution, error) {
	o := p.outlet(name)
	if o == nil {
		return feed.Distribution{}, fmt.Errorf("feed %q: %w", name, feed.ErrNotFound)
	}
	now := o.current(ctx, true)
	if now.err != nil {
		return feed.Distribution{}, fmt.Errorf("feed %s is out of date: %w: %w", name, feed.ErrUnavailable, now.err)
	}
	return feed.Distribution{Topic: o.self(), ContentType: now.doc.ContentType(), Body: now.doc.Body(), Whole: true}, nil
}
