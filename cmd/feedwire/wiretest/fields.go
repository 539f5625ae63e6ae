package wiretest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// Carried returns the fields of an entry that another one also has, and those that it lacks, by their names. It ignores title,
// link and texts, which feeds may change. A list may have further elements.
func Carried(want, got *feed.Entry) (carried, lacking []string) {
	was, is := normal(want), normal(got)
	for i := range feed.Fields {
		name := feed.Fields[i].Name
		switch {
		case was[name] == "" || slices.Contains([]string{"title", "link", "content", "summary"}, name):
		case contains(is[name], was[name]):
			carried = append(carried, name)
		default:
			lacking = append(lacking, name)
		}
	}
	return carried, lacking
}

// normal returns the hash of an entry. Its enclosures have their length as a number.
func normal(e *feed.Entry) map[string]string {
	hash := e.Fields()
	if files := e.Enclosures(); len(files) > 0 {
		hash[feed.FieldEnclosures] = feed.EncodeList(files)
	}
	return hash
}

// contains reports whether a value is equal to another, or is a list with all of its elements.
func contains(value, other string) bool {
	if value == other {
		return true
	}
	var all, wanted []any
	if json.Unmarshal([]byte(value), &all) != nil || json.Unmarshal([]byte(other), &wanted) != nil {
		return false
	}
	return !slices.ContainsFunc(wanted, func(one any) bool {
		return !slices.ContainsFunc(all, func(known any) bool { return reflect.DeepEqual(known, one) })
	})
}
