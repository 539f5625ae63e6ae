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
		if isCut(word, m.String()) {
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

// isCut reports whether a word in lower case is a name or its beginning, of three or more letters.
func isCut(word, name string) bool {
	return len(word) >= 3 && len(word) <= len(name) && strings.EqualFold(word, name[:len(word)])
}

// weekdayOf reads the English name of a weekday in lower case, cut to three or more letters.
func weekdayOf(word string) (day time.Weekday, known bool) {
	for day = time.Sunday; day <= time.Saturday; day++ {
		if isCut(word, day.String()) {
			return day, true
		}
	}
	return 0, false
}

// zones maps offsets to the abbreviations of zones. Ambiguous abbreviations have the meaning that is most common in feeds:
// IST is India's, CST and EST are North America's (RFC 822 section 5.1).
var zones = []struct{ offset, abbreviations string }{
	{"+0000", "z ut utc gmt wet"}, {"+0100", "bst cet met mez west wat"}, {"+0200", "cest mest mesz eet sast cat"},
	{"+0300", "eest msk eat trt"}, {"+0400", "msd gst"}, {"+0500", "pkt"}, {"+0530", "ist"}, {"+0700", "ict wib"},
	{"+0800", "awst hkt sgt pht"}, {"+0900", "jst kst"}, {"+0930", "acst"}, {"+1000", "aest"}, {"+1030", "acdt"}, {"+1100", "aedt"},
	{"+1200", "nzst"}, {"+1300", "nzdt"}, {"-0230", "ndt"}, {"-0300", "brt art adt clst"}, {"-0330", "nst"}, {"-0400", "ast edt clt"},
	{"-0500", "est cdt"}, {"-0600", "cst mdt"}, {"-0700", "mst pdt"}, {"-0800", "pst akdt"}, {"-0900", "akst"}, {"-1000", "hst"},
}

// zoneOffset returns the offset of a zone's abbreviation, or "".
func zoneOffset(abbreviation string) string {
	for _, zone := range zones {
		for name := range strings.FieldsSeq(zone.abbreviations) {
			if name == abbreviation {
				return zone.offset
			}
		}
	}
	return ""
}
