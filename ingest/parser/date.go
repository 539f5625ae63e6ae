package parser

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The libraries at hand read fewer dates: of the 65 forms in date_test.go, araddon/dateparse reads 34, takes zones like PDT
// and CEST for UTC without an error, guesses 06/10/2025, and is 4 to 9 times slower on the forms that most feeds use.

// dayLayouts are the forms of a day, with spaces instead of - and /.
var dayLayouts = []string{
	"2 Jan 2006", "2006 1 2", "Jan 2 2006", "20060102", "2.1.2006", "2 Jan 06", "2006 Jan 2", "Jan 2 06", "2006.1.2", "2006 01", "2006 002",
}

// exactLayouts are the most frequent forms of a date.
var exactLayouts = []string{
	time.RFC3339, "Mon, 2 Jan 2006 15:04:05 -0700", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05",
}

// spellings replaces the separators of Chinese, Japanese and Korean days, and the variants of am and pm.
var spellings = strings.NewReplacer("年", "-", "月", "-", "日", " ", "년 ", "-", "월 ", "-", "일", " ", "오전", "am", "오후", "pm",
	"a.m", "am", "p.m", "pm")

var (
	letters      = regexp.MustCompile(`\pL+\.?`)
	compactClock = regexp.MustCompile(`t(\d\d)(\d\d)(\d\d)`)
	dayWithZone  = regexp.MustCompile(`^([^:]*\s)(?:gmt|utc)?([+-][\d:]+)\s*$`)
	clockForm    = regexp.MustCompile(`\b(2[0-4]|[01]?\d):([0-5]?\d)\b(?::(60|[0-5]?\d)\b)?(\.\d*)?`)
	offsetForm   = regexp.MustCompile(`(?:^|\s)([+-](?:1[0-4]|0?\d)):?([0-5]\d)?\b`) // after a time of day
)

// parseDate parses dates in the forms of RFC 822, RFC 3339, asctime and similar ones, Unix seconds and milliseconds. A
// missing or unknown zone is UTC. It returns the zero time for an unknown form, and for an ambiguous date like 06/10/2025.
func parseDate(s string) time.Time {
	const shortest, longest = len("2006-01"), 100
	if s = strings.TrimSpace(s); len(s) < shortest { // most elements that may hold a date are missing
		return time.Time{}
	}
	if t, whole := exactDate(s); whole {
		return t
	}
	if len(s) > longest {
		return time.Time{}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && len(s) == 10 {
		return time.Unix(n, 0).UTC()
	} else if err == nil && len(s) == 13 {
		return time.UnixMilli(n).UTC()
	}
	s, _, _ = strings.Cut(s, "(") // a comment of RFC 822
	s = compactClock.ReplaceAllString(spellings.Replace(strings.ToLower(s)), " $1:$2:$3")
	s = dayWithZone.ReplaceAllString(s, "$1 00:00 $2")
	s, half := canonicalWords(s)
	var clock, offset time.Duration
	if parts := clockForm.FindStringSubmatch(s); parts != nil {
		before, after, _ := strings.Cut(s, parts[0])
		for _, zone := range offsetForm.FindAllStringSubmatch(after, -1) { // like GMT+0200, or +0200 CEST
			after = strings.Replace(after, zone[0], " ", 1)
			offset, _ = time.ParseDuration(zone[1] + "h" + cmp.Or(zone[2], "0") + "m")
		}
		clock, _ = time.ParseDuration(parts[1] + "h" + parts[2] + "m" + cmp.Or(parts[3], "0") + parts[4] + "s")
		switch {
		case half == "pm" && clock < 12*time.Hour:
			clock += 12 * time.Hour
		case half == "am" && parts[1] == "12": // 19:30 AM is 19:30
			clock -= 12 * time.Hour
		}
		s = before + " " + after
	}
	day := parseDay(s)
	if t := day.Add(clock - offset); !day.IsZero() && canBeWritten(t) {
		return t
	}
	return time.Time{}
}

// exactDate parses the forms that most documents use, much faster than parseDate does.
func exactDate(s string) (time.Time, bool) {
	if i := strings.LastIndexByte(s, ' ') + 1; i > 0 && s[i] >= 'A' {
		s = s[:i] + cmp.Or(zoneOffset(strings.ToLower(s[i:])), s[i:])
	}
	for _, layout := range exactLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), canBeWritten(t.UTC())
		}
	}
	return time.Time{}, false
}

// canBeWritten reports whether RFC 3339 can represent t: the year must have four digits.
func canBeWritten(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// canonicalWords replaces months by their English short forms and zones by offsets, and removes weekdays and other words of
// dates. half is am, pm or empty. Words that are not part of a date stay.
func canonicalWords(s string) (canonical, half string) {
	var out strings.Builder
	end := 0
	for _, at := range letters.FindAllStringIndex(s, -1) {
		word := strings.TrimSuffix(s[at[0]:at[1]], ".")
		out.WriteString(s[end:at[0]])
		end = at[1]
		if month := monthOf(word); month > 0 {
			out.WriteString(time.Month(month).String()[:3])
			continue
		}
		timed := strings.Contains(s[:at[0]], ":") // a zone follows a time of day
		switch zone := zoneOffset(word); {
		case word == "am" || word == "pm":
			half, word = word, ""
		case timed && zone != "":
			word = zone
		case at[0] == 0 || isFiller(word) || timed && len(word) <= 5: // a weekday in any language, or an unknown zone
			word = ""
		}
		out.WriteString(" " + word + " ")
	}
	return out.String() + s[end:], half
}

// isFiller reports whether a word in a date means nothing.
func isFiller(word string) bool {
	_, isDay := weekdayOf(word)
	return isDay || slices.Contains([]string{"t", "at", "on", "of", "the", "st", "nd", "rd", "th"}, word)
}

// parseDay parses a day without its time. It returns the zero time for an unknown form or an ambiguous day.
func parseDay(s string) time.Time {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,-/\t\n", r) })
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], ".")
	}
	s = strings.Join(parts, " ")
	for _, layout := range dayLayouts {
		if day, err := time.Parse(layout, s); err == nil {
			if strings.HasSuffix(layout, " 06") && day.Year() >= 2050 { // time.Parse reads 69 and more as 1969
				return day.AddDate(-100, 0, 0) // RFC 2822 section 4.3
			}
			return day
		}
	}
	if rest, ok := strings.CutPrefix(s, "Mar "); ok { // a weekday in French, Spanish and Italian
		return parseDay(rest)
	}
	european, err := time.Parse("2 1 2006", s)
	american, err2 := time.Parse("1 2 2006", s)
	switch {
	case err != nil:
		return american
	case err2 != nil || european.Equal(american):
		return european
	}
	return time.Time{}
}
