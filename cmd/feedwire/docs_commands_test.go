package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// What stands for the reader's own in the examples.
const (
	exampleAddress = "http://127.0.0.1:8080"
	exampleSource  = "https://blog.example.org/feed.xml"
)

var (
	commandLine = regexp.MustCompile(`(?m)^\s*\$ (.+?)(?:\s{2,}#.*)?$`)
	exampleUUID = regexp.MustCompile(`1c2d…|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	exampleID   = regexp.MustCompile(`sources/[0-9a-f]{12}`)
	assignment  = regexp.MustCompile(`^[A-Z]+=`)
	goProgram   = regexp.MustCompile("(?s)```go\n(.+?)```")
)

// The command lines of README and documentation succeed as they stand there. Only the address of the daemon, the URL of
// the source and the names that follow from it are put in.
func TestReadmeCommands(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("the documentation is not found: %v", err)
	}
	paths := []string{"README.md", "CONTRIBUTING.md"}
	for _, page := range pages {
		paths = append(paths, "docs/"+filepath.Base(page))
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			lines := commandLine.FindAllStringSubmatch(readDoc(t, path), -1)
			if len(lines) == 0 {
				return
			}
			d, web, src := startFor(t)
			uuid := feed.ArticleUUID(src.URL, "p1")
			curlSettings(t)
			var variables string // shell, from the lines before
			for _, m := range lines {
				line := exampleUUID.ReplaceAllString(m[1], uuid)
				line = exampleID.ReplaceAllString(line, "sources/"+src.ID)
				line = strings.NewReplacer(exampleAddress, d.base, exampleSource, src.URL).Replace(line)
				t.Run(m[1], func(t *testing.T) {
					program, rest, _ := strings.Cut(line, " ")
					switch {
					case program == "make": // builds the program and runs this very test; CI runs both
					case program == "./bin/feedwire":
						runOurs(t, d, web, strings.Fields(rest))
					case program == "curl":
						runCurl(t, variables, line)
					case assignment.MatchString(line):
						variables += line + "\n"
					default:
						t.Errorf("this test does not know how to run it")
					}
				})
			}
		})
	}
}

// runOurs runs a command of ours; one that follows the news gets some, and is interrupted when it has told of them.
func runOurs(t *testing.T, d *daemon, web *origin, args []string) {
	t.Helper()
	if args[0] != "signals" {
		if must(t, args...) == "" {
			t.Error("it prints nothing")
		}
		return
	}
	n := 0
	code := interrupted(t, func(term terminal) bool {
		n++
		d.do(http.MethodPost, "/api/v1/sources", map[string]string{"url": fmt.Sprintf("%s/new%d", web.URL, n)}, nil)
		return written(t, term.out) != ""
	}, args...)
	if code != exitOK {
		t.Errorf("it ends with %d", code)
	}
}

// curlSettings makes curl fail where the daemon answers with an error, and end in any case.
func curlSettings(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	settings := "fail\nsilent\nshow-error\nmax-time = 20\nnoproxy = \"*\"\n"
	if err := os.WriteFile(filepath.Join(dir, ".curlrc"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CURL_HOME", dir)
}

func runCurl(t *testing.T, variables, line string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed, and the line is for those who have it:", err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", variables+"exec "+line)
	if strings.Contains(line, "/api/v1/events") {
		follows(t, cmd, "data: {")
	} else if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
		t.Errorf("it fails with %v: %s", err, out)
	}
}

// follows runs a program that does not end by itself until it has written a text.
func follows(t *testing.T, cmd *exec.Cmd, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed in the end
	}()
	defer func() {
		_ = cmd.Process.Kill()
		<-ended
	}()
	eventually(t, "what it should write", func() bool {
		select {
		case <-ended:
			t.Fatalf("it ended by itself: %s", written(t, path))
		default:
		}
		return strings.Contains(written(t, path), text)
	})
}

// The program in docs/api.md that follows the event stream builds and does so.
func TestProgramOfTheDocumentation(t *testing.T) {
	program := goProgram.FindStringSubmatch(readDoc(t, "docs/api.md"))
	if program == nil {
		t.Fatal("docs/api.md holds no Go program")
	}
	if !strings.Contains(program[1], exampleAddress) {
		t.Fatalf("it does not speak to %s", exampleAddress)
	}
	d := start(t, storetest.RedisAOF(t), "")
	web := newOrigin(t)
	src := d.add(web.URL+"/feed.xml", nil)

	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "follow")
	if err := os.WriteFile(source, []byte(strings.ReplaceAll(program[1], exampleAddress, d.base)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), "TOKEN="+d.token)
	follows(t, cmd, `"kind":"feed_created","feed_url":"`+src.URL+`"`)
}
