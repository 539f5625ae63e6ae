package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestSourceAddAsksAPersonWhichFeed(t *testing.T) {
	t.Parallel()
	found := []feed.Candidate{{URL: "https://a.example/"}, {URL: "https://b.example/"}}
	for answer, want := range map[string]string{
		"2\n": found[1].URL, "x\n0\n1\n": found[0].URL, "3\n3\n3\n1\n": "", "": "", "\n": "",
	} {
		got, err := promptNumber(t.Context(), strings.NewReader(answer), t.Output(), found)
		if got.URL != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %+v, %v", answer, got, err)
		}
	}
}

func TestProgressWritesALineForEachTenth(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := newProgress(&b)
	for done := range 1001 {
		p.show(done, 1000)
	}
	p.end()
	if got := strings.Count(b.String(), "\n"); got != 11 || !strings.HasSuffix(b.String(), "1000 of 1000\n") {
		t.Errorf("%d lines:\n%s", got, b.String())
	}
	b.Reset()
	bar := &progress{out: &b, terminal: true, shown: -1}
	bar.show(0, 0)
	bar.end()
	if got := b.String(); !strings.Contains(got, "100 %") || !strings.HasSuffix(got, "\n") {
		t.Errorf("a bar of nothing: %q", got)
	}
}
