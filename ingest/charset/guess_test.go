package charset_test

import (
	"fmt"
	"strings"
	"testing"

	htmlcharset "golang.org/x/net/html/charset"

	"github.com/feedwire/feedwire/ingest/charset"
)

// undeclared are texts as a small feed has them, by the encodings that they may be in without saying so.
var undeclared = []struct{ language, encodings, text string }{
	{"Russian", "windows-1251 koi8-u", `Новости порта. Паром задержался на два часа из-за шторма; пассажиры ждали на причале. ` +
		`Городской совет решил, что новый мост откроют весной, если позволит погода. Рыбаки вернулись с хорошим уловом.`},
	{"Ukrainian", "windows-1251 koi8-u", `Новини порту. Пором затримався на дві години через шторм, і пасажири чекали на причалі. ` +
		`Міська рада вирішила, що новий міст відкриють навесні, якщо дозволить погода. Її рішення підтримали всі.`},
	{"Bulgarian", "windows-1251", `Новини от пристанището. Фериботът закъсня с два часа заради бурята и пътниците чакаха на кея. ` +
		`Общинският съвет реши, че новият мост ще бъде открит през пролетта, ако времето позволи.`},
	{"Chinese, simplified", "gb18030", `港口新闻：渡轮因为大风晚了两个小时，旅客在码头上等候。市政府决定，新的大桥将在明年春天开通，` +
		`这对我们这个城市的发展有很大的作用。渔民说，今年的天气不错，他们带着很多鱼回来了。`},
	{"Chinese, traditional", "big5", `港口新聞：渡輪因為大風晚了兩個小時，旅客在碼頭上等候。市政府決定，新的大橋將在明年春天開通，` +
		`這對我們這個城市的發展有很大的作用。漁民說，今年的天氣不錯，他們帶著很多魚回來了。`},
	{"Japanese", "shift_jis euc-jp", `港のニュース：フェリーは嵐のため二時間遅れ、乗客は岸壁で待っていました。` +
		`市議会は、新しい橋を来年の春に開通させることを決めました。漁師たちはたくさんの魚を持って帰ってきたそうです。`},
	{"Greek", "windows-1253", `Νέα του λιμανιού: το πλοίο καθυστέρησε δύο ώρες λόγω της καταιγίδας και οι επιβάτες περίμεναν στην προβλήτα. ` +
		`Το δημοτικό συμβούλιο αποφάσισε ότι η νέα γέφυρα θα ανοίξει την άνοιξη, αν το επιτρέψει ο καιρός.`},
	{"Hebrew", "windows-1255", `חדשות הנמל: המעבורת איחרה בשעתיים בגלל הסערה והנוסעים המתינו על הרציף. ` +
		`מועצת העיר החליטה שהגשר החדש ייפתח באביב, אם מזג האוויר יאפשר זאת.`},
	{"Arabic", "windows-1256", `أخبار الميناء: تأخرت العبارة ساعتين بسبب العاصفة وانتظر الركاب على الرصيف. ` +
		`قرر مجلس المدينة أن الجسر الجديد سيفتح في الربيع إذا سمح الطقس بذلك.`},
	{"Korean", "euc-kr", `항구 소식: 폭풍 때문에 여객선이 두 시간 늦어져 승객들이 부두에서 기다렸다. ` +
		`시의회는 새 다리를 내년 봄에 개통하기로 결정했다고 밝혔다. 어부들은 많은 물고기를 가지고 돌아왔다.`},
	{"Thai", "windows-874", `ข่าวท่าเรือ: เรือข้ามฟากล่าช้าไปสองชั่วโมงเพราะพายุ ผู้โดยสารรออยู่ที่ท่าเรือ สภาเมืองตัดสินใจว่าสะพานใหม่` +
		`จะเปิดในฤดูใบไม้ผลิ ถ้าอากาศเอื้ออำนวย ชาวประมงกลับมาพร้อมปลาจำนวนมาก`},
}

