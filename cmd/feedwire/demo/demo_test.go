package demo

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

var (
	demoCommand = regexp.MustCompile(`(?m)^  Command line +(.+ --data-dir (.+)/data)$`)
	demoSignUp  = regexp.MustCompile(`(?m)^  Read as a member +(http.+)$`)
	demoSummary = regexp.MustCompile(`[1-9]\d* polls, [1-9]\d* new and \d+ changed entries, [1-9]\d* impressions, [1-9]\d* articles imported`)
)

// The demo shows an article on its whole way, the command that it names works, and nothing is left of it.
func TestDemo(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), wiretest.BuildBinary(t), "demo", "--listen", "127.0.0.1:0")
	var out wiretest.Logbook
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop := func() error {
		_ = cmd.Process.Signal(syscall.SIGINT)
		return <-ended
	}
	defer func() {
		if t.Failed() {
			_ = cmd.Process.Kill()
			t.Log(out.String())
		}
	}()
	wiretest.Eventually(t, "imported", func() bool { return strings.Contains(out.String(), "imported    4/4") })
	for _, want := range []string{"  Overview          http://127.0.0.1:", "signal      post_created", "impressions counted"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not show %q", want)
		}
	}
	reads(t, out.String())
	named := demoCommand.FindStringSubmatch(out.String())
	if named == nil {
		t.Fatal("it names no command")
	}
	if listed, err := exec.CommandContext(t.Context(), "sh", "-c", named[1]).CombinedOutput(); err != nil || !strings.Contains(string(listed), "/harbour.rss") {
		t.Errorf("%s ends with %v: %s", named[1], err, listed)
	}
	if err := stop(); err != nil || !demoSummary.MatchString(out.String()) {
		t.Errorf("interrupted, it ends with %v and without its summary", err)
	}
	if _, err := os.Stat(named[2]); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", named[2], err)
	}
}

// reads signs a member up at the address that the demo names, and sees entries.
func reads(t *testing.T, out string) {
	t.Helper()
	address := demoSignUp.FindStringSubmatch(out)
	if address == nil {
		t.Fatal("it names no address for members")
	}
	jar, _ := cookiejar.New(nil) // fails with options only
	member := &http.Client{Jar: jar, Transport: &http.Transport{}}
	defer member.CloseIdleConnections()
	resp, err := member.Get(address[1])
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.Request.URL.Path != "/sign-up" {
		t.Errorf("the address leads to %s", resp.Request.URL)
	}
	password := "a phrase of the demo"
	resp, err = member.PostForm(address[1], url.Values{"name": {"mara"}, "password": {password}, "again": {password}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.Request.URL.Path != "/read" || !strings.Contains(string(page), "Crane seven learns to whistle") {
		t.Errorf("it leads to %s: %v\n%s", resp.Request.URL, err, page)
	}
}
