package intake

import "testing"

func TestCanonicalRemovesFragmentAndTracking(t *testing.T) {
	for link, want := range map[string]string{
		"https://a.example/1?utm_source=rss&id=5&UTM_campaign=x#c": "https://a.example/1?id=5",
		"https://a.example/1?utm_source=rss":                       "https://a.example/1",
		"https://a.example/1?b=2&a=1":                              "https://a.example/1?b=2&a=1",
		"https://a.example/%zz?utm_source=rss":                     "https://a.example/%zz?utm_source=rss",
		"":                                                         "",
	} {
		if got := canonical(link); got != want {
			t.Errorf("%q became %q, want %q", link, got, want)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("https://a.example/1?utm_source=rss&id=5#c")
	f.Add("?&&utm_#")
	f.Fuzz(func(t *testing.T, link string) {
		once := canonical(link)
		if again := canonical(once); again != once {
			t.Errorf("%q became %q and then %q", link, once, again)
		}
	})
}
