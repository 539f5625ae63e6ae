package desk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// pushFacts tell how it goes with the hub of a source; none: it names no hub.
func pushFacts(p *feed.Push, now time.Time) (all facts) {
	if p.Hub == "" {
		return nil
	}
	state := "not subscribed"
	switch p.State {
	case feed.PushPending:
		state = "asked for; the hub has not confirmed it yet"
	case feed.PushActive:
		state = "active: the hub pushes, and polls only make sure"
	case feed.PushDenied:
		state = "refused by the hub; the source is polled instead"
	case feed.PushSilent:
		state = "silent: the hub does not push everything, so the source is polled as without it"
	case feed.PushLeaving:
		state = "given up; the hub has not confirmed that yet"
	case feed.PushNone:
	}
	all.text("State", state)
	all.time("Since", ago(p.Since, now))
	all.text("Trouble", p.ErrorText)
	all.text("Hub", p.Hub)
	all.text("Topic", p.Topic)
	all.time("Lease ends", ahead(p.LeaseEnd, now))
	all.time("Last push", ago(p.LastPush, now))
	all.time("Last ping without content", ago(p.LastPing, now))
	all.count("Pushes", p.Pushes)
	all.count("Refused in a row, signature bad", p.Refused)
	all.count("Entries that polls found first", p.Missed)
	all.count("Requests in a row not confirmed", p.Errors)
	return all
}

// sourceFacts tell what is known of a source beyond how polling goes. Header fields are named without their values, and of
// a password it is told that there is one.
func sourceFacts(s *feed.Source, now time.Time) (all facts) {
	all.link("Feed", s.URL)
	all.link("Site", s.About.Link)
	for _, url := range s.Republished {
		all.link("Republished", url)
	}
	all.text("Language", s.About.Language)
	switch move := s.Poll.Move; {
	case !move.Adopted.IsZero():
		all.link("Moved for good to", move.To)
	case move.Seen > 0:
		all.link(fmt.Sprintf("Redirects (permanent, seen %s)", plural(move.Seen, "time")), move.To)
	case move.To != "":
		all.link("Redirects to another feed", move.To)
	}
	all.time("Added", ago(s.Added, now))
	all.text("Feeds", strings.Join(s.Feeds, ", "))
	if len(s.Feeds) > 0 {
		all.text("Published", map[bool]string{true: "at once", false: "by an editor"}[s.Publish == feed.PublishAuto])
	}
	all.text("Categories", strings.Join(s.Categories, ", "))
	for _, f := range s.Filters.Keep {
		all.text("Keeps only", f.String())
	}
	for _, f := range s.Filters.Block {
		all.text("Blocks", f.String())
	}
	all.text("Entries are told apart by", identityText(s.Poll.Identity))
	if s.IgnoreUpdates {
		all.text("Updates", "ignored: entries stay as they were first stored")
	}
	if s.Keep.Entries > 0 {
		all.text("Keeps", fmt.Sprintf("the newest %d entries", s.Keep.Entries))
	}
	all.text("Keeps what is not listed for", length(s.Keep.For))
	all.time("Last document", ago(s.Poll.LastDocument, now))
	all.time("Last asked in full", ago(s.Poll.LastFull, now))
	all.text("ETag", s.Poll.ETag)
	all.text("Last-Modified", s.Poll.LastModified)
	if s.Poll.Validated != s.URL {
		all.text("Both belong to", s.Poll.Validated)
	}
	q := &s.Request
	all.text("Timeout", length(q.Timeout))
	all.text("Sends header fields", strings.Join(slices.Sorted(maps.Keys(q.Headers)), ", "))
	if q.Username != "" {
		all.text("Signs in as", q.Username)
	}
	all.text("Proxy", q.ShownProxy())
	return all
}

// identityText says a policy in words.
func identityText(identity feed.Identity) string {
	switch identity {
	case feed.IdentityLink:
		return "link: several had one guid"
	case feed.IdentityText:
		return "link and title: several had one guid, and one link"
	case feed.IdentityGUID:
	}
	return "guid"
}
