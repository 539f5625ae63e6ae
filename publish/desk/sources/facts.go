package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// pushStates describes the states of a subscription at the hub of a source.
var pushStates = map[feed.PushState]string{
	feed.PushNone:    "not subscribed",
	feed.PushPending: "requested; the hub has not confirmed it yet",
	feed.PushActive:  "active: the hub pushes, and polls are a safety net",
	feed.PushDenied:  "denied by the hub; the source is polled instead",
	feed.PushSilent:  "silent: the hub does not push everything, so the source is polled as if it had no hub",
	feed.PushLeaving: "ended; the hub has not confirmed it yet",
}

// pushFacts returns the state of the subscription at the hub of a source; nil: the source has no hub.
func pushFacts(p *feed.Push, now time.Time) (all web.Facts) {
	if p.Hub == "" {
		return nil
	}
	all.Text("State", pushStates[p.State])
	all.Time("Since", web.Ago(p.Since, now))
	all.Text("Error", p.ErrorText)
	all.Text("Hub", p.Hub)
	all.Text("Topic", p.Topic)
	all.Time("Lease ends", web.Ahead(p.LeaseEnd, now))
	all.Time("Last push", web.Ago(p.LastPush, now))
	all.Time("Last push without content", web.Ago(p.LastPing, now))
	all.Count("Pushes", p.Pushes)
	all.Count("Refused in a row: invalid signature", p.Refused)
	all.Count("Entries found by polls first", p.Missed)
	all.Count("Minutes over fetch.push_entries", p.Limited)
	if p.LimitLeft(now) > 0 {
		all.Time("Pushes are refused, the source is polled; ends", web.Ahead(p.LimitedUntil, now))
	}
	all.Count("Unconfirmed requests in a row", p.Errors)
	return all
}

// sourceFacts returns the settings and the metadata of a source, without the values of header fields and without passwords.
func sourceFacts(s *feed.Source, now time.Time) (all web.Facts) {
	if s.Local() {
		all.Text("Feed", s.URL)
	} else {
		all.Link("Feed", s.URL)
	}
	all.Link("Site", s.About.Link)
	all.Text("Description", web.Cut(s.About.Description, 500))
	for _, author := range s.About.Authors {
		all = append(all, web.Fact{Name: "Author", Text: author.Name, Link: author.URL})
	}
	all.Text("Subjects", subjects(s.About.Categories))
	all.Text("Rights", s.About.Rights)
	all.Text("Owner", strings.TrimSpace(s.About.Owner+" "+s.About.OwnerEmail))
	for _, person := range s.About.Persons {
		all = append(all, web.Fact{Name: "Person", Text: person.Name, Link: person.URL, Note: person.Role})
	}
	all.Link("Image", s.About.Image)
	all.Link("Icon", s.About.Icon)
	for _, url := range s.Republished {
		all.Link("Republished", url)
	}
	all.Text("Language", s.About.Language)
	switch move := s.Poll.Move; {
	case move.Chosen:
		all.Link("Polled at", move.To)
	case !move.Adopted.IsZero():
		all.Link("Moved permanently to", move.To)
	case move.Seen > 0:
		all.Link(fmt.Sprintf("Redirects (permanent, seen %s)", web.Plural(move.Seen, "time")), move.To)
	case move.To != "":
		all.Link("Redirects to another feed", move.To)
	}
	all.Time("Added", web.Ago(s.Added, now))
	all.Text("Feeds", strings.Join(s.Feeds, ", "))
	if len(s.Feeds) > 0 {
		all.Text("Published", map[bool]string{true: "automatically", false: "by an editor"}[s.Publish == feed.PublishAuto])
	}
	all.Text("Categories", strings.Join(s.Categories, ", "))
	for _, f := range s.Filters.Keep {
		all.Text("Only entries with", f.String())
	}
	for _, f := range s.Filters.Block {
		all.Text("Without entries with", f.String())
	}
	all.Text("Entries identified by", identities[s.Poll.Identity])
	if s.IgnoreUpdates {
		all.Text("Updates", "ignored: entries keep their first version")
	}
	if s.Timestamp == feed.TimestampUpdated {
		all.Text("Entries ordered by", "their last edit")
	}
	if s.Keep.Entries > 0 {
		all.Text("Keeps", fmt.Sprintf("the newest %d entries", s.Keep.Entries))
	}
	all.Text("Keeps unlisted entries for", web.Length(time.Duration(s.Keep.For)))
	all.Time("Last document", web.Ago(s.Poll.LastDocument, now))
	all.Time("Last unconditional request", web.Ago(s.Poll.LastFull, now))
	all.Text("ETag", s.Poll.ETag)
	all.Text("Last-Modified", s.Poll.LastModified)
	if s.Poll.Validated != s.URL {
		all.Text("Validators of", s.Poll.Validated)
	}
	q := &s.Request
	all.Text("Timeout", web.Length(q.Timeout))
	all.Text("Sends header fields", strings.Join(slices.Sorted(maps.Keys(q.Headers)), ", "))
	if q.Username != "" {
		all.Text("User name", q.Username)
	}
	if s.Private() {
		all.Text("Password and header fields are for", s.SecretsOrigin())
	}
	all.Text("Proxy", q.ShownProxy())
	return all
}

// subjects returns the names of the categories that a feed gives itself.
func subjects(categories []feed.Category) string {
	names := make([]string, len(categories))
	for i, c := range categories {
		names[i] = cmp.Or(c.Label, c.Term)
	}
	return strings.Join(names, ", ")
}

// identities describes by what entries are identified.
var identities = map[feed.Identity]string{
	"": "guid", feed.IdentityGUID: "guid",
	feed.IdentityLink: "link: several entries had the same guid",
	feed.IdentityText: "link and title: several entries had the same guid and link",
}
