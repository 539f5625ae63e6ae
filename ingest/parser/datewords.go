package parser

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

// weekdayOf reads the English name of a weekday in lower case, cut to three or more letters.
func weekdayOf(word string) (day time.Weekday, known bool) {
	for day = time.Sunday; day <= time.Saturday; day++ {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(day.String()), word) {
			return day, true
		}
	}
	return 0, false
}

// zones maps offsets in minutes east of UTC to the abbreviations of zones. Ambiguous abbreviations have the meaning that is
// most common in feeds: IST is India's, CST and EST are North America's (RFC 822 section 5.1).
var zones = []struct {
	minutes       int
	abbreviations string
}{
	{0, "z ut utc gmt wet"}, {60, "bst cet met mez west wat"}, {120, "cest mest mesz eet sast cat"}, {180, "eest msk eat trt"},
	{240, "msd gst"}, {300, "pkt"}, {330, "ist"}, {420, "ict wib"}, {480, "awst hkt sgt pht"}, {540, "jst kst"}, {570, "acst"},
	{600, "aest"}, {630, "acdt"}, {660, "aedt"}, {720, "nzst"}, {780, "nzdt"}, {-150, "ndt"}, {-180, "brt art adt clst"}, {-210, "nst"},
	{-240, "ast edt clt"}, {-300, "est cdt"}, {-360, "cst mdt"}, {-420, "mst pdt"}, {-480, "pst akdt"}, {-540, "akst"}, {-600, "hst"},
}

// zoneOffset returns the offset of a zone's abbreviation in seconds east of UTC.
func zoneOffset(abbreviation string) (seconds int, known bool) {
	for _, zone := range zones {
		for name := range strings.FieldsSeq(zone.abbreviations) {
			if name == abbreviation {
				return zone.minutes * 60, true
			}
		}
	}
	return 0, false
}
