package config

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	yamlBlock   = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)^ *```")
	readersFile = regexp.MustCompile(`(_file: *)/[\w./-]+`) // of the reader
)

// Each block of YAML in the documentation is a configuration without a fault.
func TestConfigurationsOfTheDocumentation(t *testing.T) {
	pages, err := filepath.Glob("../docs/*/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("the documentation is not found: %v", err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range yamlBlock.FindAllSubmatch(text, -1) {
			path := filepath.Join(t.TempDir(), "feedwire.yaml")
			block := bytes.ReplaceAll(append([]byte("\n"), m[2]...), append([]byte("\n"), m[1]...), []byte("\n"))
			if err := os.WriteFile(path, readersFile.ReplaceAll(block, []byte("${1}"+secret)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(path, []string{"HOME=/home/wire"}, nil); err != nil {
				t.Errorf("%s: %v in\n%s", page, err, block)
			}
		}
	}
}
