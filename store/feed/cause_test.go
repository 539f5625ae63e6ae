package feed_test

import (
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestEachFailureHasACause(t *testing.T) {
	seen := make(map[feed.Cause]bool)
	check := func(what string, s feed.Source, want feed.Cause) {
		t.Helper()
		got := s.Cause()
		if seen[got] = true; want != "?" && got != want || !slices.Contains(feed.Causes(), got) && got != "" {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	for _, class := range append(feed.FailureClasses(), feed.FailureOutage) {
		s := feed.Source{Poll: feed.PollState{ErrorClass: string(class)}}
		if check(string(class), s, "?"); s.Cause() == "" {
			t.Errorf("%s has no cause", class)
		}
	}
	for status, want := range map[int]feed.Cause{
		401: feed.CauseForbidden, 403: feed.CauseForbidden, 404: feed.CauseNotFound, 410: feed.CauseGone, 418: feed.CauseRefused,
	} {
		check("a status", feed.Source{Poll: feed.PollState{ErrorClass: string(feed.FailureHTTP4xx), Status: status}}, want)
	}
	moved := feed.Move{To: "https://new.example/", Seen: 1}
	check("a redirect", feed.Source{Poll: feed.PollState{Move: moved}}, feed.CauseMoved)
	moved.Adopted = time.Now()
	check("an adopted redirect", feed.Source{Poll: feed.PollState{Move: moved}}, "")
	check("a redirect to another feed", feed.Source{Poll: feed.PollState{Move: feed.Move{To: "https://parked.example/"}}}, "")
	check("a paused source", feed.Source{Paused: true, Poll: feed.PollState{Gone: true}}, "")
	check("a gone source", feed.Source{Poll: feed.PollState{Gone: true}}, feed.CauseGone)
	for _, cause := range feed.Causes() {
		if !seen[cause] {
			t.Errorf("%s is the cause of nothing", cause)
		}
	}
}
