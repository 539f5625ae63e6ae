//go:build !race

package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// cli runs a command against a daemon and returns what it printed and its exit code.
func (d *daemon) cli(stdin string, args ...string) (out, errs string, code int) {
	d.t.Helper()
	var o, e bytes.Buffer
	dir := d.t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(d.Token), 0o600); err != nil {
		d.t.Fatal(err)
	}
	p := cli.Program{Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, Stdin: strings.NewReader(stdin), Stdout: &o, Stderr: &e}
	code = p.Run(d.t.Context(), append(args, "--server", d.Base, "--api-token-file", token, "--data-dir", dir)...)
	return o.String(), e.String(), code
}

func TestSourceAddFindsTheFeedOfAPage(t *testing.T) {
	t.Parallel()
	o := wiretest.NewOrigin(t)
	o.Page("/one", "/a.xml")
	o.Page("/two", "/a.xml", "/b.xml")
	o.Set("/a.xml", wiretest.Posts(2)...)
	o.Set("/c.xml", wiretest.Posts(2)...)
	d := start(t, storetest.RedisAOF(t), "")

	out, errs, code := d.cli("", "source", "add", o.URL+"/one")
	if code != cli.ExitOK || !strings.Contains(out, "is a web page") || !strings.Contains(out, o.URL+"/a.xml") {
		t.Errorf("a page with one feed: %d\n%s%s", code, out, errs)
	}
	out, errs, code = d.cli("", "source", "add", o.URL+"/two")
	if code != cli.ExitFailed || out != "" || !strings.Contains(errs, "2  Feed /b.xml") ||
		!strings.Contains(errs, "feedwire source add --exact '"+o.URL+"/a.xml'") {
		t.Errorf("a page with two feeds: %d\n%s%s", code, out, errs)
	}
	out, errs, code = d.cli("", "source", "add", o.URL+"/c.xml")
	if code != cli.ExitOK || strings.Contains(out, "page") {
		t.Errorf("a feed: %d\n%s%s", code, out, errs)
	}
	out, errs, code = d.cli("", "source", "add", "http://169.254.169.254/")
	if code != cli.ExitFailed || !strings.Contains(errs, "fetch.allow_networks") || !strings.Contains(errs, "--exact") {
		t.Errorf("a private address: %d\n%s%s", code, out, errs)
	}
	if out, errs, code = d.cli("", "source", "add", "--exact", o.URL+"/two"); code != cli.ExitOK {
		t.Errorf("exact: %d\n%s%s", code, out, errs)
	}
	if s := d.source(o.URL + "/two"); s.URL != o.URL+"/two" {
		t.Errorf("exact added %+v", s)
	}
}

func TestFiltersOnTheCommandLine(t *testing.T) {
	t.Parallel()
	o := wiretest.NewOrigin(t)
	o.Set("/a.xml", wiretest.Posts(4)...)
	d := start(t, storetest.RedisAOF(t), "")
	url := o.URL + "/a.xml"
	if out, errs, code := d.cli("", "source", "add", url, "--keep", "title=[01]$", "--block", "content=post 1"); code != cli.ExitOK {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	d.untilPolled(url)
	entries := func() int {
		var page feed.Page[feed.Entry]
		d.do(http.MethodGet, "/api/v1/sources/"+feed.SourceID(url)+"/entries", nil, &page)
		return len(page.Items)
	}
	if n := entries(); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
	if n := d.metric("feedwire_entries_ingested_total", "outcome", "rejected"); n != 3 {
		t.Errorf("%v rejected, want 3", n)
	}
	if out, errs, code := d.cli("", "source", "add", url, "--block", ""); code != cli.ExitOK || len(d.source(url).Filters.Keep) != 1 {
		t.Errorf("without --block: %d %+v\n%s%s", code, d.source(url).Filters, out, errs)
	}
	d.poll(d.source(url))
	if n := entries(); n != 2 {
		t.Errorf("%d entries with the wider filters though the document is the same, want 2", n)
	}
	if _, errs, code := d.cli("", "source", "add", url, "--keep", "ferry"); code != cli.ExitUsage {
		t.Errorf("a filter without a field: %d\n%s", code, errs)
	}
}

func TestOPMLImportAndExport(t *testing.T) {
	t.Parallel()
	o := wiretest.NewOrigin(t)
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	var outlines strings.Builder
	for i := range 30 {
		path := fmt.Sprintf("/f%d.xml", i)
		o.Set(path, wiretest.Posts(1)...)
		fmt.Fprintf(&outlines, `<outline text="Feed %d" xmlUrl="%s%s"/>`, i, o.URL, path)
	}
	list := `<opml><body><outline text="News">` + outlines.String() + `</outline></body></opml>`
	file := filepath.Join(t.TempDir(), "in.opml")
	if err := os.WriteFile(file, []byte(strings.Replace(list, "</body>", `<outline text="Bad" xmlUrl="gopher://x/"/></body>`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := d.cli("", "opml", "import", file, "--dry-run")
	if code != cli.ExitFailed || !strings.Contains(out, "30 would be added, 0 known, 1 refused") || !strings.Contains(errs, "gopher://x/") {
		t.Errorf("dry run: %d\n%s%s", code, out, errs)
	}
	out, errs, code = d.cli(list, "opml", "import", "-", "--publish", "auto", "--output", "json")
	var report feed.JobReport
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != cli.ExitOK || report.Added != 30 || len(report.Results) != 30 {
		t.Fatalf("import: %v, %d\n%s%s", err, code, out, errs)
	}
	if out, errs, code = d.cli(list, "opml", "import", "-"); code != cli.ExitOK || !strings.Contains(out, "0 added, 30 known") {
		t.Errorf("again: %d\n%s%s", code, out, errs)
	}
	if out, errs, code = d.cli("", "source", "add", "--exact", o.URL+"/f0.xml", "--keep", `any="<&>`, "--interval", "90s"); code != cli.ExitOK {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	d.do(http.MethodPost, "/api/v1/sources/"+feed.SourceID(o.URL+"/f1.xml")+"/pause", nil, nil)

	exported := filepath.Join(t.TempDir(), "out.opml")
	if out, errs, code = d.cli("", "opml", "export", "-o", exported); code != cli.ExitOK || out != "" {
		t.Fatalf("export: %d\n%s%s", code, out, errs)
	}

	// Another daemon on the same store tells of the job; one on an empty store becomes the same by the file.
	other := start(t, redis, "")
	var seen feed.JobReport
	other.do(http.MethodGet, "/api/v1/jobs/"+report.ID, nil, &seen)
	if seen.State != feed.JobDone || seen.Added != 30 {
		t.Errorf("the other daemon says %+v", seen.Job)
	}
	fresh := start(t, storetest.RedisAOF(t), "")
	if out, errs, code = fresh.cli("", "opml", "import", exported); code != cli.ExitOK || !strings.Contains(out, "30 added") {
		t.Fatalf("import of the export: %d\n%s%s", code, out, errs)
	}
	for i := range 30 {
		url := fmt.Sprintf("%s/f%d.xml", o.URL, i)
		want, got := d.source(url), fresh.source(url)
		own := cmpopts.IgnoreFields(feed.Source{}, "Poll", "Added", "About", "Polls", "Pace", "Revision", "Republished")
		if diff := cmp.Diff(want, got, own, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
	}
}
