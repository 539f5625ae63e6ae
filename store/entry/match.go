package entry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// match compares an entry of a document with the stored entries.
type match struct {
	verdict     feed.Verdict
	id          string           // of the stored entry; empty if the entry is new or expired
	guid        string           // of the stored entry, if it differs from that of the document
	by          feed.MatchReason // if guid is set
	redated     bool             // nothing but the publication date differs
	lastListed  time.Time        // if expired: when the source last listed it
	renamed     bool             // the guid of the document is not yet among its names
	revived     bool             // new, with the guid of an expired entry
	unsignalled bool             // it gets no signal of its own
	misread     bool             // the same, but an older version of the parser read it in another way
	digest      string           // of the stored entry, if that is of another version
}

// Two dates of one entry may differ by so much: wrong time zones are more common than wrong days.
const (
	sameDay = 24 * time.Hour
	linkDay = 12 * time.Hour // of two entries with one link, because some sources publish one entry a day
)

// matchEntries decides for each entry of a document whether it is new, changed, the same, or expired before. An entry with an
// unknown guid may be stored under other names, because sites change the scheme of their guids, move to https and correct links. It
// completes the drafts with the names of the stored entries, and returns how many entries are stored.
func (s *Store) matchEntries(ctx context.Context, src *feed.Source, doc *feed.Document, drafts []draft) (stored int, _ []match, _ error) {
	dropSharedLinks(drafts)
	stored, takedowns, replies, err := s.probe(ctx, src.URL, doc.Entries, drafts)
	if err != nil {
		return 0, nil, err
	}
	all := make([]match, len(replies))
	listed := make(map[string]bool, len(replies)) // ids of the stored entries that are in the document
	for i, reply := range replies {
		all[i] = matchFrom(reply, drafts[i].fields["date_published"])
		if all[i].digest != "" {
			same, err := s.sameContent(ctx, all[i].id, all[i].digest, &doc.Entries[i], &drafts[i])
			if err != nil {
				return 0, nil, err
			}
			if !same {
				all[i].verdict, all[i].redated = feed.VerdictChanged, false
			}
		}
		listed[all[i].id] = true
	}
	for i, reply := range replies {
		if c, ok := reply.(candidate); ok && !listed[c.id] && c.is(&doc.Entries[i]) {
			if all[i], err = s.matchCandidate(ctx, &c, &doc.Entries[i], &drafts[i]); err != nil {
				return 0, nil, err
			}
			listed[c.id] = true
		}
	}
	if err := s.matchTitles(ctx, src, doc, drafts, all, listed); err != nil {
		return 0, nil, err
	}
	if takedowns {
		if err := s.matchTakedowns(ctx, src.URL, doc, drafts, all); err != nil {
			return 0, nil, err
		}
	}
	reviveExpired(doc, all)
	for i := range all {
		if all[i].guid != "" {
			drafts[i].fields["guid"] = all[i].guid
		} else { // the guidmap has its guid
			drafts[i].aliases = slices.DeleteFunc(drafts[i].aliases, feed.IsExactAlias)
		}
	}
	return stored, all, nil
}

// dropSharedLinks removes link aliases that several entries have: they identify none of them.
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

// matchCandidate matches an entry of a document with a stored entry that has another guid.
func (s *Store) matchCandidate(ctx context.Context, c *candidate, e *feed.Entry, d *draft) (match, error) {
	m := match{verdict: feed.VerdictChanged, id: c.id, guid: c.guid, by: feed.MatchAlias}
	if feed.IsLinkAlias(c.alias) {
		m.by, m.renamed = feed.MatchLink, true
	}
	same, err := s.sameContent(ctx, c.id, c.digest, e, d)
	if same {
		m.verdict = feed.VerdictSame
	}
	return m, err
}

// sameContent reports whether the stored entry with this id and digest has the content of e. A digest of version 1 covers
// more than the content, so if it differs, the stored fields decide. The draft of an unchanged entry gets the stored
// digest, which save_entries compares.
func (s *Store) sameContent(ctx context.Context, id, digest string, e *feed.Entry, d *draft) (bool, error) {
	if !feed.IsDigestV1(digest) {
		return digest == d.fields["digest"], nil
	}
	same := e.DigestV1() == digest
	if !same {
		stored, err := s.Entry(ctx, id)
		if err != nil && !errors.Is(err, feed.ErrNotFound) {
			return false, err
		}
		same = stored.Digest() == d.fields["digest"]
	}
	if same {
		d.fields["digest"] = digest
	}
	return same, nil
}

// reviveExpired makes an expired entry new if the source reuses its guid for a post that was published after the source last listed
// the expired entry. It does nothing if the source changes the dates of its posts with each build, because such dates prove nothing.
func reviveExpired(doc *feed.Document, all []match) {
	if slices.ContainsFunc(all, func(m match) bool { return m.redated }) {
		return
	}
	for i := range all {
		if m := &all[i]; m.verdict == feed.VerdictExpired && doc.Entries[i].Published.After(m.lastListed) {
			*m = match{verdict: feed.VerdictNew, revived: true}
		}
	}
}

// dayOf returns the time at which an entry was published, or else updated, or the zero time if the entry has no date.
func dayOf(e *feed.Entry) time.Time {
	if e.Published.IsZero() {
		return e.Updated
	}
	return e.Published
}
