package parser

import (
	"strconv"
	"strings"
	"time"
)

// The libraries at hand read fewer dates: of the 65 forms in date_test.go, araddon/dateparse reads 34, takes zones like PDT
// and CEST for UTC without an error, guesses 06/10/2025, and is 4 to 9 times slower on the forms that most feeds use.

// asianDate replaces the separators of Chinese, Japanese and Korean dates.
var asianDate = strings.NewReplacer("年", "-", "月", "-", "日", " ", "년 ", "-", "월 ", "-", "일", " ", "오전", "am", "오후", "pm")

// parseDate parses dates in the forms of RFC 822, RFC 3339, asctime and similar ones, Unix seconds and milliseconds. A
// missing or unknown zone is UTC. decided is false for an unknown form. It is true with the zero time for an ambiguous
// date such as 06/10/2025.
func parseDate(s string) (t time.Time, decided bool) {
	s = strings.TrimSpace(s)
	if t, whole := exactDate(s); whole {
		return t, true
	}
	s = strings.ToLower(s)
	if len(s) > 100 {
		return t, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		switch {
		case len(s) == 8:
			var d dateParts
			if !d.takeDay(s) {
				return t, false
			}
			return d.time()
		case len(s) == 10:
			return time.Unix(n, 0).UTC(), true
		case len(s) == 13:
			return time.UnixMilli(n).UTC(), true
		}
		return t, false
	}
	if i := strings.IndexByte(s, '('); i > 0 { // a comment of RFC 822
		s = strings.TrimSpace(s[:i])
	}
	s = asianDate.Replace(s)
	var d dateParts
	for i, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }) {
		if !d.take(word) && (i > 0 || strings.ContainsAny(word, "0123456789")) { // the first may be a weekday in any language
			return t, false
		}
	}
	if d.ambiguous {
		return t, true
	}
	return d.time()
}

// exactDate parses the two standard forms that most documents use, much faster than parseDate does.
func exactDate(s string) (time.Time, bool) {
	if len(s) < len(time.RFC3339)-len("07:00") {
		return time.Time{}, false
	}
	layout := "Mon, 02 Jan 2006 15:04:05 -0700"
	switch {
	case s[0] >= '0' && s[0] <= '9':
		layout = time.RFC3339
	case strings.HasSuffix(s, " GMT"):
		layout = "Mon, 02 Jan 2006 15:04:05 GMT"
	}
	t, err := time.Parse(layout, s)
	t = t.UTC()
	return t, err == nil && canBeWritten(t)
}

// canBeWritten reports whether RFC 3339 can represent t: the year must have four digits.
func canBeWritten(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// dateParts collects the parts of a date while its words are read.
type dateParts struct {
	year, month, day        int
	hour, min, sec, nsec    int
	afternoon, morning      bool
	clocked, ambiguous, set bool // a time of day was read; the date is like 06/10/2025; a year was read
	tuesday                 bool // the month is "mar", which is also a weekday in French, Spanish and Italian
	offset                  int  // of the zone, in seconds east of UTC
}

// take reads one word and reports whether it is part of a date.
func (d *dateParts) take(word string) bool {
	first := word[0]
	switch {
	case first == '+' || first == '-':
		return d.takeOffset(word)
	case first >= '0' && first <= '9':
		return d.takeNumber(word)
	}
	return d.takeName(word)
}

// takeName reads a month, weekday, am, pm or zone.
func (d *dateParts) takeName(word string) bool {
	word = strings.TrimSuffix(word, ".")
	if month := monthOf(word); month > 0 && (d.month == 0 || d.tuesday) {
		d.month, d.tuesday = month, word == "mar"
		return true
	}
	switch word {
	case "am", "a.m":
		d.morning = true
		return true
	case "pm", "p.m":
		d.afternoon = true
		return true
	case "at", "on", "of", "the":
		return true
	}
	if _, ok := weekdayOf(word); ok {
		return true
	}
	if i := strings.IndexAny(word, "+-"); i > 0 && (word[:i] == "gmt" || word[:i] == "utc") {
		return d.takeOffset(word[i:])
	}
	if offset, known := zoneOffset(word); known && d.clocked {
		d.offset = offset
		return true
	}
	return d.clocked && len(word) <= 5 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" // an unknown zone
}

// takeNumber reads a word that begins with a digit: a date, time of day, day or year.
func (d *dateParts) takeNumber(word string) bool {
	word = strings.TrimSuffix(word, ".")
	colon := strings.IndexByte(word, ':')
	if t := strings.IndexByte(word, 't'); t >= 8 && t <= 10 { // 2006-01-02T15:04:05, 20060102T150405
		return d.takeDay(word[:t]) && d.takeClock(word[t+1:])
	}
	switch {
	case colon > 0 && colon <= 2:
		return d.takeClock(word)
	case strings.ContainsAny(word, "-/."):
		return d.takeDay(word)
	}
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, suffix)
	}
	n, err := strconv.Atoi(word)
	switch {
	case err != nil:
		return false
	case d.day == 0 && len(word) <= 2:
		d.day = n
	case !d.set:
		d.setYear(word, n)
	default:
		return false
	}
	return true
}

