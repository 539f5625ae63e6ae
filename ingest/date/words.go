package date

import (
	_ "embed"
	"strings"
	"time"
	_ "time/tzdata" // the zones of zoneList, on machines that have none
)

// monthList has a line for each language: its code, and for each month the names of the Unicode CLDR that are not English, or
// "-". It omits names that mean another month in another language, such as listopad.
//
//go:embed months.txt
var monthList string

// months maps the names of the months in lower case.
var months = readMonths()

func readMonths() map[string]time.Month {
	m := make(map[string]time.Month)
	for line := range strings.Lines(monthList) {
		for i, names := range strings.Fields(line)[1:] {
			for name := range strings.SplitSeq(names, "|") {
				m[name] = time.Month(i + 1)
			}
		}
	}
	for month := time.January; month <= time.December; month++ {
		name := strings.ToLower(month.String())
		for n := 3; n <= len(name); n++ {
			m[name[:n]] = month
		}
	}
	return m
}

// canonicalWord returns the English short form of a month, and a space for all other words.
func canonicalWord(word string) string {
	if month, ok := months[word]; ok {
		return " " + month.String()[:3] + " "
	}
	return " "
}

// zoneList maps abbreviations to the offset of their zone, or to its name if the abbreviation does not tell summer from winter.
// Ambiguous abbreviations have the meaning that is most common in feeds: IST is India's, CST and EST are North America's (RFC
// 822 section 5.1). A single letter is UTC, as in RFC 2822 section 4.3.
var zoneList = []struct{ zone, abbreviations string }{
	{"America/New_York", "et"}, {"America/Chicago", "ct"}, {"America/Denver", "mt"}, {"America/Los_Angeles", "pt"},
	{"America/Anchorage", "akt"}, {"America/Halifax", "at"}, {"America/St_Johns", "nt"},
	{"+0000", "z ut utc gmt wet egst"}, {"+0100", "bst cet met mez west wat"}, {"+0200", "cest mest mesz eet sast cat"},
	{"+0300", "eest msk eat trt idt"}, {"+0330", "irst"}, {"+0400", "msd gst samt azt get"}, {"+0430", "aft irdt"},
	{"+0500", "pkt yekt uzt"}, {"+0530", "ist"}, {"+0545", "npt"}, {"+0600", "omst"}, {"+0630", "mmt"}, {"+0700", "ict wib krat novt"},
	{"+0800", "awst hkt sgt pht myt wita irkt"}, {"+0900", "jst kst wit yakt"}, {"+0930", "acst"}, {"+1000", "aest vlat chst"},
	{"+1030", "acdt"}, {"+1100", "aedt magt"}, {"+1200", "nzst pett fjt"}, {"+1300", "nzdt"}, {"-0100", "azot cvt"}, {"-0200", "brst"},
	{"-0230", "ndt"}, {"-0300", "brt art adt clst uyt gft"}, {"-0330", "nst"}, {"-0400", "ast edt clt bot vet"}, {"-0500", "est cdt cot pet"},
	{"-0600", "cst mdt"}, {"-0700", "mst pdt"}, {"-0800", "pst akdt"}, {"-0900", "akst hdt"}, {"-1000", "hst"}, {"-1100", "sst"},
}

// zones maps the abbreviations of zoneList in lower case.
var zones = readZones()

func readZones() map[string]string {
	m := make(map[string]string)
	for _, z := range zoneList {
		for abbreviation := range strings.FieldsSeq(z.abbreviations) {
			m[abbreviation] = z.zone
		}
	}
	return m
}

// zoneIn returns the zone of the first abbreviation in a text, or nil.
func zoneIn(s string) *time.Location {
	for _, word := range words.FindAllString(s, -1) {
		zone, known := zones[word]
		if !known {
			continue
		}
		if t, err := time.Parse("-0700", zone); err == nil {
			return t.Location()
		}
		if location, err := time.LoadLocation(zone); err == nil {
			return location
		}
	}
	return nil
}
