package inline_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
)

func TestRunsAreWrittenInTheirNormalForm(t *testing.T) {
	bold, link := inline.Format{Bold: true}, inline.Format{Link: inline.Link{Href: "https://a.example/?a&b", Rel: "nofollow"}}
	text := func(s string) inline.Run { return inline.Run{Text: s} }
	for name, tt := range map[string]struct {
		runs []inline.Run
		want string
	}{
		"white space":           {[]inline.Run{text(" a \n"), text("\t b ")}, "a b"},
		"nothing visible":       {[]inline.Run{text(" "), {Breaks: 2}}, ""},
		"equal neighbours":      {[]inline.Run{{Text: "a", Format: bold}, {Text: "b", Format: bold}}, "<b>ab</b>"},
		"a blank between words": {[]inline.Run{{Text: "a", Format: bold}, {Text: " ", Format: bold}, text("<b")}, "<b>a</b> &lt;b"},
		"formats in formats": {[]inline.Run{{Text: "a", Format: inline.Format{Link: link.Link, Bold: true}}, {Text: "b", Format: link}},
			`<a href="https://a.example/?a&amp;b" rel="nofollow"><b>a</b>b</a>`},
		"breaks":            {[]inline.Run{{Breaks: 1}, text("a "), {Breaks: 1}, {Breaks: 1}, {Breaks: 1}, text("b"), {Breaks: 1}}, "a<br><br>b"},
		"borders of blocks": {[]inline.Run{text("a"), {Breaks: 1, Soft: true}, {Breaks: 1, Soft: true}, text("b")}, "a<br>b"},
		"lines":             {inline.Join(inline.Join(nil, []inline.Run{text("a")}, 1), []inline.Run{text("b")}, 1), "a<br>b"},
	} {
		var sb strings.Builder
		inline.Write(&sb, inline.Tidy(tt.runs))
		if got := sb.String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

func TestRaisedRunsFollowAVisibleCharacter(t *testing.T) {
	for name, tt := range map[string]struct{ before, text, want string }{
		"a digit":          {"10", "6", "⁶"},
		"other characters": {"2", " AB ", "^(AB)"},
		"after a blank":    {"10 ", "6", "6"},
		"after nothing":    {"", "6", "6"},
	} {
		runs := []inline.Run{{Text: tt.before}, {Text: tt.text}}
		if inline.Raise(hypertext.Superscript, runs[:1], runs[1:]); runs[1].Text != tt.want {
			t.Errorf("%s: got %q, want %q", name, runs[1].Text, tt.want)
		}
	}
}
