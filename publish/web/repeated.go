package web

import (
	"encoding/json"
	"strings"
)

// object is an object or a list in JSON that has not ended.
type object struct {
	name string          // of the member whose value it is; empty: it has none
	keys map[string]bool // so far, in one case; nil: it is a list
}

// repeatedKey returns the path of the first key that is there twice in an object of a JSON document, such as request.headers.accept; empty:
// there is none. Keys in another case are the same, as for encoding/json, which takes the last.
func repeatedKey(document []byte) string {
	var open []object
	var key string
	expectsKey := false
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '{', '[':
			next := object{name: key}
			if expectsKey = document[i] == '{'; expectsKey {
				next.keys = make(map[string]bool)
			}
			open, key = append(open, next), ""
		case '}', ']':
			open, key, expectsKey = open[:len(open)-1], "", false
		case ',':
			expectsKey = open[len(open)-1].keys != nil
		case '"':
			end := endOfString(document, i)
			if expectsKey {
				_ = json.Unmarshal(document[i:end], &key) // it was decoded before
				keys, one := open[len(open)-1].keys, inOneCase(key)
				if keys[one] {
					return pathOf(open, key)
				}
				keys[one], expectsKey = true, false
			}
			i = end - 1
		}
	}
	return ""
}

// inOneCase returns a text in the case in which keys are compared.
func inOneCase(key string) string { return strings.ToLower(strings.ToUpper(key)) }

// endOfString returns where the string ends that begins at a place in a JSON document.
func endOfString(document []byte, i int) int {
	for i++; document[i] != '"'; i++ {
		if document[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// pathOf returns the path of a key of the last object.
func pathOf(open []object, key string) string {
	var path []string
	for _, o := range open {
		if o.name != "" {
			path = append(path, o.name)
		}
	}
	return strings.Join(append(path, key), ".")
}
