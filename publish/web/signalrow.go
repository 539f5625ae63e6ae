package web

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// SignalRow is the data of the template signal-row: a signal in a list.
type SignalRow struct {
	ID, Kind, Text, Link, Changed string
	Source                        string // URL
	Time                          Moment
}

// SignalRows returns the rows of signals. They name the source by its URL, because the title would need another read.
func SignalRows(signals []feed.Signal, now time.Time) []SignalRow {
	rows := make([]SignalRow, len(signals))
	for i, s := range signals {
		rows[i] = SignalRow{
			ID: s.ID, Kind: SignalKind(s.Kind), Text: s.FeedURL, Source: s.FeedURL, Time: Ago(s.Time, now),
			Changed: strings.Join(slices.Sorted(maps.Keys(s.Changed)), ", "),
		}
		if s.Post != nil {
			rows[i].Text, rows[i].Link = cmp.Or(s.Post.Title, s.GUID, "(without title)"), s.Post.Link
		}
	}
	return rows
}

// SignalKind returns the kind of a signal in words: "post created".
func SignalKind(kind feed.SignalKind) string { return strings.ReplaceAll(string(kind), "_", " ") }
