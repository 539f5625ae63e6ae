package source

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// field is a field of a hash and the value that it stores.
type field[T any] struct {
	name string
	of   func(*T) any // pointer to one of the types that format and parse know
}

// The stored forms of lists.
type (
	commaList []string // feeds
	jsonList  []string // JSON
)

// format returns the stored form of a value; empty for the zero value.
func format(value any) string {
	var n int64
	switch v := value.(type) {
	case *string:
		return *v
	case *time.Time:
		return core.StampOrNone(*v)
	case *float64:
		if *v != 0 {
			return strconv.FormatFloat(*v, 'g', 6, 64)
		}
	case *commaList:
		return strings.Join(*v, ",")
	case *jsonList:
		return formatJSON(*v, len(*v))
	case *map[string]string:
		return formatJSON(*v, len(*v))
	case *feed.Filters:
		return v.String()
	case *bool:
		n = int64(core.Bit(*v))
	case *int:
		n = int64(*v)
	case *uint8:
		n = int64(*v)
	case *uint32:
		n = int64(*v)
	case *time.Duration:
		n = int64(*v / time.Second)
	}
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func formatJSON(value any, length int) string {
	if length == 0 {
		return ""
	}
	text, _ := json.Marshal(value) // strings always encode
	return string(text)
}

// parse decodes the stored form of a value. Damaged values become zero, but damaged filters become a filter that does not compile, so
// that polls fail instead of accepting every entry.
func parse(value any, text string) {
	switch v := value.(type) {
	case *string:
		*v = text
	case *bool:
		*v = text == "1"
	case *time.Time:
		*v = feed.ParseTime(text)
	case *float64:
		*v, _ = strconv.ParseFloat(text, 64)
	case *commaList:
		*v = slices.DeleteFunc(strings.Split(text, ","), func(s string) bool { return s == "" })
	case *jsonList, *map[string]string:
		_ = json.Unmarshal([]byte(text), v)
	case *feed.Filters:
		var err error
		if *v, err = feed.ParseFilters(text); err != nil {
			*v = feed.Filters{Keep: []feed.Filter{{Field: "damaged", Match: text}}}
		}
	default:
		n, _ := strconv.Atoi(text)
		switch v := value.(type) {
		case *int:
			*v = n
		case *uint8:
			*v = uint8(n)
		case *uint32:
			*v = uint32(n)
		case *time.Duration:
			*v = time.Duration(n) * time.Second
		}
	}
}

// readFields sets values from a hash.
func readFields[T any](fields []field[T], to *T, hash map[string]string) {
	for i := range fields {
		if text := hash[fields[i].name]; text != "" {
			parse(fields[i].of(to), text)
		}
	}
}

// formatFields returns the pairs of all fields.
func formatFields[T any](fields []field[T], of *T) (pairs []any) {
	for _, f := range fields {
		pairs = append(pairs, f.name, format(f.of(of)))
	}
	return pairs
}

// changedFields returns the pairs to set and the names to delete, so that a hash of was becomes one of is.
func changedFields[T any](fields []field[T], was, is *T) (set, unset []any) {
	for _, f := range fields {
		switch text := format(f.of(is)); text {
		case format(f.of(was)):
		case "":
			unset = append(unset, f.name)
		default:
			set = append(set, f.name, text)
		}
	}
	return set, unset
}
