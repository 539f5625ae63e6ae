package charset_test

import (
	"strings"
	"testing"

	htmlcharset "golang.org/x/net/html/charset"

	"github.com/feedwire/feedwire/ingest/charset"
)

// languages are short texts in the letters of the encodings below.
var languages = map[string]string{
	"ascii":       "Only plain letters",
	"western":     "Où êtes-vous, façade d’été ? Größe, señor, smørrebrød",
	"latin1":      "Où êtes-vous, façade d'été ? Größe, señor, smørrebrød",
	"central":     "Zażółć gęślą jaźń, příliš žluťoučký kůň, hűvös",
	"south":       "Ħarġa ċara, ġbejniet żgħar, ċirku",
	"baltic":      "Keltas dėl audros vėlavo, ziņas par prāmi, žvejų laimikis",
	"celtic":      "Ŵy â ŷd, ḋ ṫ ẁ",
	"romanian":    "Știri din țară, împreună și mâine",
	"turkish":     "Şiddetli fırtına yüzünden vapur gecikti, ığdır",
	"nordic":      "Þórður og Áðalheiður, đ ŋ ŧ š ž",
	"cyrillic":    "Новости порта, паром задержался",
	"ukrainian":   "Новини порту, їхній пором ґанок є",
	"greek":       "Νέα του λιμανιού, το πλοίο άργησε",
	"hebrew":      "חדשות הנמל, המעבורת איחרה",
	"arabic":      "أخبار الميناء، تأخرت العبارة",
	"thai":        "ข่าวท่าเรือ เรือข้ามฟากล่าช้า",
	"vietnamese":  "Tin tưc cang, đương phô Ha Nôi",
	"simplified":  "港口新闻，渡轮晚了两个小时",
	"rare":        "港口新闻 𠀋 € 㐀",
	"traditional": "港口新聞，渡輪晚了兩個小時",
	"japanese":    "港のニュース、フェリーは遅れ",
	"korean":      "항구 소식 여객선이 늦어졌다",
}

// labels are encodings of the WHATWG encoding standard and other labels that it gives them, with a language of each. The
// guessed ones need no declaration.
var labels = []struct{ label, language, guessed string }{
	{"utf-8", "japanese", "yes"}, {"utf8", "korean", "yes"}, {"us-ascii", "ascii", "yes"}, {"iso-8859-1", "latin1", "yes"},
	{"windows-1252", "western", "yes"}, {"latin1", "latin1", "yes"}, {"cp1252", "western", "yes"},
	{"iso-8859-2", "central", "no"}, {"windows-1250", "central", "no"}, {"l2", "central", "no"}, {"iso-8859-3", "south", "no"},
	{"iso-8859-4", "baltic", "no"}, {"iso-8859-13", "baltic", "no"}, {"windows-1257", "baltic", "no"}, {"iso-8859-10", "nordic", "no"},
	{"iso-8859-14", "celtic", "no"}, {"iso-8859-15", "latin1", "no"}, {"iso-8859-16", "romanian", "no"}, {"macintosh", "western", "no"},
	{"iso-8859-9", "turkish", "yes"}, {"windows-1254", "turkish", "yes"},
	{"iso-8859-5", "cyrillic", "no"}, {"windows-1251", "cyrillic", "yes"}, {"koi8-r", "cyrillic", "yes"}, {"koi8-u", "ukrainian", "yes"},
	{"ibm866", "cyrillic", "no"}, {"x-mac-cyrillic", "cyrillic", "no"},
	{"iso-8859-7", "greek", "no"}, {"windows-1253", "greek", "yes"},
	{"iso-8859-8", "hebrew", "yes"}, {"iso-8859-8-i", "hebrew", "yes"}, {"windows-1255", "hebrew", "yes"},
	{"iso-8859-6", "arabic", "no"}, {"windows-1256", "arabic", "yes"},
	{"windows-874", "thai", "yes"}, {"tis-620", "thai", "yes"}, {"iso-8859-11", "thai", "yes"}, {"windows-1258", "vietnamese", "no"},
	{"gbk", "simplified", "yes"}, {"gb2312", "simplified", "yes"}, {"gb18030", "rare", "no"}, {"big5", "traditional", "yes"},
	{"euc-jp", "japanese", "yes"}, {"shift_jis", "japanese", "yes"}, {"x-sjis", "japanese", "yes"}, {"iso-2022-jp", "japanese", "yes"},
	{"euc-kr", "korean", "yes"}, {"ks_c_5601-1987", "korean", "yes"},
	{"utf-16le", "japanese", "yes"}, {"utf-16be", "arabic", "yes"},
}

// feedIn is a feed that declares an encoding, if any, of which every sentence has the text.
func feedIn(declared, text string) string {
	head := "<?xml version='1.0'?>"
	if declared != "" {
		head = "<?xml version='1.0' encoding='" + declared + "'?>"
	}
	return head + "<rss version='2.0'><channel>" + strings.Repeat("<item><title>"+text+"</title></item>", 5) + "</channel></rss>"
}

