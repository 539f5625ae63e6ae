package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// recognised is an entry of a document beside what is stored.
type recognised struct {
	verdict feed.Verdict
	id      string        // of the stored entry; empty for a new and an expired one
	guid    string        // of the stored entry, where it is not the document's
	knownBy feed.Sameness // where guid is set
	redated bool          // nothing differs but the publication date
	died    time.Time     // of an expired one: when it was last listed
	renamed bool          // the document's guid is not among its names yet
	revived bool          // new, under the guid of an expired one
	held    bool          // it gets no signal of its own
}

// sameDay is how far two dates of one entry may lie apart: time zones are mistaken more often than days.
const sameDay = 24 * time.Hour

// linkDay is likewise that of two entries with one link, where an entry a day is the rule in some sources.
const linkDay = 12 * time.Hour

// recognise tells for each entry of a document whether it is new, changed, the same, or expired before. An entry whose
// guid is not known may still be one that is: sites change the scheme of their guids, move to https, correct a link. What
// it finds out about the names of the entries it writes into the drafts.
func (s *Store) recognise(ctx context.Context, src *feed.Source, doc *feed.Document, drafts []draft) ([]recognised, error) {
	dropSharedLinks(drafts)
	answers, err := s.probe(ctx, src.URL, doc.Entries, drafts)
	if err != nil {
		return nil, err
	}
	all := make([]recognised, len(answers))
	listed := make(map[string]bool, len(answers)) // ids of the stored entries that are in the document
	for i, answer := range answers {
		if all[i], err = byGUID(answer); err != nil {
			return nil, fmt.Errorf("compare entries of %s: %w", src.URL, err)
		}
		listed[all[i].id] = true
	}
	for i, answer := range answers {
		if found, ok := answer.(sighted); ok && !listed[found.id] && found.is(&doc.Entries[i]) {
			all[i] = found.recognised(drafts[i].fields["digest"])
			listed[found.id] = true
		}
	}
	if err := s.byTitle(ctx, src, doc, drafts, all, listed); err != nil {
		return nil, err
	}
	revive(doc, all)
	for i := range all {
		if all[i].guid != "" {
			drafts[i].fields["guid"] = all[i].guid
		} else { // the guidmap has its guid
			drafts[i].aliases = slices.DeleteFunc(drafts[i].aliases, feed.IsExactAlias)
		}
	}
	return all, nil
}

// dropSharedLinks takes the alias of the link from entries that have it in common: it names none of them.
func dropSharedLinks(drafts []draft) {
	times := make(map[string]int)
	for i := range drafts {
		for _, alias := range drafts[i].aliases {
			times[alias]++
		}
	}
	shared := func(alias string) bool { return feed.IsLinkAlias(alias) && times[alias] > 1 }
	for i := range drafts {
		drafts[i].aliases = slices.DeleteFunc(slices.Clone(drafts[i].aliases), shared)
	}
}

// probe asks what is stored of the entries: a string or a sighted each, see probe_entries.lua.
func (s *Store) probe(ctx context.Context, url string, entries []feed.Entry, drafts []draft) ([]any, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	args := make([]any, 1, 1+4*len(drafts))
	p := s.keys.of(url)
	args[0] = p.prefix
	for i := range drafts {
		f := drafts[i].fields
		args = append(args, entries[i].GUID, f["digest"], f["date_published"], strings.Join(drafts[i].aliases, " "))
	}
	keys := []any{p.guidmap(url), p.dead(url), p.alias(url)}
	answers, err := redis.Values(s.run(ctx, "probe_entries", keys, args))
	if err == nil && len(answers) != len(drafts) {
		err = fmt.Errorf("probe_entries answered %d times for %d entries", len(answers), len(drafts))
	}
	if err != nil {
		return nil, fmt.Errorf("compare entries of %s: %w", url, err)
	}
	for i, answer := range answers {
		if fields, ok := answer.([]any); ok {
			if answers[i], err = sightedFrom(fields); err != nil {
				return nil, fmt.Errorf("compare entries of %s: %w", url, err)
			}
		}
	}
	return answers, nil
}

// byGUID reads the answer about an entry. One that is not known by its guid is new for now.
func byGUID(answer any) (recognised, error) {
	if _, ok := answer.(sighted); ok {
		return recognised{verdict: feed.VerdictNew}, nil
	}
	text, err := redis.String(answer, nil)
	if err != nil || text == "" {
		return recognised{}, fmt.Errorf("unexpected answer %q: %w", text, err)
	}
	switch rest := text[1:]; text[0] {
	case '=':
		return recognised{verdict: feed.VerdictSame, id: rest}, nil
	case '~':
		return recognised{verdict: feed.VerdictSame, id: rest, redated: true}, nil
	case 'm':
		return recognised{verdict: feed.VerdictChanged, id: rest}, nil
	case 'x':
		return recognised{verdict: feed.VerdictExpired, died: feed.ParseTime(rest)}, nil
	}
	return recognised{verdict: feed.VerdictNew}, nil
}

// sighted is a stored entry that has a name, or a title, in common with one of a document.
type sighted struct {
	alias, id, guid, digest, title string
	day                            time.Time
}

