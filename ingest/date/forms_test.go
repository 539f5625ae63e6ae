package date_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/date"
)

// forms are layouts of dates by their origin: standards, the defaults of programs and languages, and the layouts that other
// feed readers list as seen in feeds.
var forms = []struct {
	origin, want string
	dates        []string
}{
	{"RFC 822, 850, 1036, 1123 and 2822", "2017-12-22T15:09:07Z", []string{
		"22 Dec 17 15:09:07 GMT", "Fri, 22 Dec 17 15:09:07 Z", "Fri, 22 Dec 17 10:09:07 EST", "Friday, 22-Dec-17 15:09:07 GMT",
		"Fri, 22-Dec-2017 15:09:07 GMT", "Fri, 22 Dec 2017 15:09:07 UT", "Fri, 22 Dec 2017 15:09:07 -0000",
		"Fri, 22 Dec 2017 15:09:07 A", "Fri (a day), 22 Dec 2017 15:09:07 +0000", "Fri, 22 Dec\r\n 2017 15:09:07 +0000",
		"Fri, 22 Dec 2017 09:09:07 CST", "Fri, 22 Dec 2017 08:09:07 MST", "Fri, 22 Dec 2017 07:09:07 PST",
	}},
	{"asctime and date", "2017-12-22T15:09:07Z", []string{
		"Fri Dec 22 15:09:07 2017", "Fri Dec 22 15:09:07 UTC 2017", "Fri Dec 22 10:09:07 EST 2017", "Fri 22 Dec 2017 03:09:07 PM UTC",
		"Fri Dec 22 03:09:07 PM UTC 2017", "Fri Dec 22 15:09:07 +0000 2017",
	}},
	{"RFC 3339 and ISO 8601", "2017-12-22T15:09:07Z", []string{
		"2017-12-22T15:09:07Z", "2017-12-22 15:09:07z", "2017-12-22T15:09:07-00:00", "2017-12-22T15:09:07,000Z", "2017-12-22T15:09:07.000000000Z",
		"20171222T150907Z", "20171222T160907+0100", "20171222T160907+01", "20171222150907", "2017-W51-5T15:09:07Z", "2017W515T150907Z",
		"2017-356T15:09:07Z", "2017356T150907Z", "2017-12-22T15:09:07−00:00", "2017-12-22T10:09:07-05:00:00", "2017-12-22T15:09:07.Z",
	}},
	{"ISO 8601, to the minute", "2017-12-22T15:09:00Z", []string{"2017-12-22T15:09Z", "20171222T1509Z", "201712221509", "2017-W51-5T15:09"}},
	{"ISO 8601, to the hour", "2017-12-22T15:00:00Z", []string{"2017-12-22T15Z", "20171222T16+01", "20171222T15"}},
	{"ISO 8601, days", "2017-12-22T00:00:00Z", []string{"2017-12-22", "20171222", "2017-W51-5", "2017W515", "2017-356", "2017356"}},
	{"ISO 8601, a week", "2018-12-31T00:00:00Z", []string{"2019-W01", "2019W01-1", "2019-W01-1"}},
	{"W3CDTF, a month", "2017-12-01T00:00:00Z", []string{"2017-12", "Dec 2017", "December, 2017"}},
	{"W3CDTF, a year", "2017-01-01T00:00:00Z", []string{"2017"}},
	{"midnight at the end of a day", "2017-12-23T00:00:00Z", []string{
		"2017-12-22T24:00:00Z", "Fri, 22 Dec 2017 24:00:00 GMT", "20171222T240000Z", "22.12.2017 24:00", "2017-12-22T23:59:60Z",
	}},
	{"Unix time", "2017-12-22T15:09:07Z", []string{
		"1513955347", "1513955347000", "1513955347.25", "/Date(1513955347000)/", "/Date(1513955347000+0100)/",
	}},
	{"before 1970", "1960-06-15T12:00:00Z", []string{
		"Wed, 15 Jun 1960 12:00:00 GMT", "1960-06-15T12:00:00Z", "-301233600", "15 Jun 60 12:00 UT", "June 15, 1960 12pm",
	}},
	{"offsets", "2017-12-22T15:09:07Z", []string{
		"2017-12-22 16:09:07 GMT+1", "2017-12-22 16:09:07 GMT+01:00", "2017-12-22 16:09:07 UTC+1", "2017-12-22 16:09:07 UTC +01:00",
		"Fri, 22 Dec 2017 20:39:07 UTC+5:30", "Fri, 22 Dec 2017 20:39:07 +530", "Fri, 22 Dec 2017 10:09:07 --0500",
		"Fri, 22 Dec 2017 15:09:07 0000", "Fri, 22 Dec 2017 15:09:07 00", "2017-12-22T10:09:07:-0500", "2017-12-22T10:09:07-05:00Z",
		"22.12.2017 16:09:07 (UTC+01:00)", "Dec 22, 2017 10:09:07 AM (EST)", "2017-12-22T10:09:07 EST-0500",
	}},
	{"zones with summer time, in winter", "2017-12-22T15:09:07Z", []string{
		"Fri, 22 Dec 2017 10:09:07 ET", "Fri, 22 Dec 2017 09:09:07 CT", "Fri, 22 Dec 2017 08:09:07 MT", "Fri, 22 Dec 2017 07:09:07 PT",
		"Dec 22, 2017 10:09:07 am ET", "Fri, 22 Dec 2017 06:09:07 AKT", "Fri, 22 Dec 2017 11:09:07 AT", "Fri, 22 Dec 2017 11:39:07 NT",
		"Fri, 22 Dec 2017 07:09:07 America/Los_Angeles", "2017-12-22T16:09:07+01:00[Europe/Paris]", "2017-12-22 16:09:07 Europe/Brussels",
		"2017-12-22 10:09:07 US/Eastern", "2017-12-22 12:09:07 America/Argentina/Buenos_Aires",
	}},
	{"zones with summer time, in summer", "2017-06-22T15:09:07Z", []string{
		"Thu, 22 Jun 2017 11:09:07 ET", "Thu, 22 Jun 2017 10:09:07 CT", "Thu, 22 Jun 2017 09:09:07 MT", "Thu, 22 Jun 2017 08:09:07 PT",
		"Jun 22, 2017 11:09:07 am ET", "Thu, 22 Jun 2017 07:09:07 AKT", "Thu, 22 Jun 2017 12:09:07 AT", "Thu, 22 Jun 2017 12:39:07 NT",
		"Thu, 22 Jun 2017 11:09:07 EDT", "Thu, 22 Jun 2017 10:09:07 EST", "Thu, 22 Jun 2017 17:09:07 Europe/Brussels",
		"Thu, 22 Jun 2017 16:09:07 BST", "Thu, 22 Jun 2017 18:09:07 IDT", "Thu, 22 Jun 2017 20:54:07 NPT", "Fri, 23 Jun 2017 03:09:07 NZST",
	}},
	{"PHP", "2017-12-22T15:09:07Z", []string{
		"Friday, 22-Dec-2017 15:09:07 UTC", "2017-12-22T15:09:07.000+00:00", "Fri, 22 Dec 2017 15:09:07 +0000", "2017-12-22 15:09:07",
		"2017-12-22T15:09:07+0000",
	}},
	{".NET", "2017-12-22T15:09:07Z", []string{
		"12/22/2017 3:09:07 PM", "12/22/2017 3:09:07 PM +00:00", "Friday, December 22, 2017 3:09:07 PM", "2017-12-22 15:09:07Z",
		"2017-12-22T15:09:07.0000000Z", "2017-12-22T15:09:07", "22/12/2017 15:09:07", "22-12-2017 15:09:07",
	}},
	{"Java and JavaScript", "2017-12-22T15:09:07Z", []string{
		"Dec 22, 2017 3:09:07 PM", "Dec 22, 2017, 3:09:07\u202fPM", "December 22, 2017 at 3:09:07 PM UTC", "12/22/17, 3:09:07 PM",
		"Fri Dec 22 10:09:07 EST 2017", "Fri Dec 22 2017 10:09:07 GMT-0500 (Eastern Standard Time)", "22/12/17, 15:09:07",
		"Friday, December 22, 2017 at 3:09:07 PM Coordinated Universal Time",
	}},
	{"log files and photographs", "2017-12-22T15:09:07Z", []string{
		"22/Dec/2017:15:09:07 +0000", "22/Dec/2017:10:09:07 -0500", "2017:12:22 15:09:07", "22DEC2017:15:09:07", "2017/12/22 15:09:07",
	}},
	{"Drupal", "2017-12-22T15:09:00Z", []string{
		"Friday, December 22, 2017 - 3:09pm", "Friday, December 22, 2017 - 15:09", "Fri, 12/22/2017 - 15:09", "12/22/2017 - 15:09",
		"22/12/2017 - 15:09", "2017/12/22 - 15:09", "22.12.2017 - 15:09", "22 December, 2017 - 15:09", "Fri, 2017-12-22 15:09",
		"December 22, 2017 – 3:09pm", "Vendredi, 22. Décembre 2017 - 15:09",
	}},
	{"WordPress and other sites", "2017-12-22T15:09:00Z", []string{
		"December 22, 2017 3:09 pm", "December 22, 2017 at 3:09 pm", "Dec. 22, 2017, 3:09 p.m.", "Posted on December 22nd, 2017 @ 3:09 p. m.",
		"22nd of December 2017, 15:09", "22. Dezember 2017 um 15:09 Uhr", "22 décembre 2017 à 15h09", "22 décembre 2017 à 15 h 09 min",
		"22 de diciembre de 2017 a las 15:09", "22 dicembre 2017 alle 15:09", "sexta-feira, 22 de dezembro de 2017 às 15:09",
		"22.12.2017 в 15:09", "22. december 2017 kl. 15.09", "22. joulukuuta 2017 klo 15.09", "2017年12月22日(金) 午後3時09分",
		"2017年12月22日 下午3:09", "2017년 12월 22일 오후 3시 09분", "22 ديسمبر 2017 3:09 م", "٢٢ ديسمبر ٢٠١٧ ١٥:٠٩", "２０１７年１２月２２日 １５：０９",
	}},
	{"hours without minutes", "2017-12-22T15:00:00Z", []string{"Dec 22, 2017 3pm", "22. Dezember 2017, 15 Uhr", "22 décembre 2017 à 15h"}},
	{"other readers' lists", "2017-12-22T15:09:00Z", []string{
		"Fri, 22nd Dec 2017 15:09 GMT", "Dec 22, 2017 15:09 GMT", "12/22/17 15:09", "22.12.17 15:09", "Fri, 22 12 2017 15:09 +0000",
		"15:09, 22 December 2017", "Fri 22 Dec 2017, 15:09:00 GMT", "Fri,22 Dec 2017 15:09", "2017-12-22T15:9", "12/22/2017 10:09 am EST",
	}},
	{"other readers' lists, days", "2017-12-22T00:00:00Z", []string{
		"Friday 22 December 2017", "22 December, 2017", "Fri, 22/12/2017", "12/22/2017", "22.12.17", "12-22-2017", "22/12/17", "22 Dec 2017 GMT",
		"2017-Dec-22", "22Dec2017",
	}},
}