func TestEncodingsAreReadHoweverTheyAreDeclared(t *testing.T) {
	const contentType = "application/rss+xml; charset="
	for _, l := range labels {
		text := languages[l.language]
		in := func(declared string) string { // a document that is in the encoding, whatever it declares
			return encoded(t, feedIn(declared, text), l.label)
		}
		contrary := "windows-1252"
		if l.label == "windows-1252" || l.label == "cp1252" {
			contrary = "iso-8859-7"
		}
		for name, c := range map[string]struct {
			body, contentType string
			wanted            bool
		}{
			"HTTP":                               {in(""), contentType + l.label, true},
			"declaration":                        {in(l.label), "application/rss+xml", true},
			"both":                               {in(l.label), contentType + `"` + l.label + `"`, true},
			"HTTP against a declaration":         {in(contrary), contentType + l.label, true},
			"HTTP against declared UTF-8":        {in("utf-8"), contentType + l.label, true},
			"declaration against UTF-8 of HTTP":  {in(l.label), contentType + "utf-8", true},
			"byte order mark against both":       {"\xef\xbb\xbf" + feedIn(l.label, text), contentType + l.label, true},
			"UTF-8 against both":                 {feedIn(l.label, text), contentType + l.label, true},
			"nothing":                            {in(""), "", l.guessed == "yes"},
			"UTF-8 declared, by HTTP and itself": {in("utf-8"), contentType + "utf-8", l.guessed == "yes"},
		} {
			got, found, whole := charset.Decode([]byte(c.body), c.contentType)
			if c.wanted && (!strings.Contains(string(got), "<title>"+text+"</title>") || !whole) {
				t.Errorf("%s by %s was taken for %s, whole %v:\n%.200s", l.label, name, found, whole, got)
			}
		}
	}
}

func TestLabelsCoverTheStandard(t *testing.T) {
	names := map[string]bool{}
	for _, l := range labels {
		_, name := htmlcharset.Lookup(l.label)
		names[name] = true
	}
	if len(labels) < 40 || len(names) < 38 {
		t.Errorf("%d labels of %d encodings", len(labels), len(names))
	}
}

// A declaration of HTTP that the bytes prove wrong gives way to the declaration of the document.
func TestBytesProveTheCharsetOfHTTPWrong(t *testing.T) {
	for _, c := range []struct{ http, declared, language string }{
		{"shift_jis", "euc-jp", "japanese"},        // bytes that Shift_JIS does not have
		{"gbk", "windows-1251", "cyrillic"},        // the letters of Russian
		{"iso-8859-1", "windows-1251", "cyrillic"}, // the letters of Russian
		{"iso-8859-1", "shift_jis", "japanese"},    // the characters of Japanese
		{"iso-8859-2", "windows-1250", "central"},  // control characters
	} {
		text := strings.Repeat(languages[c.language]+". ", 10)
		body := encoded(t, feedIn(c.declared, text), c.declared)
		if got, found, _ := charset.Decode([]byte(body), "text/xml; charset="+c.http); !strings.Contains(string(got), text) {
			t.Errorf("%s served as %s was taken for %s", c.declared, c.http, found)
		}
	}
}

func TestOneWrongByteLeavesTheOtherCharacters(t *testing.T) {
	for _, declared := range []string{"", "utf-8", "iso-8859-1", "windows-1252", "windows-1251", "iso-8859-2", "shift_jis", "gb18030", "us-ascii"} {
		for language, text := range languages {
			if language == "ascii" {
				continue
			}
			for _, served := range []string{"application/xml", "application/xml; charset=utf-8", "application/xml; charset=iso-8859-1", "text/xml; charset=" + declared} {
				body := feedIn(declared, text+"|caf\xe9|"+text)
				got, found, whole := charset.Decode([]byte(body), served)
				if want := feedIn(declared, text+"|caf\uFFFD|"+text); string(got) != want || found != "utf-8" || whole {
					t.Errorf("%s declared as %q and served as %s: taken for %s, whole %v:\n%.200s", language, declared, served, found, whole, got)
				}
			}
		}
	}
	for _, c := range []struct{ label, language, wrong string }{
		{"shift_jis", "japanese", "\xff"}, {"euc-jp", "japanese", "\xff"}, {"euc-kr", "korean", "\xff"}, {"gbk", "simplified", "\xff"},
		{"big5", "traditional", "\x80"}, {"windows-1253", "greek", "\xd2"}, {"windows-874", "thai", "\xdb"},
	} {
		text := languages[c.language]
		body := encoded(t, feedIn("windows-1252", text), c.label)
		body = strings.Replace(body, "<title>", "<title>"+c.wrong+"|", 1)
		got, found, whole := charset.Decode([]byte(body), "text/xml; charset="+c.label)
		if strings.Count(string(got), text) != 5 || whole {
			t.Errorf("%s was taken for %s, whole %v:\n%.200s", c.label, found, whole, got)
		}
	}
}

func TestJapaneseOfSevenBitsNeedsNoDeclaration(t *testing.T) {
	text := languages["japanese"]
	for _, declared := range []string{"", "utf-8", "iso-8859-1", "shift_jis", "iso-2022-jp"} {
		got, found, whole := charset.Decode([]byte(encoded(t, feedIn(declared, text), "iso-2022-jp")), "text/xml; charset="+declared)
		if string(got) != feedIn(declared, text) || found != "iso-2022-jp" || !whole {
			t.Errorf("declared as %q: taken for %s, whole %v:\n%.200s", declared, found, whole, got)
		}
	}
}
