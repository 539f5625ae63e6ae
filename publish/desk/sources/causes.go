package sources

import (
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// causeText describes a cause, and the form that resolves it best.
type causeText struct {
	Name, Text string
	Do, Verb   string // last part of the path of the form, and its button; empty: none
}

var causeTexts = map[feed.Cause]causeText{
	feed.CauseMoved:     {"Moved permanently", "Their servers redirect to other addresses. feedwire adopts those by itself after 3 days.", "adopt", "Use the new addresses"},
	feed.CauseGone:      {"Gone", "Their servers removed the feeds on purpose (410).", "remove", "Remove"},
	feed.CauseNotFound:  {"No feed at the address", "Their servers answer 404. Set the new addresses, or pause the sources.", "pause", "Pause"},
	feed.CauseForbidden: {"Access refused", "Their servers require a password (401) or refuse programs (403).", "pause", "Pause"},
	feed.CauseRefused:   {"Request refused", "Their servers refuse the request (4xx).", "poll", "Poll now"},
	feed.CauseNotAFeed:  {"Not a feed", "Their servers answer with a page or with a document that cannot be repaired.", "pause", "Pause"},
	feed.CauseRedirects: {"Too many redirects", "Their servers redirect endlessly, or to addresses that must not be followed.", "pause", "Pause"},
	feed.CauseTooLarge:  {"Too large", "Their documents exceed a limit. fetch.max_bytes is that of the size.", "", ""},
	feed.CauseTLS:       {"No safe connection", "Their certificates or TLS settings are invalid. The owners must repair them.", "poll", "Poll now"},
	feed.CauseDNS:       {"Unknown host", "Their host names cannot be resolved.", "poll", "Poll now"},
	feed.CauseConnect:   {"Unreachable", "Their servers refuse connections or cannot be reached.", "poll", "Poll now"},
	feed.CauseTimeout:   {"Too slow", "No complete response arrived before the timeout.", "poll", "Poll now"},
	feed.CauseServer:    {"Server error", "Their servers fail (5xx). feedwire retries less and less often.", "poll", "Poll now"},
	feed.CauseBusy:      {"Too many requests", "Their servers limit requests (429). feedwire waits as long as they ask.", "", ""},
	feed.CauseBlocked:   {"Private address", "feedwire connects to public addresses, and to networks in fetch.allow_networks.", "", ""},
	feed.CauseFlood:     {"Too many entries", "They post more than fetch.day_entries allows.", "pause", "Pause"},
	feed.CauseStore:     {"Store error", "The sources are not at fault: the store failed, or a key is damaged.", "", ""},
	feed.CauseOutage:    {"Network outage", "The sources are not at fault: most other hosts cannot be reached either.", "poll", "Poll now"},
}

// causeGroup is the sources that have a cause.
type causeGroup struct {
	causeText
	Cause feed.Cause
	Link  string // to the list of the sources
	On    bool   // the list shows only them
	First string // name of one of them
	Count int
	IDs   string    // of up to maxGroup of them, separated by spaces
	Since time.Time // since when the first of them has failed; zero: unknown
}

// maxGroup is the most sources that one form changes, which is that of web.Kit.Bulk.
const maxGroup = 200

// Some reports whether the form changes only some sources of the group.
func (g *causeGroup) Some() bool { return g.Count > maxGroup }

// causeGroups returns the groups that have sources, and that of the filter.
func causeGroups(all []feed.Source, on feed.Cause) (groups []causeGroup) {
	by := make(map[feed.Cause][]*feed.Source)
	for i := range all {
		by[all[i].Cause()] = append(by[all[i].Cause()], &all[i])
	}
	for _, cause := range feed.Causes() {
		some := by[cause]
		if len(some) == 0 {
			continue
		}
		g := causeGroup{causeText: causeTexts[cause], Cause: cause, On: cause == on, First: some[0].Name(), Count: len(some)}
		g.Link = "/sources?cause=" + string(cause)
		var ids []string
		for _, s := range some {
			if len(ids) < maxGroup {
				ids = append(ids, s.ID)
			}
			since := s.Poll.FailingSince
			if cause == feed.CauseMoved {
				since = s.Poll.Move.Since
			}
			if g.Since.IsZero() || !since.IsZero() && since.Before(g.Since) {
				g.Since = since
			}
		}
		g.IDs = strings.Join(ids, " ")
		groups = append(groups, g)
	}
	return groups
}