func TestDatesOfStandardsAndProgramsAreRead(t *testing.T) {
	for _, f := range forms {
		for _, s := range f.dates {
			if got := date.Parse(s).Format(time.RFC3339Nano); got != f.want {
				t.Errorf("%s: %q is read as %s, want %s", f.origin, s, got, f.want)
			}
		}
	}
}

// The long and medium forms of the Unicode CLDR 43, as browsers, Java and .NET write them.
func TestDatesAreReadInManyLanguages(t *testing.T) {
	for language, dates := range map[string][]string{
		"Afrikaans":   {"Vrydag 22 Desember 2017 15:09:07"},
		"Arabic":      {"الجمعة، 22 ديسمبر 2017 في 3:09:07 م", "22\u200f/12\u200f/2017، 3:09:07 م"},
		"Azerbaijani": {"22 dekabr 2017, cümə 15:09:07"},
		"Belarusian":  {"пятніца, 22 снежня 2017 г. у 15:09:07"},
		"Bulgarian":   {"петък, 22 декември 2017 г. в 15:09:07", "22.12.2017 г., 15:09:07"},
		"Catalan":     {"divendres, 22 de desembre del 2017, a les 15:09:07", "22 de des. 2017, 15:09:07"},
		"Chinese":     {"2017年12月22日星期五 15:09:07", "2017年12月22日 下午3:09:07"},
		"Croatian":    {"petak, 22. prosinca 2017. u 15:09:07", "22. pro 2017. 15:09:07", "22. 12. 2017. 15:09:07"},
		"Czech":       {"pátek 22. prosince 2017 v 15:09:07", "22. 12. 2017 15:09:07", "22.12.17 15:09:07"},
		"Danish":      {"fredag den 22. december 2017 kl. 15.09.07", "22. dec. 2017, 15.09.07", "22.12.2017, 15.09.07"},
		"Dutch":       {"vrijdag 22 december 2017 om 15:09:07", "22-12-2017, 15:09:07"},
		"Estonian":    {"reede, 22. detsember 2017, kell 15:09:07", "22. dets 2017, 15:09:07"},
		"Finnish":     {"perjantai 22. joulukuuta 2017 klo 15.09.07", "22.12.2017 klo 15.09.07"},
		"French":      {"vendredi 22 décembre 2017 à 15:09:07", "22 déc. 2017, 15:09:07", "22 décembre 2017 à 15 h 09 min 07 s"},
		"Galician":    {"venres, 22 de decembro de 2017, 15:09:07"},
		"German":      {"Freitag, 22. Dezember 2017 um 15:09:07", "22.12.2017, 15:09:07", "22.12.17, 15:09:07"},
		"Greek":       {"Παρασκευή 22 Δεκεμβρίου 2017 στις 3:09:07 μ.μ.", "22 Δεκ 2017, 3:09:07 μ.μ."},
		"Hebrew":      {"יום שישי, 22 בדצמבר 2017 בשעה 15:09:07"},
		"Hindi":       {"शुक्रवार, 22 दिसंबर 2017 को 3:09:07 pm बजे"},
		"Hungarian":   {"2017. december 22., péntek 15:09:07", "2017. 12. 22. 15:09:07"},
		"Indonesian":  {"Jumat, 22 Desember 2017 pukul 15.09.07", "22 Des 2017, 15.09.07"},
		"Italian":     {"venerdì 22 dicembre 2017 alle ore 15:09:07", "22 dic 2017, 15:09:07"},
		"Japanese":    {"2017年12月22日金曜日 15:09:07", "2017年12月22日 15時09分07秒"},
		"Korean":      {"2017년 12월 22일 금요일 오후 3:09:07", "2017. 12. 22. PM 3:09:07", "2017년 12월 22일 15시 09분 07초"},
		"Latvian":     {"piektdiena, 2017. gada 22. decembris 15:09:07"},
		"Lithuanian":  {"2017 m. gruodžio 22 d., penktadienis 15:09:07"},
		"Macedonian":  {"петок, 22 декември 2017 во 15:09:07"},
		"Malay":       {"Jumaat, 22 Disember 2017 pada 3:09:07 PTG"},
		"Norwegian":   {"fredag 22. desember 2017 kl. 15:09:07"},
		"Polish":      {"piątek, 22 grudnia 2017 15:09:07", "22 gru 2017, 15:09:07"},
		"Portuguese":  {"sexta-feira, 22 de dezembro de 2017 às 15:09:07", "22 de dez. de 2017, 15:09:07"},
		"Romanian":    {"vineri, 22 decembrie 2017 la 15:09:07"},
		"Russian":     {"пятница, 22 декабря 2017 г. в 15:09:07", "22 дек. 2017 г., 15:09:07"},
		"Serbian":     {"петак, 22. децембар 2017. 15:09:07", "petak, 22. decembar 2017. 15:09:07"},
		"Slovak":      {"piatok 22. decembra 2017 o 15:09:07"},
		"Slovenian":   {"petek, 22. december 2017 ob 15:09:07"},
		"Spanish":     {"viernes, 22 de diciembre de 2017, 15:09:07", "22 dic 2017, 3:09:07 p. m."},
		"Swedish":     {"fredag 22 december 2017 kl. 15:09:07"},
		"Thai":        {"22 ธันวาคม 2017 15:09:07"},
		"Turkish":     {"22 Aralık 2017 Cuma 15:09:07", "22 Ara 2017 15:09:07"},
		"Ukrainian":   {"пʼятниця, 22 грудня 2017 р. о 15:09:07", "22 груд. 2017 р., 15:09:07"},
	} {
		for _, s := range dates {
			if got := date.Parse(s).Format(time.RFC3339); got != "2017-12-22T15:09:07Z" {
				t.Errorf("%s: %q is read as %s", language, s, got)
			}
		}
	}
}

// Each of these has two readings, or a part that no reading explains.
func TestAmbiguousDatesAreNotRead(t *testing.T) {
	for _, s := range []string{
		"06/10/2017", "06-10-2017", "6/10/17 3:09 PM", "17-12-22", "06/10/05", "17. 12. 22. PM 3:09", "22 listopada 2017", "Fri, 22 Dec 15:09:07 EST",
		"22 Dec 2017 23 Dec 2017", "2017-W54-1", "2017-366", "22/13/2017", "31.11.2017", "22 Brumaire 225", "Jan 2017-12-99",
	} {
		if got := date.Parse(s); !got.IsZero() {
			t.Errorf("%q is read as %v", s, got)
		}
	}
}
