package ingest

import (
	"strings"
	"time"
)

// months holds the German, French, Spanish, Italian, Portuguese and Dutch names of the months that differ from the English
// ones, with their usual short forms.
var months = [12]string{
	"januar jänner janvier enero ene gennaio gen janeiro januari",
	"februar feber février févr fév fevrier febrero febbraio fevereiro fev februari",
	"märz mär mrz maerz mars marzo março marco maart mrt",
	"avril avr abril abr aprile",
	"mai mayo maggio mag maio mei",
	"juni juin junio giugno giu junho",
	"juli juillet juil julio luglio lug julho",
	"août aout aoû agosto ago augustus",
	"septembre septiembre settembre setembro set",
	"oktober okt octobre octubre ottobre ott outubro out",
	"novembre noviembre novembro",
	"dezember dez décembre déc diciembre dic dicembre dezembro december",
}

// monthOf returns the number of a month, or 0 if the word is no month. English names may be cut to three or more letters.
func monthOf(word string) int {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if len(word) >= 3 && strings.HasPrefix(name, word) {
			return int(m)
		}
	}
	for i, names := range months {
		for name := range strings.FieldsSeq(names) {
			if name == word {
				return i + 1
			}
		}
	}
	return 0
}

func isWeekday(word string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(d.String()), word) {
			return true
		}
	}
	return false
}

// zoneOffset returns the offset of a zone's abbreviation in seconds east of UTC. For ambiguous abbreviations it uses the
// meaning that is most common in feeds: IST is India's, CST and EST are North America's (RFC 822 section 5.1).
func zoneOffset(abbreviation string) (seconds int, known bool) {
	const hour = 3600
	switch abbreviation {
	case "z", "ut", "utc", "gmt", "wet":
		return 0, true
	case "bst", "cet", "met", "mez", "west", "wat":
		return hour, true
	case "cest", "mest", "mesz", "eet", "sast", "cat":
		return 2 * hour, true
	case "eest", "msk", "eat", "trt":
		return 3 * hour, true
	case "msd", "gst":
		return 4 * hour, true
	case "pkt":
		return 5 * hour, true
	case "ist":
		return 5*hour + hour/2, true
	case "ict", "wib":
		return 7 * hour, true
	case "awst", "hkt", "sgt", "pht":
		return 8 * hour, true
	case "jst", "kst":
		return 9 * hour, true
	case "acst":
		return 9*hour + hour/2, true
	case "aest":
		return 10 * hour, true
	case "acdt":
		return 10*hour + hour/2, true
	case "aedt":
		return 11 * hour, true
	case "nzst":
		return 12 * hour, true
	case "nzdt":
		return 13 * hour, true
	case "nst":
		return -3*hour - hour/2, true
	case "ndt":
		return -2*hour - hour/2, true
	case "brt", "art", "adt", "clst":
		return -3 * hour, true
	case "ast", "edt", "clt":
		return -4 * hour, true
	case "est", "cdt":
		return -5 * hour, true
	case "cst", "mdt":
		return -6 * hour, true
	case "mst", "pdt":
		return -7 * hour, true
	case "pst", "akdt":
		return -8 * hour, true
	case "akst":
		return -9 * hour, true
	case "hst":
		return -10 * hour, true
	}
	return 0, false
}