// setYear reads a year of two or four digits (RFC 2822 section 4.3).
func (d *dateParts) setYear(word string, n int) {
	switch {
	case len(word) <= 2 && n < 50:
		n += 2000
	case len(word) <= 3:
		n += 1900
	}
	d.year, d.set = n, true
}

// takeDay reads a day written as one word: 2006-01-02, 2006/01/02, 20060102, 02-Jan-2006, 02.01.2006, 02/01/2006.
func (d *dateParts) takeDay(word string) bool {
	if len(word) == 8 && strings.Trim(word, "0123456789") == "" {
		word = word[:4] + "-" + word[4:6] + "-" + word[6:]
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if len(parts) == 2 {
		return d.takePartial(parts[0], parts[1])
	}
	if len(parts) != 3 {
		return false
	}
	if month := monthOf(parts[1]); month > 0 {
		day, err := strconv.Atoi(parts[0])
		year, err2 := strconv.Atoi(parts[2])
		d.day, d.month = day, month
		d.setYear(parts[2], year)
		return err == nil && err2 == nil
	}
	var n [3]int
	for i, part := range parts {
		var err error
		if n[i], err = strconv.Atoi(part); err != nil {
			return false
		}
	}
	switch {
	case len(parts[0]) == 4:
		d.year, d.month, d.day = n[0], n[1], n[2]
	case len(parts[2]) != 4:
		return false
	case strings.Contains(word, ".") || n[0] > 12 || n[0] == n[1]: // a dot is European: day first
		d.day, d.month, d.year = n[0], n[1], n[2]
	case n[1] > 12:
		d.month, d.day, d.year = n[0], n[1], n[2]
	default:
		d.ambiguous = true
	}
	d.set = true
	return true
}

// takePartial reads 2006-01, a month, and 2006-335, a day of the year (ISO 8601).
func (d *dateParts) takePartial(year, rest string) bool {
	y, err := strconv.Atoi(year)
	n, err2 := strconv.Atoi(rest)
	if err != nil || err2 != nil || len(year) != 4 || n < 1 {
		return false
	}
	switch {
	case len(rest) == 2:
		d.month, d.day = n, 1
	case len(rest) == 3 && n <= 366:
		day := time.Date(y, time.January, n, 0, 0, 0, 0, time.UTC)
		d.month, d.day = int(day.Month()), day.Day()
	default:
		return false
	}
	d.year, d.set = y, true
	return true
}

// takeClock reads 15:04, 15:04:05, 15:04:05.000, 150405, each optionally followed by a zone, am or pm.
func (d *dateParts) takeClock(word string) bool {
	end := strings.IndexFunc(word, func(r rune) bool { return (r < '0' || r > '9') && r != ':' && r != '.' })
	zone := ""
	if end >= 0 {
		word, zone = word[:end], word[end:]
	}
	word, fraction, _ := strings.Cut(word, ".")
	if len(word) == 6 && !strings.Contains(word, ":") {
		word = word[:2] + ":" + word[2:4] + ":" + word[4:]
	}
	parts := strings.Split(word, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return false
	}
	for i, into := range []*int{&d.hour, &d.min, &d.sec}[:len(parts)] {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n > 60 {
			return false
		}
		*into = n
	}
	if fraction != "" {
		n, err := strconv.Atoi((fraction + "000000000")[:9])
		if err != nil {
			return false
		}
		d.nsec = n
	}
	d.clocked = true
	return zone == "" || d.take(zone)
}

// takeOffset reads +hhmm, +hh:mm, +hmm and +hh.
func (d *dateParts) takeOffset(word string) bool {
	digits := strings.Replace(word[1:], ":", "", 1)
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || len(digits) > 4 {
		return false
	}
	if len(digits) <= 2 {
		n *= 100
	}
	d.offset = n/100*3600 + n%100*60
	if word[0] == '-' {
		d.offset = -d.offset
	}
	return true
}

// time returns the date. 24:00:00 is the start of the next day, and a leap second that of the next minute.
func (d *dateParts) time() (time.Time, bool) {
	if !d.set || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 || d.hour > 24 || d.min > 59 || d.offset > 14*3600 ||
		d.offset < -14*3600 {
		return time.Time{}, false
	}
	if time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Day() != d.day {
		return time.Time{}, false // 30 February
	}
	hour := d.hour
	switch {
	case d.afternoon && hour < 12:
		hour += 12
	case d.morning && hour == 12:
		hour = 0
	}
	t := time.Date(d.year, time.Month(d.month), d.day, hour, d.min, d.sec, d.nsec, time.UTC)
	t = t.Add(-time.Duration(d.offset) * time.Second)
	if !canBeWritten(t) {
		return time.Time{}, false
	}
	return t, true
}
