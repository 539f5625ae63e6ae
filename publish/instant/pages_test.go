package instant_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// The pages resemble those of the most common publishing systems. No text or image is lost without a warning, every
// warning is true, and the document is valid.
func TestPagesLoseNothing(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, name := range pages {
		t.Run(filepath.Base(name), func(t *testing.T) {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			document, warnings, err := transform(article(string(content)), instant.Options{Language: "en"})
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range lost(string(content), document, warnings) {
				t.Errorf("lost without a warning: %s", fault)
			}
			for _, fault := range untrue(string(content), document, warnings) {
				t.Errorf("untrue warning: %s", fault)
			}
			if faults := joined(string(content), document); len(faults) > 0 {
				t.Errorf("words run together: %q", faults)
			}
			if faults := unnamed(document); len(faults) > 0 {
				t.Errorf("links without visible text: %q", faults)
			}
			if faults := undescribed(string(content), document, warnings); len(faults) > 0 {
				t.Errorf("images without their description: %q", faults)
			}
			for _, f := range validate.Document(document, validate.Options{}) {
				t.Errorf("not valid: %+v", f)
			}
		})
	}
}

// TestPagesLoseNothing depends on this.
func TestOracleFindsLosses(t *testing.T) {
	content := `<p class="a">one two</p><a href="/x">three</a><img src="/i.jpg"><ul><li>four<ul><li>five</ul></ul><script src="/s.js"></script>`
	document := `<p>one two</p><p><a href="https://example.org/x">three</a></p><figure><img src="https://example.org/i.jpg"></figure>` +
		`<ul><li>four</li><li>five</li></ul>`
	warning := func(code, markup string) []hypertext.Warning {
		place := strings.Trim(strings.Fields(markup)[0], "<>")
		return []hypertext.Warning{{Code: code, Markup: markup, Place: place, Message: "m"}}
	}
	for name, tt := range map[string]struct {
		document   string
		warnings   []hypertext.Warning
		lost, lies int
	}{
		"all there":           {document, nil, 0, 0},
		"text lost":           {strings.Replace(document, "two", "", 1), nil, 1, 0},
		"text lost and told":  {strings.Replace(document, "one two", "", 1), warning("left-out", `<p class="a">`), 0, 0},
		"image lost":          {strings.Replace(document, "i.jpg", "j.jpg", 1), nil, 1, 0},
		"link lost":           {strings.Replace(document, ".org/x", ".org/y", 1), nil, 1, 0},
		"link lost and told":  {strings.Replace(document, ".org/x", ".org/y", 1), warning("unwrapped", `<a href="/x">`), 0, 0},
		"no such element":     {document, warning("left-out", `<p class="b">`), 0, 1},
		"text there":          {document, warning("left-out", `<p class="a">`), 0, 1},
		"image there":         {document, warning("left-out", `<img src="/i.jpg">`), 0, 1},
		"link there":          {document, warning("unwrapped", `<a href="/x">`), 0, 1},
		"script gone":         {document, warning("left-out", `<script src="/s.js">`), 0, 0},
		"flattened":           {document, warning("flattened", `<ul>`), 0, 0},
		"not flattened":       {"<ul><li>four<ul><li>five</ul></ul>" + document, warning("flattened", `<ul>`), 0, 1},
		"unwrapped, it stays": {document + "<p>", warning("unwrapped", `<p class="a">`), 0, 1},
		"unknown code":        {document, warning("new", `<p class="a">`), 0, 1},
	} {
		if got := lost(content, tt.document, tt.warnings); len(got) != tt.lost {
			t.Errorf("%s: lost: %q", name, got)
		}
		if got := untrue(content, tt.document, tt.warnings); len(got) != tt.lies {
			t.Errorf("%s: untrue: %q", name, got)
		}
	}
}
