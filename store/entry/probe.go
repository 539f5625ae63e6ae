package entry

import (
	"context"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// probe reads how many entries a source has, whether some were taken down, and what is stored about the entries of a document.
// Each reply is a string or a candidate: see probe_entries.lua.
func (s *Store) probe(ctx context.Context, url string, entries []feed.Entry, drafts []draft) (
	stored int, takedowns bool, all []any, _ error,
) {
	if len(drafts) == 0 {
		return 0, false, nil, nil
	}
	k := s.of(url)
	args := append(make([]any, 0, 1+4*len(drafts)), k.Prefix())
	for i := range drafts {
		f := drafts[i].fields
		args = append(args, entries[i].GUID, f["digest"], f["date_published"], strings.Join(drafts[i].aliases, " "))
	}
	all, err := redis.Values(s.db.Run(ctx, s.scripts["probe_entries"], []any{k.guidmap(), k.dead(), k.alias(), k.takedowns()}, args))
	if err == nil {
		all, err = redis.Scan(all, &stored, &takedowns)
	}
	for i, reply := range all {
		if list, ok := reply.([]any); ok {
			f, _ := redis.Strings(list, nil) // the script replies with strings
			all[i] = candidate{alias: f[0], id: f[1], guid: f[2], digest: f[3], day: feed.ParseTime(f[4]), title: f[5]}
		}
	}
	return stored, takedowns, all, core.Wrap(err, "compare entries of %s", url)
}

// matchFrom reads the reply of probe about an entry with a publication date. A candidate is new until it is compared.
func matchFrom(reply any, date string) match {
	text, err := redis.String(reply, nil)
	if err != nil { // a candidate
		return match{verdict: feed.VerdictNew}
	}
	switch rest := text[1:]; text[0] {
	case '=':
		return match{verdict: feed.VerdictSame, id: rest}
	case '~':
		return match{verdict: feed.VerdictSame, id: rest, redated: true}
	case 'm':
		return match{verdict: feed.VerdictChanged, id: rest}
	case 'o':
		id, rest, _ := strings.Cut(rest, " ")
		digest, published, _ := strings.Cut(rest, " ")
		return match{verdict: feed.VerdictSame, id: id, digest: digest, redated: published != date}
	case 'x':
		return match{verdict: feed.VerdictExpired, lastListed: feed.ParseTime(rest)}
	case 'd':
		return match{verdict: feed.VerdictTakenDown}
	}
	return match{verdict: feed.VerdictNew}
}

// candidate is a stored entry that shares a name or the title with an entry of a document.
type candidate struct {
	alias, id, guid, digest, title string
	day                            time.Time
}

// is reports whether the candidate is the entry. Another spelling of its guid proves it. A link does not, if the dates differ by
// more than linkDay or, without dates, the titles differ.
func (c *candidate) is(e *feed.Entry) bool {
	switch {
	case !feed.IsLinkAlias(c.alias):
		return true
	case c.day.IsZero() || e.Published.IsZero():
		return c.title == e.Title
	}
	return c.day.Sub(e.Published).Abs() <= linkDay
}
