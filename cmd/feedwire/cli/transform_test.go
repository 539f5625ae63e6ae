package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// transformIt runs the command and returns what it writes.
func transformIt(t *testing.T, stdin string, args ...string) (out, errors string, err error) {
	t.Helper()
	root := new(Program).Command()
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetIn(strings.NewReader(stdin))
	root.SetArgs(append([]string{"transform"}, args...))
	err = root.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestTransformPrintsMarkupAndWarnings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "body.html")
	if err := os.WriteFile(file, []byte(`<p>Hi <a href="/y">you</a><script>x()</script></p>`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errors, err := transformIt(t, "", file, "--title", "T", "--canonical", "https://a.example/x",
		"--published", "2026-11-20T08:00:00Z", "--author", "Ann", "--author", "Bo", "--language", "ar")
	if err != nil {
		t.Fatal(err, errors)
	}
	for _, want := range []string{
		`<p>Hi <a href="https://a.example/y">you</a></p>`, "<address><a>Ann</a></address>", "Bo", `lang="ar" dir="rtl"`,
		`datetime="2026-11-20T08:00:00Z"`, "<h1>T</h1>",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if !strings.HasPrefix(errors, "warning: ") || !strings.Contains(errors, "<script>") || strings.Count(errors, "\n") != 1 {
		t.Errorf("standard error holds %q", errors)
	}
}

func TestTransformRefusesWhatIsNoPage(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR":                  "image/png",
		"\x7fELF\x02\x01\x01\x00\x00\x00":                      "application/octet-stream",
		`<?xml version="1.0"?><!-- x --><rss version="2.0"/>`:  "this is a feed",
		`<feed xmlns="http://www.w3.org/2005/Atom"></feed>`:    "this is a feed",
		`<rdf:RDF xmlns="http://purl.org/rss/1.0/"></rdf:RDF>`: "this is a feed",
	} {
		if out, _, err := transformIt(t, content, "-"); err == nil || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("%q: got %v, want %q", content, err, want)
		}
	}
	for _, content := range []string{"<!-- older: > <rss> --><p>x</p>", "<feed-card></feed-card><p>x</p>"} {
		if out, _, _ := transformIt(t, content, "-"); !strings.Contains(out, "<p>x</p>") {
			t.Errorf("%q is refused: %s", content, out)
		}
	}
	if out, _, _ := transformIt(t, "Gr\xfc\xdfe, and \x0b\x01 beside them", "-"); !strings.Contains(out, "Grüße, and") {
		t.Errorf("text in another encoding is refused: %s", out)
	}
}

// A page without a title and a date of its own is valid if the rules find them.
func TestTransformMapsAWholePageByRules(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(rules, []byte(`{"rules":[{"class":"GlobalRule","selector":"html","properties":{"article.title":{"type":"string","selector":"h1"},
		"article.publish":{"type":"string","selector":".on"},"article.body":{"type":"element","selector":"div"}}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errors, err := transformIt(t, `<html><head><link rel="canonical" href="https://a.example/x"></head><body><h1>T</h1>
		<i class="on">2026-11-20T08:00+0100</i><div><p>x</p></div></body></html>`, "-", "--rules", rules)
	if err != nil || errors != "" || !strings.Contains(out, "<h1>T</h1>") || !strings.Contains(out, `datetime="2026-11-20T07:00:00Z"`) {
		t.Errorf("got %v, %q, %s", err, errors, out)
	}
}

func TestTransformFailsWhereAFeedWouldHoldBack(t *testing.T) {
	t.Parallel()
	out, errors, err := transformIt(t, "<p>x</p>", "-", "--canonical", "https://a.example/?p=1")
	if err == nil || !strings.Contains(out, "<p>x</p>") {
		t.Errorf("got %v, %s", err, out)
	}
	for _, want := range []string{"error: canonical-query, at article: ", "error: title, at article: ", "error: published, at article: "} {
		if strings.Count(errors, want) != 1 {
			t.Errorf("not once %q in %s", want, errors)
		}
	}
	if _, _, err = transformIt(t, "<p> </p>", "-"); err == nil {
		t.Error("nothing to show is valid")
	}
	for _, args := range [][]string{{"-", "--profile", "nope"}, {"-", "--published", "today"}, {"-", "-o", "yaml"}, {}} {
		if code := (&Program{Stderr: io.Discard}).Run(t.Context(), append([]string{"transform"}, args...)...); code != ExitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}

func TestTransformTakesRules(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"rules": [{"class": "H2Rule", "selector": "p.head"}, {"class": "NoRule", "selector": "b"}]}`)
	out, errors, _ := transformIt(t, `<p class="head">H</p><p>x</p>`, "-", "--rules", rules)
	if !strings.Contains(out, "<h2>H</h2>") || strings.Count(errors, "warning: rules: ") != 1 {
		t.Errorf("got %s, %s", out, errors)
	}
	write(`{"rules": `)
	if code := (&Program{Stderr: io.Discard}).Run(t.Context(), "transform", "-", "--rules", rules); code != ExitUsage {
		t.Errorf("a broken file of rules: exit code %d", code)
	}
}

func TestTransformIsInTheDressOfTheProfile(t *testing.T) {
	t.Parallel()
	story := []string{"-", "--canonical", "https://a.example/x?p=1", "--published", "2026-11-20T08:00:00Z"}
	content := `<h3>Head</h3><p>Some words.</p><iframe src="https://unknown.example/x"></iframe>`
	out, errors, err := transformIt(t, content, append(story, "--profile", "full-text", "--title", "A title")...)
	if err != nil || !strings.Contains(out, "<h3>Head</h3>") || strings.Contains(out, "<html") || !strings.Contains(errors, "warning: ") {
		t.Errorf("got %v, %s, %s", err, out, errors)
	}
	_, errors, err = transformIt(t, content, append(story, "--profile", "msn", "--title", "Short")...)
	if err == nil || !strings.Contains(errors, "error: msn, at article: ") {
		t.Errorf("what the consumer refuses: got %v, %s", err, errors)
	}
}

func TestTransformFetchesPages(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		_, _ = io.WriteString(w, "<html lang=fr><title>\xc9t\xe9</title><link rel=canonical href=/story><time datetime=2026-07-01T10:00:00Z>"+
			"</time><main><p>\xe0 la mer</main>")
	}))
	defer origin.Close()
	out, errors, err := transformIt(t, "", origin.URL+"/story?utm_source=x", "-o", "json")
	var done transformed
	if err != nil || json.Unmarshal([]byte(out), &done) != nil {
		t.Fatal(err, errors, out)
	}
	if done.Article.Title != "Été" || done.Article.Canonical != origin.URL+"/story" || !done.Valid ||
		!strings.Contains(done.Markup, "<p>à la mer</p>") || done.Article.Published.Year() != 2026 {
		t.Errorf("got %+v", done)
	}
}
