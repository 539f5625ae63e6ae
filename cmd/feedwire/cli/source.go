package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/store/feed"
)

func newSource() *cobra.Command {
	bulk := func(args []string) any { return map[string][]string{"sources": args} }
	action := func(name, arguments, short, done string) call[feed.Source] {
		return call[feed.Source]{
			use: name + " " + arguments, short: short, path: "sources/%s/" + name,
			print: func(w io.Writer, s *feed.Source, _ []string) { fmt.Fprintln(w, done, s.ID, s.URL) },
		}
	}
	pause := action("pause", "ID|URL...", "Pause polling of sources", "paused")
	resume := action("resume", "ID|URL...", "Resume polling of paused or gone sources at once", "resumed")
	pause.bulk, resume.bulk = bulk, bulk
	return withServer(group("source", "Manage source feeds",
		newSourceAdd(), newSourceSet(),
		list[feed.Source]{
			use: "list", short: "List the sources", path: "sources",
			columns: []string{"ID", "STATE", "ENTRIES", "LAST POLL", "NEXT", "TITLE", "URL"},
			print: func(w io.Writer, s *feed.Source) {
				row(w, s.ID, s.State(), s.Poll.Entries, terminal.Ago(s.Poll.LastPoll), nextPoll(s), terminal.Cut(s.Name(), 32), s.URL)
			},
		}.command(),
		newShow("ID|URL", "Show a source and the state of its polls", "sources/%s", printSource),
		newSourcePoll(), pause.command(), resume.command(), newSourceAdopt(),
		newRemove("remove ID|URL...", "Remove sources and their entries; articles are kept", "sources"),
		action("restore", "ID|URL", "Restore a source that was removed in the last 24 hours, with its settings", "restored").command(),
		call[sources.Peeked]{
			use: "peek URL", short: "Show the current entries of a feed without storing them",
			long: `Fetch a feed through the daemon and print its newest entries, up to 50. Nothing is stored or signalled. "feedwire parse" does the
same for a file, without a daemon.`,
			path:  "peek",
			body:  func(args []string) any { return map[string]string{"url": args[0]} },
			print: printPeeked,
		}.command(),
	))
}

func printPeeked(w io.Writer, p *sources.Peeked, _ []string) {
	row(w, "title", p.About.Title)
	row(w, "site", p.About.Link)
	row(w, "format", p.Format)
	for i := range p.Items {
		row(w, terminal.Ago(p.Items[i].Timestamp), terminal.Cut(p.Items[i].Title, 80))
	}
}

// nextPoll describes when a source is polled next.
func nextPoll(s *feed.Source) string {
	switch s.State() {
	case feed.SourcePaused, feed.SourceGone:
		return "-"
	}
	if s.Local() {
		return "-"
	}
	if !s.Poll.NextPoll.After(time.Now()) {
		return "now"
	}
	return terminal.Ago(s.Poll.NextPoll)
}

func printSource(w io.Writer, s *feed.Source) {
	row(w, "source", s.ID)
	row(w, "url", s.URL)
	rowIf(w, "name", s.Label)
	row(w, "title", s.About.Title)
	row(w, "state", s.State())
	rowIf(w, "cause", s.Cause())
	row(w, "feeds", strings.Join(s.Feeds, ", "))
	row(w, "publish", s.Publish)
	for _, url := range s.Republished {
		row(w, "republished", url)
	}
	switch move := s.Poll.Move; {
	case move.Chosen:
		row(w, "address", move.To)
	case !move.Adopted.IsZero():
		row(w, "moved to", move.To)
	}
	rowIf(w, "secrets removed", s.Request.Cleared)
	rowIf(w, "categories", strings.Join(s.Categories, ", "))
	for _, f := range s.Filters.Keep {
		row(w, "keep", f)
	}
	for _, f := range s.Filters.Block {
		row(w, "block", f)
	}
	if s.IgnoreUpdates {
		row(w, "updates", "ignored")
	}
	rowIf(w, "timestamp", s.Timestamp)
	rowIf(w, "keep entries", s.Keep.Entries)
	rowIf(w, "keep for", time.Duration(s.Keep.For))
	row(w, "entries", fmt.Sprintf("%d in the last document", s.Poll.Entries))
	switch s.Poll.Identity {
	case "", feed.IdentityGUID:
		rowIf(w, "identity", s.Poll.Identity)
	default:
		row(w, "identity", string(s.Poll.Identity)+", because several entries have the same guid")
	}
	printLimits(w, &s.Poll)
	row(w, "last poll", terminal.Ago(s.Poll.LastPoll))
	row(w, "last success", terminal.Ago(s.Poll.LastOK))
	if due := nextPoll(s); due == "-" {
		row(w, "next poll", due)
	} else {
		row(w, "next poll", due+", "+s.Poll.NextReason)
		for _, r := range s.Pace {
			text := r.Text
			if r.Every != 0 {
				text = fmt.Sprintf("%s: %v", text, time.Duration(r.Every))
			}
			row(w, "  "+r.Name, text)
		}
	}
	if s.Push.Hub != "" {
		row(w, "hub", s.Push.Hub)
		row(w, "push", pushText(&s.Push))
	}
	printPollError(w, &s.Poll)
}

// printLimits prints the limits that entries of the last document exceed.
func printLimits(w io.Writer, p *feed.PollState) {
	for _, f := range p.Findings {
		row(w, "limit", fmt.Sprintf("%s (%s)", f.Text, f.Class))
	}
}

// printPollError prints the error of the last poll, if it failed, and how to solve it.
func printPollError(w io.Writer, p *feed.PollState) {
	if p.ErrorClass != "" {
		row(w, "error", fmt.Sprintf("%s (%s, %d in a row)", p.ErrorText, p.ErrorClass, p.Errors))
		row(w, "advice", p.Advice())
	}
}

// pushText describes the subscription of a source at its hub in one line.
func pushText(p *feed.Push) string {
	text := cmp.Or(string(p.State), "none")
	if !p.LeaseEnd.IsZero() {
		text += ", until " + p.LeaseEnd.Format(time.DateTime)
	}
	if !p.LastPush.IsZero() {
		text += fmt.Sprintf(", %d pushes, last %s", p.Pushes, terminal.Ago(p.LastPush))
	}
	if p.ErrorText != "" {
		text += "; " + p.ErrorText
	}
	return text
}
