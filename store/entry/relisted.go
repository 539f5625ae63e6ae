package entry

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Sources list an entry that was taken down again under another guid. The rules for links are those of candidate.is; they need the
// date or the title of the entry, which no longer exists. So its tombstones are a link with a date to the hour, a link with a title,
// and the texts with their date.

// sumOf returns 64 bits of a hash of texts, enough for the entries of one source.
func sumOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:8])
}

// linkedAt names an entry by an alias of its link and the hour of its publication.
func linkedAt(alias string, t time.Time) string {
	return alias + "@" + strconv.FormatInt(t.Unix()/3600, 10)
}

// linkedAs names an entry by an alias of its link and its title. undated: one that has no date.
func linkedAs(alias string, e *feed.Entry, undated bool) string {
	if undated {
		return alias + "~" + sumOf(e.Title)
	}
	return alias + "=" + sumOf(e.Title)
}

// textName names an entry by its texts, files and date; "" if it has no text or no date.
func textName(e *feed.Entry) string {
	if e.Title+e.Content == "" || e.Published.IsZero() {
		return ""
	}
	return "t:" + sumOf(e.Title, e.Content, e.Summary, e.Extra[feed.FieldEnclosures], feed.FormatTime(e.Published))
}

// linkTombstones returns the names from the links of an entry, each after the alias of its link.
func linkTombstones(e *feed.Entry) (all []any) {
	for _, alias := range e.Aliases {
		if !feed.IsLinkAlias(alias) {
			continue
		}
		all = append(all, alias, linkedAs(alias, e, false))
		if e.Published.IsZero() {
			all = append(all, alias, linkedAs(alias, e, true))
		} else {
			all = append(all, alias, linkedAt(alias, e.Published))
		}
	}
	return all
}

// disguises returns the names under which an entry of a document may have been taken down.
func disguises(e *feed.Entry, aliases []string) []string {
	var all []string
	if name := textName(e); name != "" {
		all = append(all, name)
	}
	for _, alias := range aliases {
		switch {
		case !feed.IsLinkAlias(alias):
		case e.Published.IsZero():
			all = append(all, linkedAs(alias, e, false))
		default:
			all = append(all, linkedAs(alias, e, true))
			for t := e.Published.Add(-linkDay); !t.After(e.Published.Add(linkDay)); t = t.Add(time.Hour) {
				all = append(all, linkedAt(alias, t))
			}
		}
	}
	return all
}

// matchTakedowns matches new entries of a document with those that were taken down under other guids.
func (s *Store) matchTakedowns(ctx context.Context, url string, doc *feed.Document, drafts []draft, all []match) error {
	asked := make(map[int][]string) // names by entry
	for i := range all {
		if names := disguises(&doc.Entries[i], drafts[i].aliases); all[i].verdict == feed.VerdictNew && len(names) > 0 {
			asked[i] = names
		}
	}
	order := slices.Sorted(maps.Keys(asked))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, i := range order {
			b.Add("ZMSCORE", redis.Args{s.of(url).takedowns()}.AddFlat(asked[i])...)
		}
	})
	if err != nil {
		return core.Wrap(err, "compare takedowns of %s", url)
	}
	for _, i := range order {
		if slices.ContainsFunc(r.Texts(), func(score string) bool { return score != "" }) {
			all[i] = match{verdict: feed.VerdictTakenDown}
		}
	}
	return nil
}
