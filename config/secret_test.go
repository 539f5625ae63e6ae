package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/feedwire/feedwire/config"
)

const hidden = "s3cr3t"

func TestSecretsAreNeverSeen(t *testing.T) {
	c := mustLoad(t, `
api: {token: `+hidden+`-token-of-tests}
store: {redis: "redis://user:`+hidden+`@db.example.org:6379/1"}
feeds: {production: {auth: {username: u, password: `+hidden+`}}}
`, nil)
	if c.API.Token.Reveal() != hidden+"-token-of-tests" || c.Outgoing()[0].Password != hidden {
		t.Fatal("the secrets were not read")
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "%v %+v %#v %s %q %d\n", c, c, *c, c.API, c.API.Token, c.API.Token)
	for _, handler := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(handler).Info("configuration", "config", c, "token", c.API.Token)
	}
	for _, encode := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		out, err := encode(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(out)
	}
	b.WriteString(shown(t, c))
	if strings.Contains(b.String(), hidden) {
		t.Errorf("a secret is seen:\n%s", b.String())
	}
	for _, want := range []string{"redis://••••@db.example.org:6379/1", "api.token: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, b.String())
		}
	}
}

func TestProblemsDoNotRepeatSecrets(t *testing.T) {
	for _, file := range []string{
		"api: {token: \"" + hidden + " x\"}",
		"store: {redis: \"http://u:" + hidden + "@h\"}",
		"store: {redis: \"redis://u:" + hidden + "%@h\"}",
		"store: {redis: \"redis://h:" + hidden + "\"}",
		"api: {token: \"" + hidden + "}",
		"api: {token: [" + hidden + "]}",
		"api: {token: &a " + hidden + "}",
		"api:\n  token: " + hidden + "\n   x: 1",
		"sources: [\"https://u:" + hidden + "@h/\"]",
		"sources: [\"https://u:" + hidden + "%@h/\"]",
		"public_url: https://u:" + hidden + "@h/",
		"feeds: {a: {auth: {username: u, password: \"" + hidden + "\\n\"}}}",
	} {
		_, err := load(t, file, nil)
		if err == nil || strings.Contains(err.Error(), hidden) {
			t.Errorf("%s: got %v", file, err)
		}
	}
}

func TestSecretsComeFromFiles(t *testing.T) {
	put := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tok, red, pass := put("token", "a-token-of-the-tests\r\n"), put("redis", "redis://:p@h\n"), put("password", " two words \n")
	file := fmt.Sprintf("store: {redis_file: %s}\nfeeds: {a: {auth: {username: u, password_file: %s}}}", red, pass)
	c := mustLoad(t, file, nil, "--api-token-file", tok)
	if c.API.Token.Reveal() != "a-token-of-the-tests" || c.Store.Redis.Reveal() != "redis://:p@h" || c.Outgoing()[0].Password != " two words " {
		t.Errorf("got %q, %q, %q", c.API.Token.Reveal(), c.Store.Redis.Reveal(), c.Outgoing()[0].Password)
	}
	line := shownLine(t, c, "api.token:")
	if !strings.Contains(line, "••••") || !strings.HasSuffix(line, "# flag --api-token-file") {
		t.Errorf("got %q", line)
	}

	for name, file := range map[string]string{
		"is empty":                     put("empty", "\n"),
		"is larger than 64KiB":         put("large", strings.Repeat("x", 64<<10+1)),
		"cannot be read":               t.TempDir(),
		"spaces or characters":         put("spaces", "a b"),
		"fewer than 16 characters":     put("short", "a-token"),
		"contains spaces or character": put("binary", "\x00"),
	} {
		_, err := load(t, "", []string{"FEEDWIRE_API_TOKEN_FILE=" + file})
		if problems := config.Problems(err); len(problems) != 1 || !strings.Contains(problems[0].Reason, name) {
			t.Errorf("%s: got %+v", name, problems)
		}
	}
}

func TestSecretGivenTwiceIsRefused(t *testing.T) {
	const good = "a-token-of-the-tests"
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, file string
		args       []string
		ok         bool
	}{
		{"both in the file", "api: {token: " + good + ", token_file: " + path + "}", nil, false},
		{"the other way round", "api: {token_file: " + path + ", token: " + good + "}", nil, false},
		{"a flag beside the file", "api: {token_file: " + path + "}", []string{"--api-token=" + good}, false},
		{"the same one again", "api: {token: " + good + "}", []string{"--api-token=" + good + "2"}, true},
		{"the same file again", "api: {token_file: " + path + "}", []string{"--api-token-file=" + path}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file, nil, tt.args...)
			if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "given twice") {
				t.Errorf("got %v, want accepted: %v", err, tt.ok)
			}
		})
	}
}
