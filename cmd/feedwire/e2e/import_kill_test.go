package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/overview"
)

// The daemon is killed in the middle of an import, and stopped in the middle of what is left of it. The command that
// started the import sees it through, and each source is there and counted once. The next process does not wait for the lease of the
// killed one.
func TestImportOutlivesItsDaemon(t *testing.T) {
	t.Parallel()
	const feeds = 2000
	var list bytes.Buffer
	list.WriteString(`<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body>`)
	for i := range feeds {
		fmt.Fprintf(&list, `<outline text="F%d" xmlUrl="https://h%[1]d.example.org/" f:paused="true"/>`, i)
	}
	list.WriteString(`</body></opml>`)
	p := wiretest.BuildProgram(t, "")
	file := filepath.Join(t.TempDir(), "list.opml")
	if err := os.WriteFile(file, list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Start()
	c := p.Client()
	p.Ready()

	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), p.Binary, "opml", "import", "--config", p.Config, file)
	cmd.Stdout = &out
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	ended := 0
	for scan := bufio.NewScanner(said); scan.Scan(); {
		line := scan.Text()
		lines = append(lines, line)
		done := 0
		_, _ = fmt.Sscanf(line, "%d of", &done)
		switch {
		case ended == 0 && done > 0:
			p.Kill()
		case ended == 1 && done >= feeds/2:
			if !strings.Contains(p.Log.String(), "interrupted imports resume") {
				t.Errorf("the second process waited for the lease of the first\n%s", p.Log)
			}
			_ = p.Cmd.Process.Signal(syscall.SIGTERM)
			if err := p.Cmd.Wait(); err != nil {
				t.Errorf("the daemon was stopped: %v\n%s", err, p.Log)
			}
		default:
			continue
		}
		ended++
		if done >= feeds {
			t.Fatal("the import was over before the daemon ended; give it more feeds")
		}
		p.Start()
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), fmt.Sprintf("%d added, 0 known, 0 refused", feeds)) {
		t.Errorf("the command ended with %v\n%s\n%s", err, out.String(), strings.Join(lines, "\n"))
	}
	if ended != 2 {
		t.Errorf("the daemon ended %d times", ended)
	}
	var status overview.Status
	if err := c.Call(t.Context(), http.MethodGet, "/api/v1/status", nil, &status); err != nil {
		t.Fatal(err)
	}
	sources := 0
	for _, n := range status.Counts.Sources {
		sources += n
	}
	if sources != feeds {
		t.Errorf("there are %d sources", sources)
	}
}
