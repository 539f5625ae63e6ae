package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/rangetable"
)

const (
	guessBytes = 16 << 10 // size of the sample of telling words
	guessHits  = 4        // least number of common characters
	guessScore = 0.15     // least score
)

// writing is an encoding that an undeclared text may have. Its languages do not use Latin letters; latin.go is for those that
// do.
type writing struct {
	name     string
	encoding encoding.Encoding
	scripts  []*unicode.RangeTable
	alphabet bool   // a word has one script, and capitals only at its beginning
	common   string // the most frequent characters in lower case: at least a third of a text
}

func writings() []writing {
	const (
		kana       = "のにるたとはをしがでてれないっらりすあかこまくさよんもだきういスルトンラリアクシドレジタフロコマイー、。"
		cyrillic   = "оеаинтсрвл"
		greek      = "αοιετσνηυρ"
		hebrew     = "יוהלאתרבשמ"
		arabic     = "اليمونرتبة"
		thai       = "านรอกเงยลมวดทสตะคปหบพ่้ีัิุ"
		thaiUsual  = thai + "ขฉชซญณถธนผฝภศษฟอฮฤูึืำเแโใไ็๊๋์"
		hangul     = "이다의는에을를가은하고지로한사도서기인리어자대아그시니라들나정일해수만전보과부장구제여원동공성국경생비상문신주스게안있"
		simplified = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种" +
			"事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理前开但因只从想日意无力与长机十民第公工明全三关点业外将两高间由问最重新，。"
		traditional = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種" +
			"事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理前開但因只從想日意無力與長機十民第公工明全三關點業外將兩高間由問最重新，。"
	)
	is := func(scripts ...*unicode.RangeTable) []*unicode.RangeTable { return scripts }
	return []writing{
		{"shift_jis", japanese.ShiftJIS, is(unicode.Han, unicode.Hiragana, unicode.Katakana), false, kana},
		{"euc-jp", japanese.EUCJP, is(unicode.Han, unicode.Hiragana, unicode.Katakana), false, kana},
		{"euc-kr", korean.EUCKR, is(unicode.Han, unicode.Hangul), false, hangul},
		{"gb18030", simplifiedchinese.GB18030, is(unicode.Han), false, simplified},
		{"big5", traditionalchinese.Big5, is(unicode.Han), false, traditional},
		{"windows-1251", charmap.Windows1251, is(unicode.Cyrillic), true, cyrillic},
		{"koi8-u", charmap.KOI8U, is(unicode.Cyrillic), true, cyrillic}, // KOI8-R with the Ukrainian letters
		{"windows-1253", charmap.Windows1253, is(unicode.Greek), true, greek},
		{"windows-1255", charmap.Windows1255, is(unicode.Hebrew), true, hebrew},
		{"windows-1256", charmap.Windows1256, is(unicode.Arabic), true, arabic},
		{"windows-874", charmap.Windows874, is(rangetable.New([]rune(thaiUsual)...)), true, thai},
	}
}

// guessed returns the most likely encoding of a text, or nil. Characters that are frequent in the languages of an encoding
// count for it; invalid characters, other scripts and capitals after small letters count against it.
func guessed(body []byte) (encoding.Encoding, string) {
	words := tellingWords(body)
	best, likely := guessScore, writing{}
	for _, s := range writings() {
		if score := s.score(decode(words, s.encoding)); score > best {
			best, likely = score, s
		}
	}
	if likely.encoding == nil {
		return guessedLatin(body)
	}
	return likely.encoding, likely.name
}

// tellingWords returns a sample of the words with several bytes above 127, which are rare in Latin scripts. It splits at
// bytes that are not part of a character in any encoding.
func tellingWords(body []byte) []byte {
	var words []byte
	cut := func(r rune) bool { return r <= '/' || r >= ':' && r <= '?' }
	for word := range bytes.FieldsFuncSeq(body, cut) {
		high := 0
		for _, b := range word {
			if b >= utf8.RuneSelf {
				high++
			}
		}
		if high > 1 {
			words = append(append(words, word[:min(len(word), guessBytes)]...), ' ')
		}
		if len(words) > guessBytes {
			break
		}
	}
	return words
}

// score rates a decoded text from -1 to 1.
func (s *writing) score(text []byte) float64 {
	hits, misfits, total := 0, 0, 0
	before := ' '
	for _, r := range string(text) {
		letter, latin := unicode.IsLetter(r), r < utf8.RuneSelf
		mixed := s.alphabet && letter && unicode.IsLetter(before) &&
			(latin != (before < utf8.RuneSelf) || unicode.IsUpper(r) && unicode.IsLower(before))
		detached := unicode.Is(unicode.Mn, r) && (before < utf8.RuneSelf || !unicode.In(before, unicode.L, unicode.Mn))
		if letter || !latin {
			total++
		}
		switch {
		case mixed, detached, !latin && !s.fits(r):
			misfits++
		case !latin && strings.ContainsRune(s.common, unicode.ToLower(r)):
			hits++
		}
		before = r
	}
	if hits < guessHits {
		return 0
	}
	return float64(hits-misfits) / float64(total)
}

// fits reports whether a character is plausible in the scripts. Half-width katakana are not: Shift_JIS decodes many bytes to
// them, and texts hardly use them.
func (s *writing) fits(r rune) bool {
	const punctuation = "«»“”„‘’–—…•№·、。「」『』（）！？：；，《》【】〜～％＋－／　々〇"
	return unicode.In(r, s.scripts...) && (r < 0xff61 || r > 0xff9f) || strings.ContainsRune(punctuation, r) ||
		r >= '０' && r <= '９' || r >= 'Ａ' && r <= 'Ｚ' || r >= 'ａ' && r <= 'ｚ'
}
