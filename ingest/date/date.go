// Package date reads dates as feeds write them.
//
// The libraries at hand read fewer dates: of the 65 forms in date_test.go, araddon/dateparse reads 34, takes zones like PDT
// and CEST for UTC without an error, guesses 06/10/2025, and is 4 to 9 times slower on the forms that most feeds use.
package date

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// exactLayouts are the most frequent forms of a date, and those of digits only.
var exactLayouts = []string{
	time.RFC3339, "Mon, 2 Jan 2006 15:04:05 -0700", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05", "20060102150405",
	"200601021504", "2006",
}

// dayLayouts are the forms of a day, with spaces instead of other separators than the dots between numbers. The first day
// stands for a month or a year.
var dayLayouts = []string{
	"2 Jan 2006", "2006 1 2", "Jan 2 2006", "20060102", "2.1.2006", "2 Jan 06", "2006 Jan 2", "2006 2 Jan", "Jan 2 06", "2006.1.2",
	"2.1.06", "2006 002", "2006002", "2006 01", "Jan 2006",
}

// numberLayouts are the orders of a day, a month and a year in numbers.
var numberLayouts = []string{"2 1 2006", "1 2 2006", "2 1 06", "1 2 06", "06 1 2"}

// spellings replaces the separators of Chinese, Japanese and Korean dates, and what is not am or pm but means it.
var spellings = strings.NewReplacer("年", "-", "월 ", "-", "月", "-", "년 ", "-", "日", " ", "일", " ",
	"：", ":", "時", ":", "时", ":", "시 ", ":", "分", ":", "분 ", ":", "午前", "am ", "午後", "pm ", "上午", "am ", "下午", "pm ",
	"오전", "am ", "오후", "pm ", "π.μ.", "am", "μ.μ.", "pm")

