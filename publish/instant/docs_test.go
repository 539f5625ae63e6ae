package instant_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/instant"
)

// The manual names every class and property of rules and every code of warnings, and its examples are read without a
// warning.
func TestManual(t *testing.T) {
	data, err := os.ReadFile("../../docs/transformer.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(data)
	for _, word := range instant.Vocabulary() {
		if !strings.Contains(manual, "`"+word+"`") {
			t.Errorf("docs/transformer.md does not name %s", word)
		}
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(manual, -1)
	for _, example := range examples {
		if _, warnings, err := instant.ParseRules([]byte(example[1])); err != nil || len(warnings) > 0 || !json.Valid([]byte(example[1])) {
			t.Errorf("%s: %v %q", example[1], err, warnings)
		}
	}
	if len(examples) < 2 {
		t.Errorf("%d examples", len(examples))
	}
}
