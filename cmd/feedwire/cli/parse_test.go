package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// parsedDocument has members of the JSON output.
type parsedDocument struct {
	Format   string      `json:"format"`
	Feed     feed.About  `json:"feed"`
	Hints    parsedHints `json:"hints"`
	Repaired bool        `json:"repaired"`
	Repairs  []string    `json:"repairs"`
	Entries  []struct {
		Title      string          `json:"title"`
		Link       string          `json:"link"`
		Categories json.RawMessage `json:"categories"`
		Enclosures json.RawMessage `json:"enclosures"`
		Comments   string          `json:"comments"`
		Duration   int             `json:"duration"`
	} `json:"entries"`
}

func TestParsePrintsWhatIsMadeOfADocument(t *testing.T) {
	t.Parallel()
	root := new(Program).Command()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetIn(strings.NewReader(`<rss version="2.0"><channel><title>T</title><ttl>60</ttl><copyright>2026</copyright><managingEditor>Ann</managingEditor><item><title>a & b</title>` +
		`<link>/1</link><category>c</category><comments>/c</comments><itunes:duration>1:00</itunes:duration><enclosure url="e.mp3" type="audio/mpeg" length="5"/></item><item><title>cut`))
	root.SetArgs([]string{"parse", "-", "--url", "https://x.example/feed", "-o", "json"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var doc parsedDocument
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Format != "RSS 2.0" || doc.Hints.TTL != feed.Duration(time.Hour) || !doc.Repaired || len(doc.Repairs) != 2 || len(doc.Entries) != 1 {
		t.Fatalf("got %+v", doc)
	}
	e := doc.Entries[0]
	if e.Title != "a & b" || e.Link != "https://x.example/1" || !strings.Contains(string(e.Categories), `"c"`) ||
		!strings.Contains(string(e.Enclosures), `"https://x.example/e.mp3"`) || e.Comments != "https://x.example/c" || e.Duration != 60 ||
		doc.Feed.Rights != "2026" || len(doc.Feed.Authors) != 1 {
		t.Errorf("got %+v", e)
	}
}

func TestParseReadsAURLThatYouName(t *testing.T) {
	t.Parallel()
	private := httptest.NewServer(http.NotFoundHandler())
	defer private.Close()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/feed":
			w.Header().Set("Content-Language", "de")
			_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>T</title><item><link>/1</link></item></channel></rss>`)
		case "/away":
			http.Redirect(w, r, strings.Replace(private.URL, "127.0.0.1", "127.0.0.2", 1), http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer origin.Close()
	parse := func(url string) (string, error) {
		root := new(Program).Command()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs([]string{"parse", url, "-o", "json"})
		err := root.ExecuteContext(t.Context())
		return out.String(), err
	}
	out, err := parse(origin.URL + "/feed")
	var doc parsedDocument
	if err != nil || json.Unmarshal([]byte(out), &doc) != nil || doc.Entries[0].Link != origin.URL+"/1" || doc.Feed.Language != "de" {
		t.Errorf("%v, %s", err, out)
	}
	if _, err := parse(origin.URL + "/gone"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a missing document: %v", err)
	}
	if _, err := parse(origin.URL + "/away"); err == nil || !strings.Contains(err.Error(), "127.0.0.2") {
		t.Errorf("a redirect to an unrequested address: %v", err)
	}
}
