package daemon

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// block returns the fenced blocks of a kind: signals from the reference, programs from the how-to.
func block(t *testing.T, kind string) (all []string) {
	t.Helper()
	page := "docs/how-to/subscribe.md"
	if strings.HasPrefix(kind, "json") {
		page = "docs/reference/signals.md"
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+kind+"\n(.+?)^```").FindAllStringSubmatch(wiretest.ReadFile(t, page), -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("%s has no block of %s", page, kind)
	}
	return all
}

// The subscribers of docs/how-to/subscribe.md subscribe, confirm, take what is signed and refuse what is not.
func TestSubscribersOfTheDocumentation(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(t *testing.T, source string) *exec.Cmd{
		"go": func(t *testing.T, source string) *exec.Cmd {
			binary := filepath.Join(filepath.Dir(source), "subscriber")
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, source).CombinedOutput(); err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			return exec.CommandContext(t.Context(), binary)
		},
		"python": func(t *testing.T, source string) *exec.Cmd { return interpreted(t, "python3", source) },
		"js":     func(t *testing.T, source string) *exec.Cmd { return interpreted(t, "node", source) },
	} {
		t.Run(name, func(t *testing.T) {
			source := filepath.Join(t.TempDir(), "subscriber."+name)
			if err := os.WriteFile(source, []byte(block(t, name)[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			hub, port := wiretest.NewHub(t), wiretest.FreePort(t)
			cmd := command(t, source)
			cmd.Env = append(os.Environ(), "HUB="+hub.URL, "TOPIC=https://blog.example.org/feed.xml", "PORT="+port,
				"CALLBACK=http://127.0.0.1:"+port)
			out := background(t, cmd)
			wiretest.Eventually(t, "subscribed", func() bool { return len(hub.Requests()) > 0 })
			form := hub.Requests()[0]
			for topic, status := range map[string]int{form.Get("hub.topic"): http.StatusOK, "https://other.example/": http.StatusNotFound} {
				if got, _ := hub.Verify(form.Get("hub.callback"), "subscribe", topic); got != status {
					t.Errorf("a verification of %s is answered %d", topic, got)
				}
			}
			signed := func(body string) func(*http.Request) {
				return func(r *http.Request) {
					r.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA256, form.Get("hub.secret"), []byte(body)))
				}
			}
			if status := hub.Deliver("<forged/>", signed("<other/>")); status != http.StatusForbidden {
				t.Errorf("a forged delivery is answered %d", status)
			}
			if status := hub.Deliver("<news/>", signed("<news/>")); status != http.StatusAccepted {
				t.Errorf("a delivery is answered %d", status)
			}
			wiretest.Eventually(t, "printed", func() bool { return strings.Contains(written(t, out), "<news/>") })
			if strings.Contains(written(t, out), "<forged/>") {
				t.Error("a forged delivery was printed")
			}
		})
	}
}

// interpreted runs a program of another language.
func interpreted(t *testing.T, interpreter, source string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath(interpreter); err != nil {
		t.Skipf("%s is not installed, and the program is for those who have it: %v", interpreter, err)
	}
	return exec.CommandContext(t.Context(), interpreter, source)
}

// background runs a program until the test ends, and tells where its output goes.
func background(t *testing.T, cmd *exec.Cmd) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		_ = out.Close()
		if t.Failed() {
			t.Logf("it says: %s", written(t, path))
		}
	})
	return path
}

// The examples of signals and webhooks are what is sent, to the last field, of each kind.
func TestSignalsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	var kinds []feed.SignalKind
	for _, example := range block(t, "json signal") {
		var s feed.Signal
		roundTrip(t, example, &s)
		kinds = append(kinds, s.Kind)
	}
	if !slices.Equal(slices.Compact(kinds), feed.SignalKinds()) {
		t.Errorf("there are examples of %v", kinds)
	}
	for _, example := range block(t, "json webhook") {
		var message struct{ Type, Timestamp, Data json.RawMessage }
		if err := json.NewDecoder(bytes.NewReader([]byte(example))).Decode(&message); err != nil {
			t.Fatal(err)
		}
		var s feed.Signal
		roundTrip(t, string(message.Data), &s)
		if diff := cmp.Diff(`"`+string(s.Kind)+`"`, string(message.Type)); diff != "" {
			t.Error(diff)
		}
	}
}
