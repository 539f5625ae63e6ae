//go:build !race

package daemon

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Documents as sites publish them become entries: as many as they hold, in the right letters.
func TestRealDocumentsBecomeEntries(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "..", "shared", "corpus", "real")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real documents is not beside this checkout:", err)
	}
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	raw := storetest.Commands(t, redis.Dial)
	web := wiretest.NewOrigin(t)
	for _, c := range []struct{ file, letters string }{
		{"encoding_ISO-8859-1.xml", "ü"},
		{"encoding_WINDOWS-1251.xml", "Цитата"},
		{"large_atom.xml", ""},
		{"large_rss.xml", ""},
		{"no_encoding_ISO-8859-1.xml", "criminalité"},
		{"rdf_UTF8.xml", "ü"},
		{"small_atom.xml", ""},
		{"urdu_UTF8.xml", "پاکستان"},
	} {
		t.Run(c.file, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(dir, c.file))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Count(string(body), "<item>") + strings.Count(string(body), "<item ") + strings.Count(string(body), "<entry>")
			web.SetRaw("/"+c.file, body)
			url := web.URL + "/" + c.file
			src := d.add(url, nil)
			if got := raw.Int("ZCARD", url+":sort"); got != want || src.State() != feed.SourceActive {
				t.Errorf("%d entries of %d; source is %s %s", got, want, src.State(), src.Poll.ErrorText)
			}
			var page feed.Page[feed.Entry]
			d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries?limit=200&content=1", nil, &page)
			var text strings.Builder
			for _, e := range page.Items {
				text.WriteString(e.Title + e.Content + e.Summary)
			}
			if !strings.Contains(text.String(), c.letters) || strings.Contains(text.String(), "\ufffd") {
				t.Errorf("%q is not in its text, or letters were lost", c.letters)
			}
			before := raw.Int("XLEN", "signals")
			d.poll(src)
			if after := raw.Int("XLEN", "signals"); after != before {
				t.Errorf("a second poll made %d signals", after-before)
			}
		})
	}
	storetest.Check(t, redis.Dial, []string{"production", "development"}, feed.ImportAfter)
}