// rewrites gives rare forms in lower case the shape of frequent ones, in this order.
var rewrites = []struct {
	form *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^(\d{4}):(\d\d):(\d\d)\b`), `$1-$2-$3`},                           // 2025:06:10 of Exif
	{regexp.MustCompile(`(\d\s?)t(\d\d)(z|[+-]|$)`), `$1 $2:00$3`},                         // T14Z
	{regexp.MustCompile(`(\d\s?)t(\d\d)(\d\d)(\d\d)?`), `$1 $2:$3:$4`},                     // T140500
	{regexp.MustCompile(`\b(\d\d?)\.\s+(\d\d?)\.\s+(\d{4})\b`), `$1.$2.$3`},                // 10. 6. 2025
	{regexp.MustCompile(`\b(1[3-9]|2\d|3[01])/(\d\d?)/(\d\d)([\s,]|$)`), `$1.$2.$3$4`},     // 25/12/17
	{regexp.MustCompile(`(\d{4}\D*\s)(\d\d?)\.(\d\d)(?:\.(\d\d))?(\s|$)`), `$1$2:$3:$4$5`}, // 10.6.2025 14.05
	{regexp.MustCompile(`(\d)\s?([ap])\.?\s?m\b\.?`), `$1 ${2}m`},                          // 2:05p.m.
	{regexp.MustCompile(`(\d)(\pL)`), `$1 $2`},                                             // 10Jun
	{regexp.MustCompile(`(\pL)(\d)`), `$1 $2`},                                             // Jun10
	{regexp.MustCompile(`(\d) h (\d\d)\b(?: min (\d\d) s\b)?`), `$1:$2:$3`},                // 14h05
	{regexp.MustCompile(`(\s\d\d?)( [ap]m| h| uhr)\b`), `$1:00$2`},                         // 2 pm
	{regexp.MustCompile(`(:\d\d) 00(?:00)?$`), `$1`},                                       // 14:05:00 0000
	{regexp.MustCompile(`^([^:]*\s)(?:gmt|utc)?([+-][\d:]+)\s*$`), `$1 00:00 $2`},          // 10 Jun 2025 +0200
}

var (
	epochForm   = regexp.MustCompile(`^(?:/Date\()?(-?\d{9,10}|-?\d{12,13})(?:\.\d*)?(?:[+-]\d{4})?(?:\)/)?$`)
	commentForm = regexp.MustCompile(`\([^()]*\)?`)
	weekForm    = regexp.MustCompile(`^(\d{4})-?w(\d\d)(?:-?([1-7]))?`)
	zoneName    = regexp.MustCompile(`\b[A-Z]\w+/[A-Z][\w/+-]+`) // Europe/Paris
	words       = regexp.MustCompile(`\pL[\pL\pM]*`)
	halfForm    = regexp.MustCompile(`(?:^|[\s\d])(?:(am|ص|pg)|(pm|م|ptg))(?:\s|$)`) // also in Arabic and Malay
	clockForm   = regexp.MustCompile(`\b(2[0-4]|[01]?\d):([0-5]?\d)\b(?::(60|[0-5]?\d)\b(?:[.,:](\d*))?)?`)
	offsetForm  = regexp.MustCompile(`(?:^|[\s\pL])-?([+-])(1[0-4]|0?\d):?([0-5]\d)?(?::\d\d)?\b`) // after a time of day
)

// Parse parses dates in the forms of RFC 822, RFC 3339, ISO 8601, asctime and similar ones, in many languages, and Unix
// seconds and milliseconds. A missing or unknown zone is UTC; a zone like ET has the offset of that date. It returns the
// zero time for an unknown form. Numbers must have one meaning: 12/25/2025 is a date, 06/10/2025 is none. A year of two digits
// is the last number, except that 17-12-22 may begin with it and is no date. With dots the day is before the month.
func Parse(s string) time.Time {
	const shortest, longest, mostNumbers = len("2006"), 70, 10
	if s = strings.TrimSpace(s); len(s) < shortest { // most elements that may hold a date are missing
		return time.Time{}
	}
	if t, whole := exactDate(s); whole {
		return t
	}
	noDigit := func(r rune) bool { return !unicode.IsDigit(r) }
	if n := len(strings.FieldsFunc(s, noDigit)); utf8.RuneCountInString(s) > longest || n == 0 || n > mostNumbers {
		return time.Time{}
	}
	if t := epoch(s); !t.IsZero() {
		return t
	}
	var named *time.Location
	if name := zoneName.FindString(s); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			named, s = zone, strings.Replace(s, name, "", 1)
		}
	}
	s = spellings.Replace(strings.Map(plainLower, s))
	comment := commentForm.FindString(s)
	s = weekToDay(commentForm.ReplaceAllString(s, " "))
	for _, r := range rewrites {
		s = r.form.ReplaceAllString(s, r.to)
	}
	before, clock, after := cutClock(s)
	after, offset := cutOffset(after)
	_, commented := cutOffset(comment)
	zone := cmp.Or(offset, named, zoneIn(after), commented, zoneIn(comment), time.UTC)
	day := parseDay(words.ReplaceAllStringFunc(before+" "+after, canonicalWord))
	t := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, int(clock/time.Second), int(clock%time.Second), zone).UTC()
	if day.IsZero() || !canBeWritten(t) {
		return time.Time{}
	}
	return t
}

// exactDate parses the forms that most documents use, much faster than parseDate does.
func exactDate(s string) (time.Time, bool) {
	if i := strings.LastIndexByte(s, ' ') + 1; i > 0 && s[i] >= 'A' {
		if offset := zones[strings.ToLower(s[i:])]; strings.ContainsAny(offset, "+-") {
			s = s[:i] + offset
		}
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

// epoch parses Unix seconds and milliseconds, and /Date(1749564300000)/ of .NET. It returns the zero time for anything else.
func epoch(s string) time.Time {
	parts := epochForm.FindStringSubmatch(s)
	if parts == nil {
		return time.Time{}
	}
	n, _ := strconv.ParseInt(parts[1], 10, 64)
	if len(strings.TrimPrefix(parts[1], "-")) > 10 {
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}

// plainLower returns a character of a date in lower case: digits of all scripts as 0 to 9, spaces of all widths as a space,
// and no invisible characters.
func plainLower(r rune) rune {
	for _, zero := range "٠۰०０" {
		if r >= zero && r <= zero+9 {
			return '0' + r - zero
		}
	}
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Cf, r):
		return -1
	case r == '−':
		return '-'
	}
	return unicode.ToLower(r)
}

// weekToDay replaces a week of ISO 8601 at the beginning by its day, which is Monday if it has none.
func weekToDay(s string) string {
	parts := weekForm.FindStringSubmatch(s)
	if parts == nil {
		return s
	}
	year, _ := strconv.Atoi(parts[1])
	week, _ := strconv.Atoi(parts[2])
	weekday, _ := strconv.Atoi(cmp.Or(parts[3], "1"))
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // always in the first week
	day := fourth.AddDate(0, 0, 7*(week-1)+weekday-1-(int(fourth.Weekday())+6)%7)
	if _, w := day.ISOWeek(); w != week {
		return s
	}
	return day.Format(time.DateOnly) + s[len(parts[0]):]
}

// cutClock returns the time of day and the text around it. Without one, all is before.
func cutClock(s string) (before string, clock time.Duration, after string) {
	parts := clockForm.FindStringSubmatch(s)
	if parts == nil {
		return s, 0, ""
	}
	clock, _ = time.ParseDuration(parts[1] + "h" + parts[2] + "m" + cmp.Or(parts[3], "0") + "." + cmp.Or(parts[4], "0") + "s")
	switch half := halfForm.FindStringSubmatch(s); {
	case half == nil:
	case half[2] != "" && clock < 12*time.Hour:
		clock += 12 * time.Hour
	case half[1] != "" && parts[1] == "12": // 19:30 AM is 19:30
		clock -= 12 * time.Hour
	}
	before, after, _ = strings.Cut(s, parts[0])
	return before, clock, after
}

// cutOffset removes offsets from UTC and returns the last one, or nil.
func cutOffset(s string) (rest string, zone *time.Location) {
	for _, parts := range offsetForm.FindAllStringSubmatch(s, -1) { // like GMT+0200, or +0000 +0200
		offset, _ := time.ParseDuration(parts[1] + parts[2] + "h" + cmp.Or(parts[3], "0") + "m")
		s, zone = strings.Replace(s, parts[0], " ", 1), time.FixedZone("", int(offset.Seconds()))
	}
	return s, zone
}

// parseDay parses a day without its time. It returns the zero time for an unknown form or an ambiguous day.
func parseDay(s string) time.Time {
	var parts []string
	separator := func(r rune) bool { return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for part := range strings.FieldsFuncSeq(s, separator) {
		if part = strings.Trim(part, "."); part != "" {
			parts = append(parts, part)
		}
	}
	s = strings.Join(parts, " ")
	for _, layout := range dayLayouts {
		if day := dayIn(layout, s); !day.IsZero() {
			return day
		}
	}
	if len(parts) > 1 && unicode.IsLetter(rune(s[0])) { // a weekday like the French mar. reads as a month
		return parseDay(strings.Join(parts[1:], " "))
	}
	var only time.Time
	for _, layout := range numberLayouts {
		switch day := dayIn(layout, s); {
		case only.IsZero():
			only = day
		case !day.IsZero() && !day.Equal(only):
			return time.Time{}
		}
	}
	return only
}

// dayIn parses a day in a layout. It returns the zero time if the day is not of that form.
func dayIn(layout, s string) time.Time {
	day, err := time.Parse(layout, s)
	switch {
	case err != nil:
		return time.Time{}
	case !strings.Contains(layout, "2006") && day.Year() >= 2050: // time.Parse reads 69 and more as 1969
		return day.AddDate(-100, 0, 0) // RFC 2822 section 4.3
	}
	return day
}
