package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// settings is what the outlets of one feed share.
type settings struct {
	feed.Outgoing
	*accounting
	profile profile.Profile
	cleaner *body.Cleaner
	rules   map[string]*rulesfile.Rules // by URL of the source; "": of all others
	store   Store
	opts    Options
	copies  *copies
}

// outlet serves one feed in one format.
type outlet struct {
	settings
	name     string // in the path: "production", or "production.atom" for a format that is not the profile's first
	checksum string // of everything that the document depends on besides the articles
	writer   feedxml.Writer
	agents   *agents
	disk     *lastGood // nil: none

	refreshes singleflight.Group
	turn      chan struct{} // holds a token while a refresh runs
	watch     *watch
	cached    atomic.Pointer[cached] // result of the last refresh; nil: there was none
	changes   atomic.Uint64          // made by this daemon
	changed   chan struct{}          // has a token if changes were made that renderChanges has not seen
	verdicts  verdicts
	stop      func() // ends run and returns when it has ended; nil: it does not run; owned by the publisher

	// Owned by the refresh that runs.
	doc       *rendered
	items     map[itemKey]encoding
	failing   bool // the last refresh failed
	restored  bool // doc is the copy on disk, or of earlier settings
	triedDisk bool
	compared  uint64 // takedowns before doc was last compared with the store
}

func newOutlet(s settings, name, format string) *outlet {
	o := &outlet{
		settings: s, name: name, writer: feedxml.New(format, &s.profile), agents: newAgents(s.Outgoing),
		items: make(map[itemKey]encoding), watch: &watch{wake: make(chan struct{}, 1)}, turn: make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
	}
	o.checksum = o.sum()
	o.disk = newLastGood(o)
	return o
}

// replace returns o if its checksum is that of wanted, otherwise wanted.
func (o *outlet) replace(wanted *outlet) *outlet {
	if o.checksum == wanted.checksum {
		return o
	}
	if c := o.cached.Load(); c != nil && c.doc != nil { // serves until the store can be read
		wanted.doc, wanted.restored, wanted.triedDisk, wanted.compared = c.doc, true, true, c.takedowns
	}
	return wanted
}

func (o *outlet) sum() string {
	rules := make(map[string]string, len(o.rules))
	for source, r := range o.rules {
		rules[source] = r.Digest()
	}
	text, _ := json.Marshal([]any{copyFormat, o.name, o.Outgoing, o.profile, rules, o.opts.PublicURL, o.opts.HubURL}) // always encodes
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// run watches the store and maintains the copy on disk until ctx ends.
func (o *outlet) run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { o.watchStore(ctx) })
	wg.Go(func() { o.renderChanges(ctx) })
	wg.Go(func() { o.disk.run(ctx, o.lastGood) })
	wg.Wait()
}

// self returns the URL of the feed, or an empty string if it is not known.
func (o *outlet) self() string {
	if o.opts.PublicURL == "" {
		return ""
	}
	return o.opts.PublicURL + "/feed/" + o.name
}

// hub returns where the feed can be subscribed to. A feed with a password is not distributed.
func (o *outlet) hub() string {
	if o.private() || o.profile.NoHub || o.self() == "" {
		return ""
	}
	return o.opts.HubURL
}
