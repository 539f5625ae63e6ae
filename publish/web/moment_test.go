package web

import (
	"testing"
	"time"
)

func TestMomentsAreReadable(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		got  Moment
		want string
	}{
		{Ago(now.Add(time.Second), now), "just now"}, // clocks differ
		{Ago(now.Add(-59*time.Second), now), "59 s ago"},
		{Ago(now.Add(-90*time.Minute), now), "1 h ago"},
		{Ago(now.Add(-13*time.Hour), now), "19 Nov 23:00"},
		{Ago(now.AddDate(-1, 0, 0), now), "20 Nov 2025"},
		{Ago(time.Time{}, now), ""},
		{Ahead(now.Add(-time.Hour), now), "now"},
		{Ahead(now.Add(90*time.Second), now), "in 1 min"},
		{Ahead(now.Add(48*time.Hour), now), "22 Nov 12:00"},
		{Ahead(time.Time{}, now), ""},
	} {
		if tt.got.Text != tt.want {
			t.Errorf("got %q, want %q", tt.got.Text, tt.want)
		}
	}
}
