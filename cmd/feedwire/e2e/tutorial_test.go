package e2e

import (
	"bytes"
	"context"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
)

var updateTutorial = flag.Bool("update-tutorial", false, "write the outputs of docs/tutorial/first-hour.md")

// tutorialUUID is the article of the tutorial. It follows from the URL of the source and the guid.
var tutorialUUID = feed.ArticleUUID("http://127.0.0.1:8000/feed.xml", "bridge")

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```")
	hereDocument = regexp.MustCompile(`<<'EOF'$`)
	// volatile matches what differs between two runs: times, ids and sizes.
	volatile = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b[0-9a-f]{12,}\b|\b(\d+(\.\d+)?(ms|[smhd]))+\b( ago)?|\b\d{3,4} bytes|127\.0\.0\.1:\d{5}| +`)
)

// TestTutorial runs the commands of the tutorial in order and compares what they print. With -update-tutorial it writes the
// outputs into the page.
func TestTutorial(t *testing.T) {
	t.Parallel()
	const page = "docs/tutorial/first-hour.md"
	text, err := os.ReadFile(filepath.Join(checkout(t), page))
	if err != nil {
		t.Fatal(err)
	}
	walk := newTutorial(t)
	written := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		return "```console\n" + walk.run(t, consoleBlock.FindStringSubmatch(block)[1]) + "```"
	})
	walk.subscribed[0].until(t, "Storm closes the northern quay")
	walk.subscribed[1].until(t, "Storm closes the northern quay")
	if *updateTutorial {
		if err := os.WriteFile(filepath.Join(checkout(t), page), []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := volatile.ReplaceAllString(string(text), " "), volatile.ReplaceAllString(written, " ")
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wantLines), len(gotLines)) {
		if wantLines[i] != gotLines[i] {
			t.Fatalf("%s:%d: the page says %q, the command prints %q; run go test ./cmd/feedwire/e2e -run TestTutorial -update-tutorial",
				page, i+1, wantLines[i], gotLines[i])
		}
	}
	if len(wantLines) != len(gotLines) {
		t.Errorf("%s has %d lines, the commands print %d", page, len(wantLines), len(gotLines))
	}
}

// checkout is the path of the top directory.
func checkout(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}

// tutorial is the machine on which the tutorial runs.
type tutorial struct {
	dir        string
	env        []string
	here, doc  *strings.Replacer // from the names of the page to those of this run, and back
	subscribed []output          // of the subscribers that are left running
}

func newTutorial(t *testing.T) *tutorial {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(wiretest.BuildBinary(t), filepath.Join(dir, "feedwire")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "site"), 0o700); err != nil {
		t.Fatal(err)
	}
	daemon, site := unusedPort(t), unusedPort(t)
	uuid := feed.ArticleUUID("http://127.0.0.1:"+site+"/feed.xml", "bridge")
	return &tutorial{
		dir: dir,
		env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "FEEDWIRE_CONFIG=feedwire.yaml", "FEEDWIRE_LISTEN=127.0.0.1:" + daemon},
		here: strings.NewReplacer("http.server 8000", "http.server "+site, "127.0.0.1:8080", "127.0.0.1:"+daemon, "127.0.0.1:8000", "127.0.0.1:"+site,
			tutorialUUID, uuid),
		doc: strings.NewReplacer("127.0.0.1:"+daemon, "127.0.0.1:8080", "127.0.0.1:"+site, "127.0.0.1:8000", uuid, tutorialUUID),
	}
}

// unusedPort returns a port on which no program listens at the moment.
func unusedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// run runs the commands of a block and returns the block with what they print.
func (u *tutorial) run(t *testing.T, block string) string {
	t.Helper()
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue // output of an earlier run
		}
		if hereDocument.MatchString(command) {
			for lines[i] != "EOF" {
				i++
				command += "\n" + lines[i]
			}
		}
		out.WriteString("$ " + command + "\n" + u.command(t, command))
	}
	return out.String()
}

// command runs one command and returns its output in the names of the page. Servers and subscribers are left running.
func (u *tutorial) command(t *testing.T, command string) string {
	t.Helper()
	for _, skipped := range []string{"make ", "mkdir ", "cp ", "cd ", "export "} { // newTutorial has done this
		if strings.HasPrefix(command, skipped) {
			return ""
		}
	}
	// The context of the test ends before its cleanup, which interrupts the programs that are left running.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", u.here.Replace(command))
	cmd.Dir, cmd.Env = u.dir, u.env
	switch {
	case strings.Contains(command, "http.server"), strings.Contains(command, "serve --config"):
		u.start(t, cmd)
		return ""
	case strings.Contains(command, "subscribe"):
		subscriber := u.start(t, cmd)
		u.subscribed = append(u.subscribed, subscriber)
		return u.doc.Replace(subscriber.until(t, "subscribed"))
	}
	var out []byte
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		next := exec.CommandContext(t.Context(), "sh", "-c", u.here.Replace(command))
		next.Dir, next.Env = u.dir, u.env
		var err error
		out, err = next.CombinedOutput()
		if err == nil && !u.early(command, out) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	return strings.ReplaceAll(u.doc.Replace(string(out)), "\r", "") // ends a line of an HTTP header
}

// early reports whether a command that lists something ran before the daemon had handled the step before it.
func (u *tutorial) early(command string, out []byte) bool {
	want := map[string]string{
		"source list": "Harbour News", "signals find": "post_created", "article list": "opens", "article show": "imported 2", "feed/partner | grep -o": "Storm", "feed/best | grep '<h1>'": "park", "--state imported": "market",
	}
	for part, text := range want {
		if strings.Contains(command, part) && !bytes.Contains(out, []byte(text)) {
			return true
		}
	}
	return false
}

// output is what a program that was left running prints.
type output struct{ path string }

// start runs a program until the test ends.
func (u *tutorial) start(t *testing.T, cmd *exec.Cmd) output {
	t.Helper()
	f, err := os.CreateTemp(u.dir, "out")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		context.AfterFunc(ctx, func() {
			if ctx.Err() == context.DeadlineExceeded {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
		})
		_ = cmd.Wait()
		_ = f.Close()
	})
	return output{f.Name()}
}

// until waits until a program has printed a text, and returns all that it has printed.
func (o output) until(t *testing.T, text string) string {
	t.Helper()
	for deadline := time.Now().Add(wiretest.Patience); ; time.Sleep(50 * time.Millisecond) {
		out, err := os.ReadFile(o.path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out, []byte(text)) {
			return string(out)
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not print %q: %s", text, out)
		}
	}
}
