package overview

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// tile is the state of one subsystem.
type tile struct {
	Name, Link string // Link is the page with details; empty: none
	Main       string
	Mood       string // of Main
	Lines      []tileLine
}

// tileLine is a fact of a tile.
type tileLine struct {
	Text, Link string
	Time       web.Moment // after the text
}

// tiles returns the state of all subsystems.
func (o *Overview) tiles(view *state, now time.Time) []tile {
	all := []tile{inboxTile(view.Inbox), sourcesTile(view)}
	for i := range o.opts.Feeds {
		all = append(all, o.feedTile(&o.opts.Feeds[i], &view.Feeds[i], now))
	}
	all = append(all, o.signalsTile(view, now), redisTile(&view.Redis, now))
	for i := range view.Imports {
		job := &view.Imports[i]
		all = append(all, tile{
			Name: "Import", Link: "/imports/" + job.ID, Mood: "wait", Main: fmt.Sprintf("%d of %d", job.Done(), job.Total),
			Lines: []tileLine{{Text: fmt.Sprintf("%d added, %d refused", job.Added, job.Refused)}},
		})
	}
	return all
}

// inboxTile returns how many articles wait for an editor.
func inboxTile(size int) tile {
	t := tile{Name: "Inbox", Link: "/inbox", Mood: "well", Main: fmt.Sprintf("%d to review", size)}
	if size == 0 {
		t.Main = "nothing to review"
	}
	return t
}

func sourcesTile(view *state) tile {
	t := tile{Name: "Sources", Link: "/sources", Mood: "well", Main: fmt.Sprintf("%d active", view.Sources[feed.SourceActive])}
	for _, state := range []feed.SourceState{feed.SourceFailing, feed.SourceGone, feed.SourcePaused} {
		if n := view.Sources[state]; n > 0 {
			t.Lines = append(t.Lines, tileLine{Text: fmt.Sprintf("%d %s", n, state), Link: "/sources?state=" + string(state)})
		}
	}
	if view.Alarms+view.Late > 0 {
		t.Mood = "trouble"
	}
	if view.Late > 0 {
		t.Lines = append(t.Lines, tileLine{Text: web.Plural(view.Late, "poll") + " late"})
	}
	hour := sum(view.Minutes)
	polls := web.Plural(hour.Polls, "poll") + " in the last hour"
	if hour.Failed > 0 {
		polls += fmt.Sprintf(", %d failed", hour.Failed)
	}
	t.Lines = append(t.Lines, tileLine{Text: polls})
	return t
}

// feedTile returns the state of an outgoing feed.
func (o *Overview) feedTile(f *feed.Outgoing, state *feed.OutgoingState, now time.Time) tile {
	t := tile{Name: f.Type, Link: "/feeds/" + f.Type, Mood: "well", Main: web.Plural(f.Items(state.Articles[feed.StatePublished])-len(state.Published), "article")}
	if n := len(state.Published); n > 0 {
		t.Mood = "trouble"
		t.Lines = append(t.Lines, tileLine{Text: fmt.Sprintf("%d blocked", n), Link: "/articles?feed=" + f.Type + "&state=blocked"})
	}
	if last := feed.LastCounted(state.Visits); last.IsZero() {
		t.Lines = append(t.Lines, tileLine{Text: "not fetched recently"})
	} else {
		t.Lines = append(t.Lines, tileLine{Text: "last fetched", Time: web.Ago(last, now)})
	}
	if !state.Changed.IsZero() {
		t.Lines = append(t.Lines, tileLine{Text: "changed", Time: web.Ago(state.Changed, now)})
	}
	return t
}

func (o *Overview) signalsTile(view *state, now time.Time) tile {
	t := tile{
		Name: "Signals", Link: "/signals", Mood: "well", Main: "all processed",
		Lines: []tileLine{{Text: fmt.Sprintf("%d stored", view.Outbox.Stored)}},
	}
	if !view.Outbox.OldestPending.IsZero() {
		t.Main = "processing"
		t.Lines = append(t.Lines, tileLine{Text: "oldest from", Time: web.Ago(view.Outbox.OldestPending, now)})
		if now.Sub(view.Outbox.OldestPending) > idleAfter {
			t.Mood, t.Main = "trouble", "waiting"
		}
	}
	hub := &view.Hub
	if hub.Subscriptions+hub.DeadLetters == 0 {
		return t
	}
	t.Lines = append(t.Lines, tileLine{Text: web.Plural(hub.Subscriptions, "subscription"), Link: "/subscriptions"})
	for _, part := range []struct {
		n          int
		text, link string
	}{
		{hub.Failing, "failing", ""}, {hub.Ready + hub.Later + hub.Planning, "pending", ""}, {hub.DeadLetters, "failed permanently", "/dead-letters"},
	} {
		if part.n > 0 {
			t.Lines = append(t.Lines, tileLine{Text: fmt.Sprintf("%d %s", part.n, part.text), Link: part.link})
		}
	}
	return t
}

func redisTile(r *feed.RedisState, now time.Time) tile {
	t := tile{Name: "Redis", Mood: "well", Main: "OK"}
	if r.WriteError != "" {
		t.Main = "refuses writes"
	}
	if r.WriteError != "" || r.DiskFails {
		t.Mood = "trouble"
	}
	if r.MemoryUsed > 0 {
		memory := size(r.MemoryUsed) + " of memory"
		if r.MemoryLimit > 0 {
			memory = size(r.MemoryUsed) + " of " + size(r.MemoryLimit)
		}
		t.Lines = append(t.Lines, tileLine{Text: memory})
	}
	switch {
	case r.AppendOnly:
		t.Lines = append(t.Lines, tileLine{Text: "every write is on disk"})
	case !r.Saved.IsZero():
		t.Lines = append(t.Lines, tileLine{Text: "last saved", Time: web.Ago(r.Saved, now)})
	}
	return t
}

// size returns a number of bytes in binary units.
func size(bytes int64) string {
	value, unit := float64(bytes), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if value < 10 && unit > 0 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
}
