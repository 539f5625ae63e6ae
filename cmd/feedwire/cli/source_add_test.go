package cli

import (
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

func TestSourceAddRefusesCredentialsInURLs(t *testing.T) {
	t.Parallel()
	err := checkCredentials("https://joe:hunter2@a.example/feed.xml")
	if err == nil || !strings.Contains(err.Error(), "--password-file") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"https://a.example/@joe", "feedwire:local/notes", "::"} {
		if err := checkCredentials(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
