package date_test

import (
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/date"
)

func TestDatesAreReadAsFeedsWriteThem(t *testing.T) {
	const want = "2025-06-10T14:05:00Z"
	same := []string{
		"Tue, 10 Jun 2025 14:05:00 GMT", "Tue, 10 Jun 2025 14:05:00 +0000", "Tue, 10 Jun 2025 16:05:00 +0200",
		"Tue, 10 Jun 2025 16:05:00 +02:00", "Tue, 10 Jun 2025 16:05:00 +02", "Tue,10 Jun 2025 14:05:00 Z",
		"tue, 10 june 2025 14:05:00 utc", "10 Jun 25 14:05 UT", "Tuesday, 10 June 2025 14:05:00", "Tue, 10 Jun 2025 14:05",
		"Tue Jun 10 14:05:00 2025", "Tue Jun 10 10:05:00 EDT 2025", "June 10, 2025 2:05 pm", "Jun 10, 2025 2:05PM",
		"10-Jun-2025 14:05:00", "Tue, 10 Jun 2025 14:05:00 GMT+0000", "Tue Jun 10 2025 16:05:00 GMT+0200 (CEST)",
		"2025-06-10T14:05:00Z", "2025-06-10t14:05:00z", "2025-06-10T16:05:00.000+02:00", "2025-06-10T16:05:00+0200",
		"2025-06-10 14:05:00", "2025-06-10 16:05:00 +0200", "2025-06-10T14:05Z", "20250610T140500Z", "2025/06/10 14:05",
		"10.06.2025 14:05", "10th June 2025, 14:05", "1749564300", "1749564300000", "Tue, 10 Jun 2025 16:05:00 CEST",
		"Tue, 10 Jun 2025 16:05:00 MEST", "Tue, 10 Jun 2025 15:05:00 MET", "Tue, 10 Jun 2025 23:05:00 JST",
		"Tue, 10 Jun 2025 19:35:00 IST", "Wed, 11 Jun 2025 00:05:00 AEST", "Tue, 10 Jun 2025 11:05:00 BRT",
		"Tue, 10 Jun 2025 17:05:00 MSK", "Tue, 10 Jun 2025 07:05:00 PDT", " Tue, 10 Jun 2025 14:05:00 GMT\n",
	}
	for _, s := range same {
		if got := date.Parse(s); got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: got %v, want %s", s, got, want)
		}
	}
	others := map[string]string{
		"2025-06-10":                    "2025-06-10T00:00:00Z",
		"10 Sept 2025":                  "2025-09-10T00:00:00Z",
		"Tue, 10 Jun 2025 24:00:00 GMT": "2025-06-11T00:00:00Z",
		"2016-12-31T23:59:60Z":          "2017-01-01T00:00:00Z",
		"Sun, 06 Nov 94 08:49:37 GMT":   "1994-11-06T08:49:37Z",
		"25/12/2025":                    "2025-12-25T00:00:00Z",
		"12/25/2025":                    "2025-12-25T00:00:00Z",
		"Tue, 10 Jun 2025 12:05 am":     "2025-06-10T00:05:00Z",
		"Tue, 10 Jun 2025 14:05:00 QQT": want, // an unknown zone
	}
	for s, want := range others {
		if got := date.Parse(s); got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: got %v, want %s", s, got, want)
		}
	}
}

func TestDatesWithTwoMeaningsAreNotGuessed(t *testing.T) {
	if got := date.Parse("06/10/2025"); !got.IsZero() {
		t.Errorf("got %v", got)
	}
}

