package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// count is a whole number from low to high.
func count(p *int, low, high int) value {
	span := fmt.Sprintf("%d to %d", low, high)
	return single("whole number, "+span, func(s string) *Problem {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return wrong(quote(s)+" is not a whole number in range", "use "+span)
		}
		*p = n
		return nil
	}, func() string { return strconv.Itoa(*p) })
}

// duration is a time span from low to high.
func duration(p *time.Duration, low, high time.Duration) value {
	span := spell(low) + " to " + spell(high)
	return single("duration, "+span, func(s string) *Problem {
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return wrong(quote(s)+" is not a duration", "write it like 30s, 5m or 1h30m")
		case d < low || d > high:
			return wrong(quote(s)+" is out of range", "use "+span)
		}
		*p = d
		return nil
	}, func() string { return spell(*p) })
}

// durationOrNone is a duration, or 0 where another option decides.
func durationOrNone(p *time.Duration, low, high time.Duration) value {
	v := duration(p, low, high)
	span := v.set
	v.kind += ", or 0"
	v.set = func(texts []string) *Problem {
		if d, err := time.ParseDuration(texts[0]); err == nil && d == 0 {
			*p = 0
			return nil
		}
		return span(texts)
	}
	return v
}

// spell writes a duration without zero units at its end: 1h, not 1h0m0s.
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

// size is a number of bytes from low to high.
func size(p *int64, low, high int64) value {
	span := spellSize(low) + " to " + spellSize(high)
	return single("size, "+span, func(s string) *Problem {
		n, ok := parseSize(s)
		switch {
		case !ok:
			return wrong(quote(s)+" is not a size", "write it like 512KiB, 8MiB, 1GiB, or in plain bytes")
		case n < low || n > high:
			return wrong(quote(s)+" is out of range", "use "+span)
		}
		*p = n
		return nil
	}, func() string { return spellSize(*p) })
}

// parseSize reads "8MiB" or plain bytes; a number beyond 32 bits is refused, so that nothing overflows.
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

// spellSize writes a size in the largest unit that leaves no fraction.
func spellSize(bytes int64) string {
	n, units := bytes, []string{"", "KiB", "MiB", "GiB"}
	for n >= 1024 && n%1024 == 0 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	return strconv.FormatInt(n, 10) + units[0]
}
