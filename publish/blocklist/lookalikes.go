package blocklist

import (
	"strings"
	"unicode"
)

// lookalikes are letters that look like those of the Latin alphabet, in pairs of rows: the usual ones of the confusables of UTS 39, and
// small capitals, in which programs write texts that are to pass filters.
var lookalikes = pairs(
	// Cyrillic
	"АВЕЅІЈКМНОРСТУҮХԌԚԜѴӀ", "ABESIJKMHOPCTYYXGQWVl",
	"авгеѕіјкмнопрстуүхһԁԍԛԝѡѵӏь", "abresijkmhonpctyyxhdgqwwvlb",
	// Greek
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX",
	"αβγεηικνορστυχω", "abyenikvopotuxw",
	// Armenian
	"ՕՍՏԼօոսհզցյ", "OUSLonuhqgj",
	// Latin
	"ıɩɪɑɡøłđħŧƀɇɨɵʉƶØŁĐĦŦ", "iiiagoldhtbeiouzOLDHT",
	"ᴀʙᴄᴅᴇꜰɢʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghjklmnoprstuvwyz",
)

// alike are the letters that look the same in both cases. A word of them only, such as "ѕех", is read as a Latin one.
const alike = "АЕОРСУХІЈЅаеорсухіјѕԁԛԝһӏ"

// pairs returns what follows from pairs of rows of letters.
func pairs(rows ...string) map[rune]rune {
	all := make(map[rune]rune)
	for i := 0; i < len(rows); i += 2 {
		latin := []rune(rows[i+1])
		for j, r := range []rune(rows[i]) {
			all[r] = latin[j]
		}
	}
	return all
}

// latin returns a text with Latin letters for those that look like them, in words that readers take for Latin ones: they have Latin
// letters, or consist of alike. Other words keep theirs: the Russian word "рот" is no pot.
func latin(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) })
		if end < 0 {
			end = len(text)
		}
		b.WriteString(latinWord(text[:end]))
		text = text[end:]
		if end = strings.IndexFunc(text, inWord); end < 0 {
			end = len(text)
		}
		b.WriteString(text[:end])
		text = text[end:]
	}
	return b.String()
}

func latinWord(word string) string {
	strange := func(r rune) bool { return unicode.IsLetter(r) && !strings.ContainsRune(alike, r) }
	isLatin := func(r rune) bool { return unicode.Is(unicode.Latin, r) }
	if strings.ContainsFunc(word, strange) && !strings.ContainsFunc(word, isLatin) {
		return word
	}
	return strings.Map(func(r rune) rune {
		if like, ok := lookalikes[r]; ok {
			return like
		}
		return r
	}, word)
}

// inWord reports whether a rune belongs to a word.
func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) }
