package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// latin is an encoding of languages with Latin letters, and for each language its letters that are not ASCII.
type latin struct {
	name      string
	encoding  encoding.Encoding
	languages []string
}

// latins lists the encodings of undeclared texts in Latin letters, the most frequent one of those with the same letters first.
func latins() []latin {
	central := []string{
		"ąćęłńóśźż",         // Polish
		"áčďéěíňóřšťúůýž",   // Czech
		"áäčďéíĺľňóôŕšťúýž", // Slovak
		"áéíóöőúüű",         // Hungarian
		"ăâîşţ",             // Romanian
		"čćđšž",             // Croatian, Bosnian, Slovenian
	}
	baltic := []string{
		"ąčęėįšųūž",   // Lithuanian
		"āčēģīķļņšūž", // Latvian
	}
	return []latin{
		{"windows-1252", charmap.Windows1252, []string{
			"àâæçèéêëîïôœùûüÿ", // French
			"äöüßéà",           // German
			"áéíóúüñ¿¡ºª",      // Spanish
			"áâãàçéêíóôõúüºª",  // Portuguese
			"àèéìíîòóùúç",      // Italian
			"äëïöüéèêáíóúç",    // Dutch
			"æøåéèêóòôäöü",     // Danish, Norwegian
			"åäöéüàáæø",        // Swedish, Finnish
			"áéíóúýðþæö",       // Icelandic
			"àçèéíïòóúü·",      // Catalan
			"äõöüšž",           // Estonian
		}},
		{"windows-1250", charmap.Windows1250, central},
		{"iso-8859-2", charmap.ISO8859_2, central},
		{"windows-1254", charmap.Windows1254, []string{"çğıöşüİâ"}}, // Turkish
		{"windows-1257", charmap.Windows1257, baltic},
		{"iso-8859-13", charmap.ISO8859_13, baltic},
	}
}

// guessedLatin returns the encoding in which a text has the letters of one language, or nil if that is windows-1252 or
// unclear.
func guessedLatin(body []byte) (encoding.Encoding, string) {
	const least, lead = 0.9, 0.03 // score, and what it must be above that of windows-1252
	sample := body[:min(len(body), guessBytes)]
	all := latins()
	western, characters := all[0].score(sample)
	best, likely := 0.0, latin{}
	for _, l := range all[1:] {
		if score, _ := l.score(sample); score > best {
			best, likely = score, l
		}
	}
	if characters < guessHits || best < max(least, western+lead) {
		return nil, ""
	}
	return likely.encoding, likely.name
}

// score returns the number of characters that are neither ASCII nor punctuation, and the largest share that the letters of one
// language have in them. Capitals after small letters count against it.
func (l *latin) score(raw []byte) (best float64, total int) {
	const punctuation = "“”„‘’‚–—…•«»‹›·°§©®™€£\u00a0\u00ad"
	count := make(map[rune]int)
	misfits := 0
	before := ' '
	for _, r := range string(decode(raw, l.encoding)) {
		if unicode.IsUpper(r) && unicode.IsLower(before) && (r >= utf8.RuneSelf || before >= utf8.RuneSelf) {
			misfits++
		}
		if r >= utf8.RuneSelf && !strings.ContainsRune(punctuation, r) {
			total++
			count[r]++
		}
		before = r
	}
	for _, letters := range l.languages {
		hits := 0
		for r, n := range count {
			if strings.ContainsRune(letters, r) || strings.ContainsRune(letters, unicode.ToLower(r)) {
				hits += n
			}
		}
		best = max(best, float64(hits-misfits)/float64(max(total, 1)))
	}
	return best, total
}
