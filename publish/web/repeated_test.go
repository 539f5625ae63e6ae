package web

import (
	"encoding/json"
	"testing"
)

func TestRepeatedKeysHaveAPath(t *testing.T) {
	for document, want := range map[string]string{
		`{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}], "d": "a", "e": ["a", "a"]}`: "", `[]`: "", `"a"`: "", ` null `: "", `{}`: "",
		`{"a": 1, "b": 2, "a": 3}`: "a", `{"url": 1, "URL": 2}`: "URL", `{"a": 1, "\u0061": 2}`: "a", `{"kind": 1, "` + "\u212a" + `ind": 2}`: "\u212aind",
		`{"a": {"b": [[{"c": "}\"{", "d": 1, "c": 2}]]}}`: "a.b.c", `{"a\\": 1, "b": "\\", "b": 2}`: "b", `{"": 1, "x": [], "": 2}`: "",
		`{"a": {"x": 1}, "b": {"x": 1, "x": 1}}`: "b.x", `{"a": [1, {"b": 1}, 2], "a": 1}`: "a", `{"a": [{}, {"b": 1}], "c": {"b": 1, "d": 1, "d": 1}}`: "c.d", `{"a": [{"b": 1}, {"c": 1, "c": 2}]}`: "a.c",
	} {
		if got := repeatedKey([]byte(document)); got != want {
			t.Errorf("%s: got %q, want %q", document, got, want)
		}
	}
}

func FuzzRepeatedKey(f *testing.F) {
	f.Add(`{"a": [{"b\"": 1}], "c": {"b": [], "d": "{"}}`)
	f.Fuzz(func(t *testing.T, document string) {
		var value any
		if json.Unmarshal([]byte(document), &value) != nil {
			return
		}
		if written, _ := json.Marshal(value); repeatedKey(written) != "" && inOneCase(string(written)) == string(written) {
			t.Errorf("%s has no repeated key", written)
		}
		repeatedKey([]byte(document)) // does not panic
	})
}