func TestWhatIsNoDateIsNotRead(t *testing.T) {
	for _, s := range []string{
		"", "soon", "yesterday", "10 Jun", "14:05", "10 Foo 2025", "99 Jun 2025", "2025-13-01", "2025-06-10T25:00",
		"10 Jun 2025 14:99", "Tue", "--", "::", "+", "10/10", "1-2-3-4", "10 Jun 2025 14:05 +99999", "1e9",
	} {
		if got := date.Parse(s); !got.IsZero() {
			t.Errorf("%q: got %v", s, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Tue, 10 Jun 2025 14:05:00 GMT", "2025-06-10T14:05:00.5+02:00", "1749564300", "06/10/2025", "10-Jun-25 2:05 pm", "20250610T140500Z",
		"2003-335", "9999-12-31T23:59:59-12:00", "0000-01-01T00:00+14", "2004-05-25 오후 11:23:17", "10 Jun 2025 (a comment) 14:05", "-62135596800",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := date.Parse(s)
		if got.IsZero() {
			return
		}
		if got.Location() != time.UTC || got.Year() < 0 || got.Year() > 9999 {
			t.Errorf("%q: got %v, which cannot be written", s, got)
		}
		if again := date.Parse(got.Format(time.RFC3339Nano)); !again.Equal(got) {
			t.Errorf("%q is %v, which is %v", s, got, again)
		}
	})
}

func TestParseReadsWhatIsRare(t *testing.T) {
	cases := map[string]string{
		"2003-12":                          "2003-12-01T00:00:00Z",
		"2003":                             "2003-01-01T00:00:00Z", // W3CDTF
		"Nov. 2020":                        "2020-11-01T00:00:00Z",
		"2003-335":                         "2003-12-01T00:00:00Z",
		"20031231":                         "2003-12-31T00:00:00Z",
		"2025-6-1T14:05:09Z":               "2025-06-01T14:05:09Z",
		"Di, 10 Jun 2025 12:00:00 +0200":   "2025-06-10T10:00:00Z",
		"Mar, 10 juin 2025 12:00:00 +0200": "2025-06-10T10:00:00Z",
		"10. Juni 2025":                    "2025-06-10T00:00:00Z",
		"3 de marzo":                       "",
		"2004-05-25 오후 11:23:17":           "2004-05-25T23:23:17Z",
		"2025年06月10日":                      "2025-06-10T00:00:00Z",
		"Feb 30, 2025":                     "",
		"2025-06-31":                       "",
		"soon":                             "",
		"20 Nov 2026 19:30:00 AM GMT":      "2026-11-20T19:30:00Z",
		"20 Nov 2026 24:00:00 AM GMT":      "2026-11-21T00:00:00Z",
		"20 Nov 2026 12:30:00 PM GMT":      "2026-11-20T12:30:00Z",
		"20 Nov 2026 19:30:00 PM GMT":      "2026-11-20T19:30:00Z",
		"Fri, 20 Nov 2026 +0100":           "2026-11-19T23:00:00Z",
		"Fri, 20 Nov 2026 +0100 (CET)":     "2026-11-19T23:00:00Z",
		"20.11.2026 GMT+0200":              "2026-11-19T22:00:00Z",
		"20-Nov-26 +0100":                  "2026-11-19T23:00:00Z",
		"20 Nov 2026 +1:00":                "2026-11-19T23:00:00Z",
		"20 Nov 2026 -05":                  "2026-11-20T05:00:00Z",
		"2026-1-2 -0330":                   "2026-01-02T03:30:00Z",
		"20 Nov 2026 +9900":                "",
		"06/10/2026 +0100":                 "",
		"2026-11-20T19:30:00.Z":            "2026-11-20T19:30:00Z",
		"20 Nov 2026 19:30.":               "2026-11-20T19:30:00Z",
		"1 Jan 49":                         "2049-01-01T00:00:00Z",
		"29-Feb-52":                        "1952-02-29T00:00:00Z",
		"2003-367":                         "",
	}
	cases["2026-11-20T19:30:00."+strings.Repeat("1", 300)+"Z"] = "2026-11-20T19:30:00Z"
	for in, want := range cases {
		got := date.Parse(in)
		text := ""
		if !got.IsZero() {
			text = got.Format(time.RFC3339)
		}
		if text != want {
			t.Errorf("%s: got %q, want %q", in, text, want)
		}
	}
}
