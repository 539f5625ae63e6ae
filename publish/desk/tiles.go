package desk

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// tile is how one part of the wire goes, at a glance.
type tile struct {
	Name, Link string // page that tells more; empty: there is none
	Main       string
	Mood       string // of Main
	Lines      []tileLine
}

// tileLine is a fact of a tile.
type tileLine struct {
	Text, Link string
	Time       moment // behind the text
}

// tiles are how everything goes.
func (d *Desk) tiles(view *feed.Overview, now time.Time) []tile {
	all := []tile{sourcesTile(view)}
	for i := range d.opts.Feeds {
		all = append(all, d.feedTile(&d.opts.Feeds[i], &view.Feeds[i], now))
	}
	all = append(all, d.signalsTile(view, now), redisTile(&view.Redis, now))
	for i := range view.Imports {
		job := &view.Imports[i]
		all = append(all, tile{
			Name: "Import", Link: "/imports/" + job.ID, Mood: "wait", Main: fmt.Sprintf("%d of %d", job.Done(), job.Total),
			Lines: []tileLine{{Text: fmt.Sprintf("%d added, %d refused", job.Added, job.Refused)}},
		})
	}
	return all
}

func sourcesTile(view *feed.Overview) tile {
	t := tile{Name: "Sources", Link: "/sources", Mood: "well", Main: fmt.Sprintf("%d active", view.Sources[feed.SourceActive])}
	for _, state := range []feed.SourceState{feed.SourceFailing, feed.SourceGone, feed.SourcePaused} {
		if n := view.Sources[state]; n > 0 {
			t.Lines = append(t.Lines, tileLine{Text: fmt.Sprintf("%d %s", n, state), Link: sourcesLink("", state, 1)})
		}
	}
	if view.Alarms+view.Late > 0 {
		t.Mood = "trouble"
	}
	if view.Late > 0 {
		t.Lines = append(t.Lines, tileLine{Text: plural(view.Late, "poll") + " late"})
	}
	hour := sum(view.Minutes)
	polls := plural(hour.Polls, "poll") + " in the last hour"
	if hour.Failed > 0 {
		polls += fmt.Sprintf(", %d failed", hour.Failed)
	}
	t.Lines = append(t.Lines, tileLine{Text: polls})
	return t
}

// feedTile tells of an outgoing feed.
func (d *Desk) feedTile(f *feed.Outgoing, state *feed.OutgoingState, now time.Time) tile {
	t := tile{Name: f.Type, Link: "/feeds/" + f.Type, Mood: "well", Main: plural(itemsIn(f, state.Articles)-len(state.Out), "article")}
	if n := len(state.Out); n > 0 {
		t.Mood = "trouble"
		t.Lines = append(t.Lines, tileLine{Text: fmt.Sprintf("%d held back", n), Link: "/articles?feed=" + f.Type + "&state=" + heldBack})
	}
	if last := lastCounted(state.Visits); last.IsZero() {
		t.Lines = append(t.Lines, tileLine{Text: "its consumer has not come lately"})
	} else {
		t.Lines = append(t.Lines, tileLine{Text: "its consumer came", Time: ago(last, now)})
	}
	if !state.Changed.IsZero() {
		t.Lines = append(t.Lines, tileLine{Text: "changed", Time: ago(state.Changed, now)})
	}
	return t
}

func (d *Desk) signalsTile(view *feed.Overview, now time.Time) tile {
	t := tile{
		Name: "Signals", Link: "/signals", Mood: "well", Main: "all handled",
		Lines: []tileLine{{Text: fmt.Sprintf("%d kept", view.Kept)}},
	}
	if !view.Waits.IsZero() {
		t.Main = "being handled"
		t.Lines = append(t.Lines, tileLine{Text: "the oldest came", Time: ago(view.Waits, now)})
		if now.Sub(view.Waits) > idleAfter {
			t.Mood, t.Main = "trouble", "waiting"
		}
	}
	hub := &view.Hub
	if d.opts.Hub == nil || hub.Subscriptions+hub.DeadLetters == 0 {
		return t
	}
	t.Lines = append(t.Lines, tileLine{Text: plural(hub.Subscriptions, "subscription"), Link: "/subscriptions"})
	for _, part := range []struct {
		n          int
		text, link string
	}{
		{hub.Failing, "failing", ""}, {hub.Ready + hub.Later + hub.Planning, "on the way", ""}, {hub.DeadLetters, "given up", "/dead-letters"},
	} {
		if part.n > 0 {
			t.Lines = append(t.Lines, tileLine{Text: fmt.Sprintf("%d %s", part.n, part.text), Link: part.link})
		}
	}
	return t
}

func redisTile(r *feed.RedisState, now time.Time) tile {
	t := tile{Name: "Redis", Mood: "well", Main: "takes writes"}
	if r.Refuses != "" {
		t.Main = "takes no writes"
	}
	if r.Refuses != "" || r.DiskFails {
		t.Mood = "trouble"
	}
	if r.Used > 0 {
		memory := size(r.Used) + " of memory"
		if r.Most > 0 {
			memory = size(r.Used) + " of " + size(r.Most)
		}
		t.Lines = append(t.Lines, tileLine{Text: memory})
	}
	switch {
	case r.AppendOnly:
		t.Lines = append(t.Lines, tileLine{Text: "each write goes to disk"})
	case !r.Saved.IsZero():
		t.Lines = append(t.Lines, tileLine{Text: "on disk as of", Time: ago(r.Saved, now)})
	}
	return t
}

// size is an amount of memory for people, in binary units.
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