// accented are texts in languages with Latin letters that windows-1252 lacks.
var accented = []struct{ language, encodings, text string }{
	{"Polish", "windows-1250 iso-8859-2", `Zażółć gęślą jaźń. Łódź już płynie, więc pasażerowie czekają na przystani; wczoraj też było źle. ` +
		`Rada miasta postanowiła, że nowy most zostanie otwarty wiosną, jeśli pogoda na to pozwoli.`},
	{"Czech", "windows-1250 iso-8859-2", `Příliš žluťoučký kůň úpěl ďábelské ódy. Zprávy z přístavu: trajekt měl zpoždění, cestující čekali. ` +
		`Městská rada rozhodla, že nový most bude otevřen na jaře, pokud to počasí dovolí.`},
	{"Slovak", "windows-1250 iso-8859-2", `Správy z prístavu: trajekt meškal dve hodiny pre búrku a cestujúci čakali na móle. Mestská rada rozhodla, ` +
		`že nový most otvoria na jar, ak to počasie dovolí. Rybári sa vrátili s veľkým úlovkom.`},
	{"Hungarian", "windows-1250 iso-8859-2", `Kikötői hírek: a komp két órát késett a vihar miatt, az utasok a mólón vártak. A városi tanács úgy döntött, ` +
		`hogy az új hidat tavasszal nyitják meg, ha az időjárás engedi. A halászok gazdag zsákmánnyal tértek vissza, és örültek ennek a szép, hűvös időnek.`},
	{"Romanian", "windows-1250 iso-8859-2", `Ştiri din port: feribotul a întârziat două ore din cauza furtunii, iar pasagerii au aşteptat pe chei. ` +
		`Consiliul oraşului a hotărât că noul pod va fi deschis în primăvară, dacă vremea permite.`},
	{"Croatian", "windows-1250 iso-8859-2", `Vijesti iz luke: trajekt je kasnio dva sata zbog oluje, a putnici su čekali na pristaništu. Gradsko vijeće ` +
		`odlučilo je da će se novi most otvoriti u proljeće, ako vrijeme dopusti. Ribari su se vratili s mnogo riba, još žive, pa je večera bila obilna.`},
	{"Turkish", "windows-1254", `Şiddetli fırtına yüzünden vapur gecikti; yolcular iskelede bekledi. Köprü önümüzdeki yıl açılacak, çünkü işler güç. ` +
		`Belediye meclisi yeni köprünün baharda açılmasına karar verdi.`},
	{"Lithuanian", "windows-1257 iso-8859-13", `Uosto žinios: keltas dėl audros vėlavo dvi valandas, keleiviai laukė krantinėje. Miesto taryba nusprendė, ` +
		`kad naujasis tiltas bus atidarytas pavasarį, jei leis oras. Žvejai grįžo su dideliu laimikiu.`},
	{"Latvian", "windows-1257 iso-8859-13", `Ostas ziņas: prāmis vētras dēļ kavējās divas stundas, pasažieri gaidīja piestātnē. Pilsētas dome nolēma, ` +
		`ka jauno tiltu atklās pavasarī, ja laiks to atļaus. Zvejnieki atgriezās ar lielu lomu.`},
}

// latin are texts in languages of Western Europe. No other encoding has their letters.
var latin = []struct{ language, encoding, text string }{
	{"French", "windows-1252", `Déjà l’été : la traversée a été retardée à cause d’une tempête, et nos hôtes préférés ` +
		`ont attendu « là-bas ». À bientôt, naïveté créée… Élève, forêt, où, ça, œuvre — à la carte, à côté, à 5 €.`},
	{"German", "windows-1252", `„Größe“ und Maß: Die Fähre hatte über zwei Stunden Verspätung, Fahrgäste ärgerten sich übermäßig. Öffnung früh für Gäste.`},
	{"Spanish", "windows-1252", `¿Qué pasó? El niño salió mañana; la reunión empezó a las ocho según el señor Núñez. ¡Adiós! Está aquí, allá.`},
	{"Portuguese", "windows-1252", `A reunião começou às oito; não houve atenções especiais. Informações à população: ações, lições, órgãos públicos.`},
	{"Norwegian", "windows-1252", `Å gå på en ø: det er å få noe å se på, så å si. Året går, båten får å vente. Blåbærsyltetøy på øya også. Å ja, å nei.`},
	{"Swedish", "windows-1252", `Färjan är försenad på ön. Å, vad väntar så här års? Älvån är låg, räksmörgåsar på ö. Åäö är även små bokstäver.`},
	{"Icelandic", "windows-1252", `Það er ágætt að fá fréttir úr höfninni; ferjan á að koma í kvöld. Þórður og Ásgeir bíða. Í ár á ég að sjá það.`},
	{"English", "windows-1252", `“It’s late,” she said — the “ferry” (£5) didn’t come… ‘Why?’ 100° • café, naïve, résumé. “—” ”’ ‘“A”’ ®™©`},
}

func encoded(t *testing.T, text, name string) string {
	t.Helper()
	e, _ := htmlcharset.Lookup(name)
	raw, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return raw
}

// asFeed is a document of which every word comes with much that is ASCII.
func asFeed(text string) string {
	var items strings.Builder
	for i, sentence := range strings.SplitAfter(text, ". ") {
		fmt.Fprintf(&items, "<item>\n<guid isPermaLink=\"false\">n%d</guid><title>RSS news %[1]d</title><description><![CDATA[<p class=\"x\">%s <b>HTML & more</b></p>]]></description></item>\n", i, sentence)
	}
	return `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour</title><link>http://harbour.example/</link>` + items.String() + `</channel></rss>`
}

