//go:build !race

package daemon

import (
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Placeholders in the examples: two addresses of the daemon, sites and subscribers.
var (
	exampleDaemons = []string{"http://127.0.0.1:8080", "https://wire.example.net"}
	exampleSites   = []string{"https://blog.example.org", "https://harbour.example"}
	exampleSinks   = []string{"https://example.org", "https://me.example.net"}
	exampleWebhook = "2hl4ttiyy5ywqawc"
)

var (
	commandLine = regexp.MustCompile(`^\s*\$ (.+?)(?:\s{2,}#.*)?$`)
	unmarked    = regexp.MustCompile(`^    (?:\./bin/)?(?:feedwire|curl|make) `)
	exampleUUID = regexp.MustCompile(`1c2d…|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	exampleID   = regexp.MustCompile(`(sources|follows)/[0-9a-f]{12}`)
	madeWebhook = regexp.MustCompile(`(?m)^webhook +(\S+)`)
	assignment  = regexp.MustCompile(`^[A-Z]+=`)
	goProgram   = regexp.MustCompile("(?s)```go\n(.+?)```")
)

// runElsewhere are the command lines that another test runs, because they need another world than this one.
var runElsewhere = map[string]string{
	"feedwire source add https://blog.example.org/feed.xml --publish auto":                                                        "deploy/deb/try, in a Debian with the package",
	"curl http://127.0.0.1:8080/feed/production":                                                                                  "the same, and README here",
	"feedwire restore wire.backup":                                                                                                "TestBackupOfABusyDaemonGoesOnElsewhere",
	"feedwire migrate --to redis+cluster://n1:6379,n2:6379 --dry-run":                                                             "TestMigrate",
	"feedwire migrate --to redis+cluster://n1:6379,n2:6379":                                                                       "TestMigrate",
	"feedwire migrate --to redis+cluster://n1:6379,n2:6379 --to-prefix '{feedwire}:'":                                             "TestMigrate",
	"feedwire migrate --to redis://n4:6379":                                                                                       "TestMigrate",
	`curl "https://wire.example.net/hub?hub.mode=publish&hub.url=$TOPIC" -H "$AUTH" -H "Content-Type: $TYPE" --data-binary @file`: "TestPublishersSendTheContentOfTopics",
}

// shellLine is a command line of the documentation.
type shellLine struct {
	line  string
	fails bool // as the error that is shown below it says
}

// commandsOf are the command lines of a page, each behind a $.
func commandsOf(t *testing.T, path string) (all []shellLine) {
	t.Helper()
	text := strings.ReplaceAll(wiretest.ReadFile(t, path), "\\\n", "")
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		code := fenced || strings.HasPrefix(line, "    ")
		switch m := commandLine.FindStringSubmatch(line); {
		case m != nil:
			all = append(all, shellLine{line: m[1]})
		case strings.HasPrefix(line, "    feedwire: ") && len(all) > 0:
			all[len(all)-1].fails = true
		case code && unmarked.MatchString(line) && runElsewhere[strings.TrimSpace(line)] == "":
			t.Errorf("%s: %q has no $ before it, and no test runs it", path, line)
		}
	}
	return all
}

// The command lines of README and documentation do in a shell what stands there. Only addresses, files and the names that
// follow from them are put in.
func TestCommandsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("the documentation asks by curl: ", err)
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "*", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("the documentation is not found: %v", err)
	}
	paths := []string{"README.md", "CONTRIBUTING.md"}
	for _, page := range pages {
		if name := filepath.Base(page); name != "troubleshoot-sources.md" && name != "first-hour.md" { // their own tests generate them
			paths = append(paths, "docs/"+filepath.Base(filepath.Dir(page))+"/"+name)
		}
	}
	binary := wiretest.BuildBinary(t)
	for _, path := range paths {
		commands := commandsOf(t, path)
		if len(commands) == 0 {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, binary)
			for _, c := range commands {
				if strings.HasPrefix(c.line, "make ") {
					continue // they build the program and run this very test; TestDemo runs what make run does
				}
				t.Run(c.line, func(t *testing.T) { s.run(t, c) })
			}
		})
	}
}

// shell is that of a person with a daemon, a source and some files.
type shell struct {
	*daemon
	web       *wiretest.Origin
	dir       string
	env       []string
	names     []string // of the examples, each with what it is here
	uuid, src string
	variables string // set by the lines before
}

func newShell(t *testing.T, binary string) *shell {
	t.Helper()
	const feeds = `
people: {sign_up: invited}
community: {enabled: true}
votes: {anonymous: true}
search: {enabled: true}
feeds:
  production: {}
  msn: {profile: msn}
  apple: {profile: apple-news, sources: ["*"], publish: auto}
  amp: {profile: amp, sources: ["*"], publish: auto}
`
	s := &shell{daemon: start(t, storetest.RedisAOF(t), feeds), web: wiretest.NewOrigin(t), dir: t.TempDir()}
	s.web.Set("/feed.xml", wiretest.Posts(2)...)
	src := s.add(s.web.URL+"/feed.xml", nil)
	wiretest.Eventually(t, "articles", func() bool {
		return len(s.articles("feed=apple&state=published")) == 2 && len(s.articles("feed=amp&state=published")) == 2
	})
	s.untilIndexed()
	s.uuid, s.src = feed.ArticleUUID(src.URL, "p1"), src.ID
	s.web.Link = fmt.Sprintf(`<%s/hub>; rel="hub", <%s>; rel="self"`, s.Base, src.URL)
	page := `<html><head><title>Harbour</title><link rel="alternate" type="application/rss+xml" href="%s"%s></head></html>`
	s.web.SetRaw("/", fmt.Appendf(nil, page, "/feed.xml", ""))
	s.web.SetRaw("/news", fmt.Appendf(nil, page, "/feed.xml", `><link rel="alternate" type="application/rss+xml" href="/comments/feed.xml"`))
	story := `<html><head><title>A bridge opens</title><link rel="canonical" href="https://blog.example.org/2026/bridge">
<meta property="article:published_time" content="2026-11-20T08:00:00Z"></head><body><article><p>Text.</p></article></body></html>`
	s.web.SetRaw("/2026/bridge", []byte(story))

	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.FormValue("hub.challenge"))
	}))
	t.Cleanup(sink.Close)
	own := feed.Subscription{Topic: src.URL, Callback: sink.URL + "/push/7d1e0f", Kind: feed.KindWebSub, Secret: "s3cret", Lease: time.Hour}
	if err := s.app.store.Hub.Subscribe(t.Context(), &own); err != nil {
		t.Fatal(err)
	}
	var invited feed.Invitation
	s.do(http.MethodPost, "/api/v1/invitations", nil, &invited)
	s.names = append(s.names, "9f2c4be01d7a6653", invited.ID)
	s.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "mia", "role": "member"}, nil)
	var app users.NewToken
	talk := s.submission("mia")
	s.do(http.MethodPost, "/api/v1/entries/"+talk+"/comments?user=mia", map[string]string{"body": "Rude"}, nil)
	for _, decision := range []string{"hide", "restore"} {
		s.names = append(s.names, "community "+decision+" 12-3", "community "+decision+" "+talk+"-1")
	}
	s.names = append(s.names, "community approve 12", "community approve "+talk, "community reject 13", "community reject "+talk, "community dismiss 12", "community dismiss "+talk, "community unban carla", "community unban mia", "community invitations carla", "community invitations mia")
	s.do(http.MethodPost, "/api/v1/me/apps?user=mia", map[string]any{"name": "phone", "scopes": []string{"follows", "posts"}}, &app)
	for _, group := range []struct {
		names []string
		url   string
	}{{exampleDaemons, s.Base}, {exampleSites, s.web.URL}, {exampleSinks, sink.URL}} {
		for _, name := range group.names {
			s.names = append(s.names, name, group.url)
		}
	}
	port := wiretest.FreePort(t)
	s.names = append([]string{
		"--listen :8099 --callback https://me.example.net", "--listen 127.0.0.1:" + port + " --callback http://127.0.0.1:" + port,
		"after=post-17", "after=p0",
	}, s.names...)

	var picture strings.Builder
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	opml := fmt.Sprintf(`<opml version="2.0"><body><outline text="A" xmlUrl="%s/a.xml"/><outline text="Old" xmlUrl="gopher://old.example"/></body></opml>`, s.web.URL)
	for name, text := range map[string]string{
		"entries.json":       `[{"guid": "tide-1", "title": "Low tide"}, {"guid": "tide-2", "title": "High tide", "link": "/map"}]`,
		"subscriptions.opml": opml, "story.html": story, "body.html": "<p>Text.</p>", "none.yaml": "", "ferry.jpg": picture.String(),
		".curlrc": "fail\nsilent\nshow-error\nmax-time = 120\nnoproxy = \"*\"\n",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"bin/feedwire": binary, ".local/state/feedwire": s.app.cfg().DataDir} {
		path := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{
		"HOME=" + s.dir, "PATH=" + filepath.Join(s.dir, "bin") + ":" + os.Getenv("PATH"), "FEEDWIRE_CONFIG=" + filepath.Join(s.dir, "none.yaml"),
		"FEEDWIRE_LISTEN=" + strings.TrimPrefix(s.Base, "http://"), "TOKEN=" + app.Text,
	}
	return s
}

// run runs a line and checks that it ends well, or with an error where the documentation shows one. What follows the news
// gets some, and is interrupted when it has told of them.
func (s *shell) run(t *testing.T, c shellLine) {
	t.Helper()
	line := exampleUUID.ReplaceAllString(c.line, s.uuid)
	line = exampleID.ReplaceAllString(line, "${1}/"+s.src)
	line = strings.NewReplacer(s.names...).Replace(line)
	if assignment.MatchString(line) {
		s.variables += line + "\n"
		return
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", s.variables+line)
	cmd.Dir, cmd.Env = s.dir, s.env
	n := 0
	news := func() {
		n++
		s.add(fmt.Sprintf("%s/new%d", s.web.URL, n), nil)
	}
	switch {
	case strings.Contains(line, "/api/v1/events"), strings.Contains(line, "/votes/events"):
		_ = follows(t, cmd, "data: {", news) // curl knows of no good end
	case strings.Contains(line, "signals tail"), strings.Contains(line, "feedwire subscribe"):
		told := "feed_created"
		if strings.Contains(line, "subscribe") {
			told = "subscribed for"
		}
		cmd.Args[2] = "exec " + line // it is not for the shell to be interrupted
		if err := follows(t, cmd, told, news); err != nil {
			t.Errorf("interrupted, it ends with %v", err)
		}
	default:
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails {
			t.Errorf("it ends with %v: %s", err, out)
		}
		if m := madeWebhook.FindSubmatch(out); m != nil {
			s.names = append(s.names, exampleWebhook, string(m[1]))
		}
	}
}

// follows waits until a program that does not end by itself has told what it is to tell, interrupts it and gives its end.
func follows(t *testing.T, cmd *exec.Cmd, text string, meanwhile func()) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what a shell has started hears of the interrupt
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	told := func() bool { return strings.Contains(written(t, path), text) }
	wiretest.Eventually(t, "what it should write", func() bool {
		meanwhile()
		return told() || len(ended) > 0
	})
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	dead := time.AfterFunc(wiretest.Patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // nohup ignores interrupts
	defer dead.Stop()
	if err = <-ended; err != nil {
		err = fmt.Errorf("%w: %s", err, written(t, path))
	}
	if !told() {
		t.Errorf("it ended with %v", err)
	}
	return err
}

// The program in docs/reference/api.md that follows the event stream builds and does so.
func TestProgramOfTheDocumentation(t *testing.T) {
	t.Parallel()
	program := goProgram.FindStringSubmatch(wiretest.ReadFile(t, "docs/reference/api.md"))
	if program == nil {
		t.Fatal("docs/reference/api.md holds no Go program")
	}
	if !strings.Contains(program[1], exampleDaemons[0]) {
		t.Fatalf("it does not speak to %s", exampleDaemons[0])
	}
	d := start(t, storetest.RedisAOF(t), "")
	web := wiretest.NewOrigin(t)
	src := d.add(web.URL+"/feed.xml", nil)

	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "follow")
	if err := os.WriteFile(source, []byte(strings.ReplaceAll(program[1], exampleDaemons[0], d.Base)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), "TOKEN="+d.Token)
	_ = follows(t, cmd, `"kind":"feed_created","feed_url":"`+src.URL+`"`, func() {}) // it knows of no good end
}