func sightedFrom(reply []any) (sighted, error) {
	f, err := redis.Strings(reply, nil)
	if err != nil || len(f) != 6 {
		return sighted{}, fmt.Errorf("unexpected answer with %d parts: %w", len(f), err)
	}
	return sighted{alias: f[0], id: f[1], guid: f[2], digest: f[3], day: feed.ParseTime(f[4]), title: f[5]}, nil
}

// is reports whether it is the entry. Another spelling of its guid is enough; a link is not, where the dates say that it
// came out on another day, or in the absence of dates the titles differ.
func (s *sighted) is(e *feed.Entry) bool {
	switch {
	case !feed.IsLinkAlias(s.alias):
		return true
	case s.day.IsZero() || e.Published.IsZero():
		return s.title == e.Title
	}
	return s.day.Sub(e.Published).Abs() <= linkDay
}

func (s *sighted) recognised(digest string) recognised {
	r := recognised{verdict: feed.VerdictChanged, id: s.id, guid: s.guid, knownBy: feed.SameAlias}
	if feed.IsLinkAlias(s.alias) {
		r.knownBy, r.renamed = feed.SameLink, true
	}
	if s.digest == digest {
		r.verdict = feed.VerdictSame
	}
	return r
}

// byTitle finds the entries whose guid and link were both edited: new to the document is one, and gone from the middle of it
// another, with the same title and of the same day. Only a whole document tells what is gone.
func (s *Store) byTitle(
	ctx context.Context, src *feed.Source, doc *feed.Document, drafts []draft, all []recognised, listed map[string]bool,
) error {
	if doc.Partial || doc.Repaired || src.Poll.LastDocument.IsZero() {
		return nil
	}
	fresh := make(map[string]int) // by title; -1: several have it
	var oldest, first time.Time   // day of the document's entries, of the new ones
	for i := range doc.Entries {
		e := &doc.Entries[i]
		day := dayOf(e)
		if day.IsZero() {
			continue
		}
		oldest = earlier(oldest, day)
		if all[i].verdict != feed.VerdictNew || e.Title == "" {
			continue
		}
		first = earlier(first, day)
		if _, again := fresh[e.Title]; again {
			fresh[e.Title] = -1
		} else {
			fresh[e.Title] = i
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	gone, err := s.goneSince(ctx, src.URL, first.Add(-sameDay), oldest, listed)
	if err != nil {
		return err
	}
	for title, found := range gone {
		i, ok := fresh[title]
		if !ok || i < 0 || len(found) != 1 || found[0].day.Sub(dayOf(&doc.Entries[i])).Abs() > sameDay {
			continue
		}
		all[i] = found[0].recognised(drafts[i].fields["digest"])
		all[i].knownBy, all[i].renamed = feed.SameTitle, true
	}
	return nil
}

// goneSince are the stored entries, by title, that are not listed any more although they are no older than the oldest
// that is.
func (s *Store) goneSince(
	ctx context.Context, url string, since, oldest time.Time, listed map[string]bool,
) (map[string][]sighted, error) {
	const most = 500
	p := s.keys.of(url)
	ids, err := redis.Strings(s.do(ctx, "ZREVRANGEBYSCORE", p.sort(url), "+inf", since.Unix(), "LIMIT", 0, most))
	if err != nil {
		return nil, fmt.Errorf("list entries of %s: %w", url, err)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return listed[id] })
	if len(ids) == 0 {
		return nil, nil
	}
	replies, err := s.pipeline(ctx, "names", func(b *batch) {
		for _, id := range ids {
			b.add("HMGET", p.entry(id), "guid", "digest", "title", "date_published", "date_updated")
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read names of entries of %s: %w", url, err)
	}
	gone := make(map[string][]sighted)
	for i, id := range ids {
		f, err := redis.Strings(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", id, err)
		}
		e := feed.Entry{Published: feed.ParseTime(f[3]), Updated: feed.ParseTime(f[4])}
		if day := dayOf(&e); f[0] != "" && f[2] != "" && !day.IsZero() && !day.Before(oldest) {
			gone[f[2]] = append(gone[f[2]], sighted{id: id, guid: f[0], digest: f[1], title: f[2], day: day})
		}
	}
	return gone, nil
}

// revive takes expired entries for new ones where the source has given the guid to a clearly later post: it came out after
// the old one was last listed. Not so in a source that dates its posts anew with each build, where that says nothing.
func revive(doc *feed.Document, all []recognised) {
	if slices.ContainsFunc(all, func(r recognised) bool { return r.redated }) {
		return
	}
	for i := range all {
		if r := &all[i]; r.verdict == feed.VerdictExpired && doc.Entries[i].Published.After(r.died) {
			*r = recognised{verdict: feed.VerdictNew, revived: true}
		}
	}
}

// dayOf is when an entry came out, as far as it says; zero: it does not.
func dayOf(e *feed.Entry) time.Time {
	if e.Published.IsZero() {
		return e.Updated
	}
	return e.Published
}

// earlier is the earlier of two times, of which the first may be zero.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