func TestUndeclaredEncodingsAreGuessed(t *testing.T) {
	for _, u := range undeclared {
		for name := range strings.FieldsSeq(u.encodings) {
			t.Run(u.language+" in "+name, func(t *testing.T) {
				for what, doc := range map[string]string{"a feed": asFeed(u.text), "a page": "<html><body>" + u.text, "only text": u.text} {
					raw := encoded(t, doc, name)
					got, found, whole := charset.Decode([]byte(raw), "text/xml")
					if found != name || string(got) != doc || !whole {
						t.Errorf("%s was taken for %s, whole %v:\n%.300s", what, found, whole, got)
					}
					if _, found, _ := charset.Decode([]byte(raw[:len(raw)-1]), ""); found != name {
						t.Errorf("%s that was cut off was taken for %s", what, found)
					}
				}
			})
		}
	}
}

// A title or two is enough: any thirty characters of the texts above, for the scripts that have a letter for each sound
// fifty.
func TestShortTextsAreGuessed(t *testing.T) {
	for _, u := range undeclared {
		for name := range strings.FieldsSeq(u.encodings) {
			text, size := []rune(u.text), 30
			if strings.HasPrefix(name, "windows") || strings.HasPrefix(name, "koi8") {
				size = 50
			}
			for i := range len(text) - size {
				part := string(text[i : i+size])
				if _, found, _ := charset.Decode([]byte(encoded(t, asFeed(part), name)), ""); found != name {
					t.Errorf("%q in %s was taken for %s", part, name, found)
				}
			}
		}
	}
}

func TestLatinTextsAreNotGuessed(t *testing.T) {
	for _, l := range latin {
		words := strings.Fields(encoded(t, l.text, l.encoding))
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				part := "<p>" + strings.Join(words[from:to], " ") + "</p>"
				if _, found, _ := charset.Decode([]byte(part), ""); found != "windows-1252" && found != "utf-8" {
					t.Errorf("%s: %q was taken for %s", l.language, part, found)
				}
			}
		}
	}
}

// Some languages have so few accents that two lines may have none that tells them apart.
func TestAccentedLatinTextsAreGuessed(t *testing.T) {
	const size = 140
	right, all := 0, 0
	for _, a := range accented {
		for name := range strings.FieldsSeq(a.encodings) {
			for what, doc := range map[string]string{"a feed": asFeed(a.text), "a page": "<html><body>" + a.text, "only text": a.text} {
				if got, found, whole := charset.Decode([]byte(encoded(t, doc, name)), "text/xml"); string(got) != doc || !whole {
					t.Errorf("%s in %s: %s was taken for %s, whole %v:\n%.300s", a.language, name, what, found, whole, got)
				}
			}
			text := []rune(a.text)
			for i := range len(text) - size {
				part := asFeed(string(text[i : i+size]))
				got, _, _ := charset.Decode([]byte(encoded(t, part, name)), "")
				if all++; string(got) == part {
					right++
				}
			}
		}
	}
	if right*100 < all*95 {
		t.Errorf("%d of %d pieces of %d characters were decoded", right, all, size)
	}
	t.Logf("%d of %d pieces of %d characters were decoded", right, all, size)
}

func TestDeclaredEncodingIsNotGuessed(t *testing.T) {
	for _, u := range undeclared {
		name, _, _ := strings.Cut(u.encodings, " ")
		for _, declared := range []string{"iso-8859-1", "windows-1252", "iso-8859-2"} {
			body := `<?xml version="1.0" encoding="` + declared + `"?>` + encoded(t, u.text, name)
			if _, found, _ := charset.Decode([]byte(body), "text/xml"); found == name {
				t.Errorf("%s declared as %s was taken for %s", name, declared, found)
			}
			if _, found, _ := charset.Decode([]byte(encoded(t, u.text, name)), "text/xml; charset="+declared); found == name {
				t.Errorf("%s served as %s was taken for %s", name, declared, found)
			}
		}
		body := `<?xml version="1.0" encoding="utf-8"?>` + encoded(t, u.text, name) // which it can be seen not to be
		if _, found, _ := charset.Decode([]byte(body), "text/xml; charset=utf-8"); found != name {
			t.Errorf("%s declared as UTF-8 was taken for %s", name, found)
		}
	}
}

func TestGuessLooksAtTheBeginningOnly(t *testing.T) {
	russian, chinese := encoded(t, undeclared[0].text+" ", "koi8-u"), encoded(t, undeclared[3].text+" ", "gb18030")
	body := strings.Repeat(russian, 100) + strings.Repeat(chinese, 1000)
	if _, found, _ := charset.Decode([]byte(body), ""); found != "koi8-u" {
		t.Errorf("taken for %s", found)
	}
	endless := strings.Repeat("\xef", 1<<20) // no place to cut
	if _, found, _ := charset.Decode([]byte(endless), ""); found == "" {
		t.Error("it has no name")
	}
}
