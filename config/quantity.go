package config

import (
	"strconv"
	"strings"
	"time"
)

// number returns a value in a range such as "1s to 10m" or "1s to 10m, or 0". The hint explains how to write one.
func number[T int | int64 | time.Duration](p *T, noun, hint, span string, parse func(string) (T, bool), spell func(T) string) value {
	bounds, orZero := strings.CutSuffix(span, ", or 0")
	first, last, _ := strings.Cut(bounds, " to ")
	low, _ := parse(first)
	high, _ := parse(last)
	return single(noun+", "+span, func(s string) *Problem {
		n, ok := parse(s)
		switch {
		case !ok:
			return wrong(quote(s)+" is not a "+noun, hint)
		case (n < low || n > high) && (n != 0 || !orZero):
			return wrong(quote(s)+" is out of range", "use "+span)
		}
		*p = n
		return nil
	}, func() string { return spell(*p) })
}

func parseCount(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func spellCount(n int) string { return strconv.Itoa(n) }

func parseDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// spell formats a duration without zero units at its end: 1h, not 1h0m0s.
func spell(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// parseSize parses "8MiB" or plain bytes. It rejects numbers of more than 32 bits, so that nothing overflows.
func parseSize(s string) (bytes int64, ok bool) {
	shift := 0
	for unit, bits := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, found := strings.CutSuffix(s, unit); found {
			s, shift = strings.TrimSpace(rest), bits
			break
		}
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return int64(n) << shift, err == nil
}

// spellSize formats a size in the largest unit that leaves no fraction.
func spellSize(bytes int64) string {
	n, units := bytes, []string{"", "KiB", "MiB", "GiB"}
	for n >= 1024 && n%1024 == 0 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	return strconv.FormatInt(n, 10) + units[0]
}
