//go:build !race

package daemon

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/store/feed"
)

// Each command that speaks to a daemon does that by operations of the document that name it, and by nothing else.
func TestCommandsUseTheContract(t *testing.T) {
	t.Parallel()
	d, src, names := furnish(t)
	c := contractOf(t, d.Base)
	target, err := url.Parse(d.Base)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	used := make(map[string][]string) // operations, by command
	var command string
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := command
		mu.Unlock()
		if now == "feed check" && strings.HasPrefix(r.URL.Path, "/feed/") { // as its consumer does
			proxy.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		asked := r.Clone(context.Background())
		rec := httptest.NewRecorder()
		if strings.HasSuffix(r.URL.Path, "/events") { // it does not end
			rec.Header().Set("Content-Type", "text/event-stream")
			defer proxy.ServeHTTP(w, r)
		} else {
			proxy.ServeHTTP(rec, r)
			for name, values := range rec.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(rec.Code)
			_, _ = w.Write(rec.Body.Bytes())
		}
		operation, err := c.checkAnswer(asked, body, rec.Code, rec.Header(), rec.Body.Bytes())
		if err != nil {
			t.Errorf("feedwire %s: %v", now, err)
		}
		mu.Lock()
		used[now] = append(used[now], operation)
		mu.Unlock()
	}))
	t.Cleanup(front.Close)
	p0, p1 := feed.ArticleUUID(src.URL, "p0"), feed.ArticleUUID(src.URL, "p1")
	list := filepath.Join(t.TempDir(), "list.opml")
	outline := `<opml version="2.0"><body><outline text="x" xmlUrl="http://127.0.0.1:1/listed"/></body></opml>`
	if err := os.WriteFile(list, []byte(outline), 0o600); err != nil {
		t.Fatal(err)
	}
	many := filepath.Join(t.TempDir(), "entries.json")
	if err := os.WriteFile(many, []byte(`[{"guid": "2", "title": "Two"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(t.TempDir(), "picture.gif")
	if err := os.WriteFile(picture, []byte(onePixel), 0o600); err != nil {
		t.Fatal(err)
	}
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "carla", "role": "member"}, nil)
	news := d.submission("carla")
	d.do(http.MethodPost, "/api/v1/entries/"+news+"/comments?user=carla", map[string]string{"body": "Why?"}, nil)
	lines := []struct{ command, args string }{
		{"source add", "--exact http://127.0.0.1:1/a --feed development"}, {"source add", src.URL}, {"source list", ""}, {"source show", src.ID},
		{"source set", src.ID + " --name Quay"}, {"source adopt", src.ID},
		{"source peek", src.URL}, {"source poll", src.ID}, {"source poll --all", ""}, {"source pause", src.ID}, {"source resume", src.ID},
		{"source pause", src.ID + " " + src.URL}, {"source resume", src.ID + " " + src.URL},
		{"source remove", "http://127.0.0.1:1/a"}, {"source restore", "http://127.0.0.1:1/a"}, {"source remove", "http://127.0.0.1:1/a"}, {"opml export", ""}, {"opml import", list},
		{"source remove", "http://127.0.0.1:1/listed " + feed.SourceID("http://127.0.0.1:1/listed")},
		{"source add", "feedwire:local/notes --title Notes"}, {"entry add", "feedwire:local/notes --guid 1 --title One"},
		{"entry add", "feedwire:local/notes " + many}, {"entry list", "feedwire:local/notes"}, {"entry show", "1"},
		{"entry show", "--source feedwire:local/notes 1"}, {"entry edit", "--source feedwire:local/notes 1 --title Two --author Ann"},
		{"entry edit", "{noted} --title Three"},
		{"feed list", ""}, {"feed visits", "production"}, {"feed check", "production"}, {"article list", ""}, {"article show", p0}, {"article publish", p0}, {"article withdraw", p0},
		{"article publish", p0 + " " + p1}, {"article withdraw", p0 + " " + p1},
		{"article dismiss", p0}, {"article restore", p0},
		{"article undo", "{decision}"}, {"article history", p0}, {"article promote", "{n}"},
		{"signals tail", ""}, {"signals find", "FEED.xml --kind post_created --since 1h --source " + src.URL},
		{"hub status", ""}, {"hub topics", ""}, {"hub topic", src.URL}, {"hub list", ""}, {"hub show", "{subscription}"}, {"hub attempts", "{subscription}"}, {"hub pause", "{subscription}"},
		{"hub resume", "{subscription}"}, {"hub resend", "{subscription}"}, {"hub dead", ""}, {"hub replay", "{letter}"}, {"hub replay --all", ""},
		{"hub deny", "{subscription}"},
		{"webhook list", ""}, {"webhook add", "http://127.0.0.1:1/x"}, {"webhook test", "{webhook}"}, {"webhook remove", "{webhook}"},
		{"user list", ""}, {"user add", "dora --role admin"}, {"user role", "bob editor"}, {"user disable", "bob"}, {"user enable", "bob"},
		{"follow default", src.ID}, {"follow defaults", ""}, {"follow undefault", src.ID},
		{"user invite", ""}, {"user invitations", ""}, {"user uninvite", "{invitation}"},
		{"follow add", src.ID + " --user bob --folder News"}, {"follow add", src.URL + " --user bob"}, {"follow list", "--user bob"},
		{"follow change", src.URL + " --user bob --muted --title Mine"}, {"follow read", "--user bob"},
		{"follow unread", "--user bob"}, {"follow mark", "{n} --unread --user bob"}, {"follow mark-all", "--source " + src.ID + " --user bob"},
		{"follow save", "{n} --user bob"}, {"follow saved", "--user bob"}, {"follow unsave", "{n} --user bob"},
		{"post add", picture + " https://img.example/a.png --caption Ferry --user bob"}, {"post list", "--user bob"}, {"post remove", "{post} --user bob"},
		{"app create", "phone --posts --user bob"}, {"app list", "--user bob"}, {"app revoke", "000000000000 --user bob"},
		{"follow export", "--user bob"}, {"follow import", list + " --user bob"}, {"follow remove", src.ID + " --user bob"},
		{"vote", "1 up --user bob"}, {"group add", "sport 1"}, {"group show", "sport"}, {"group list", ""}, {"search", "post --order relevance --since 1h --source " + src.ID}, {"list list", ""}, {"list show", "sport"}, {"list create", "front"}, {"list add", "front 1"}, {"list move", "front 1 --position 1"}, {"list remove", "front 1"}, {"list delete", "front"},
		{"community reports", "--most"}, {"community hide", news + "-1 --reason Spam"}, {"community hide", news}, {"community remove", news + "-1"}, {"community remove", news},
		{"community restore", news + "-1"}, {"community restore", news}, {"community held", ""}, {"community reject", news + " --reason Spam"}, {"community approve", news}, {"community dismiss", news + " --reason Fine"}, {"community reopen", news}, {"community lock", news},
		{"community unlock", news}, {"community ban", "carla"}, {"community bans", ""}, {"community unban", "carla"}, {"community invitations", "carla"}, {"community decisions", ""}, {"group remove", "sport 1"}, {"group delete", "sport"},
		{"user reset", "bob"}, {"user remove", "bob"}, {"token list", ""}, {"token create", "x --scope read"}, {"token revoke", "{token}"}, {"audit", ""},
		{"config daemon", ""},
		{"entry remove", "1"}, {"entry remove", "2 {noted}"}, {"entry expire", "feedwire:local/notes --keep 1"},
	}
	for _, line := range lines {
		mu.Lock()
		command = line.command
		mu.Unlock()
		arguments := names.Replace(line.args)
		if strings.Contains(arguments, "{noted}") {
			noted, err := d.app.store.Entries.EntryByGUID(t.Context(), feed.LocalURL("notes"), "1")
			if err != nil {
				t.Fatal(err)
			}
			arguments = strings.ReplaceAll(arguments, "{noted}", noted.Number())
		}
		args := append(strings.Fields(line.command+" "+arguments), "--server", front.URL)
		if line.command == "signals tail" {
			interrupted(t, func(term outputs) bool {
				d.do(http.MethodPost, "/api/v1/sources", map[string]string{"url": "http://127.0.0.1:1/" + fmt.Sprint(len(d.signals()))}, nil)
				return written(t, term.out) != ""
			}, args...)
			continue
		}
		if code, _, stderr := feedwire(t, args...); code != cli.ExitOK && !strings.Contains(stderr, " failed") && line.command != "webhook test" {
			t.Errorf("feedwire %s: exit code %d, %s", strings.Join(args, " "), code, stderr)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	named := make(map[string]bool)
	for route, op := range c.operations() {
		text, _ := op.Extensions["x-command"].(string)
		for _, line := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' }) {
			line = strings.TrimSpace(line)
			if !slices.Contains(used[line], op.OperationID) {
				t.Errorf("feedwire %s does not use %s, which names it; it uses %v", line, route, used[line])
			}
			named[strings.TrimSuffix(line, " --all")] = true
		}
	}
	each(new(cli.Program).Command(), func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "feedwire ")
		if cmd.Runnable() && !cmd.HasSubCommands() && cmd.Flag("server") != nil && !named[path] && !forOperators[path] {
			t.Errorf("feedwire %s has --server, and no operation names it", path)
		}
	})
}

// onePixel is an image.
const onePixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// forOperators are the commands that use what is below /-/, which is no part of the API.
var forOperators = map[string]bool{"reload": true, "doctor": true, "backup": true}

// each calls look with a command and all below it.
func each(cmd *cobra.Command, look func(*cobra.Command)) {
	look(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, look)
	}
}
