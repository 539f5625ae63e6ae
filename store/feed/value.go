package feed

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bare reports whether JSON holds the stored text of a value without quotes: a number, true or false.
func (f *Field) Bare() bool {
	return f.Kind == KindNumber || f.Kind == KindInteger || f.Kind == KindSeconds || f.Kind == KindBool
}

// Normalise returns the stored form of a value, or "" if the value is malformed. The caller has resolved URLs and removed
// markup from texts.
func (f *Field) Normalise(value string) string {
	value = strings.TrimSpace(value)
	switch f.Kind {
	case KindNumber, KindInteger:
		if f.Kind == KindInteger && strings.Contains(value, ".") {
			return ""
		}
		return number(value)
	case KindSeconds:
		return seconds(value)
	case KindBool:
		switch strings.ToLower(value) {
		case "yes", "true", "explicit":
			return "true"
		case "no", "false", "clean":
			return "false"
		}
		return ""
	case KindPoint, KindPoints:
		return points(value, f.Kind == KindPoint)
	case KindPolygon:
		return polygon(value)
	case KindLanguage:
		return Language(value)
	}
	return value
}

// Language returns a language tag with hyphens, or "" if it is not well-formed (RFC 5646 section 2.1) or begins with a word that no
// language has.
func Language(tag string) string {
	return languageTag.FindString(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"))
}

var languageTag = regexp.MustCompile(`^([A-Za-z]{2,3}|[ix]-[A-Za-z0-9]{1,8})(-[A-Za-z0-9]{1,8}){0,8}$`)

// number returns a decimal number without superfluous zeros before it.
func number(text string) string {
	for len(text) > 1 && text[0] == '0' && text[1] != '.' {
		text = text[1:]
	}
	if len(text) > 15 || strings.Trim(text, "0123456789.") != "" || !json.Valid([]byte(text)) {
		return ""
	}
	return text
}

// seconds returns the seconds of a duration such as "3723", "62:03" or "1:02:03". Zero means unknown.
func seconds(text string) string {
	total := 0.0
	for part := range strings.SplitSeq(text, ":") {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 || strings.Trim(part, "0123456789.") != "" {
			return ""
		}
		total = 60*total + n
	}
	if strings.Count(text, ":") > 2 || total < 1 || total > math.MaxInt32 {
		return ""
	}
	return strconv.FormatInt(int64(total), 10)
}

// points returns pairs of latitude and longitude, separated by single spaces.
func points(text string, single bool) string {
	all := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' || r == '\r' })
	if len(all) < 2 || len(all)%2 != 0 || single != (len(all) == 2) {
		return ""
	}
	for i, part := range all {
		limit := 90.0
		if i%2 == 1 {
			limit = 180
		}
		degrees, err := strconv.ParseFloat(part, 64)
		if err != nil || strings.Trim(part, "0123456789.+-") != "" || math.Abs(degrees) > limit {
			return ""
		}
		all[i] = strings.TrimPrefix(part, "+")
	}
	return strings.Join(all, " ")
}

// polygon returns three or more corners and the first of them again.
func polygon(text string) string {
	all := strings.Fields(points(text, false))
	if len(all) < 6 {
		return ""
	}
	if first := all[:2]; !slices.Equal(first, all[len(all)-2:]) {
		all = append(all, first...)
	}
	if len(all) < 8 {
		return ""
	}
	return strings.Join(all, " ")
}
