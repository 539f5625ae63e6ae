package profile_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/profile"
)

var update = flag.Bool("update", false, "write the list of knobs in profiles.yaml anew")

func TestBuiltinProfilesAreWellFormed(t *testing.T) {
	want := "instant-articles smartnews msn flipboard newsbreak full-text"
	if got := strings.Join(profile.Names(), " "); got != want {
		t.Fatalf("got the profiles %s, want %s", got, want)
	}
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		if p.About == "" || !strings.HasPrefix(p.Facts, "https://") {
			t.Errorf("%s: about %q and facts %q; a profile names its consumer and the source of its facts", p.Name, p.About, p.Facts)
		}
		if len(p.Counted) == 0 || p.MaxItems == 0 || p.Window == 0 {
			t.Errorf("%s leaves a feed without a consumer, a window or items: %+v", p.Name, p)
		}
	}
}

// Every knob is explained at the head of profiles.yaml.
func TestProfilesFileExplainsEveryKnob(t *testing.T) {
	file, err := os.ReadFile("profiles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "The knobs:\n#\n", "\n\ninstant-articles:"
	head, rest, ok := strings.Cut(string(file), begin)
	_, profiles, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatal("profiles.yaml has no list of knobs")
	}
	var lines []string
	for _, k := range profile.Knobs() {
		lines = append(lines, wrap("# "+k.Key+": "+k.Doc+" "+k.Kind+"; default "+orNothing(k.Default)+"."))
	}
	want := head + begin + strings.Join(lines, "\n") + end + profiles
	if *update {
		if err := os.WriteFile("profiles.yaml", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(file) {
		t.Error("the list of knobs is not that of the table; run go test ./publish/profile -update")
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// wrap breaks a comment at 110 columns.
func wrap(s string) string {
	var b strings.Builder
	column := 0
	for i, w := range strings.Fields(s) {
		switch {
		case i > 0 && column+1+len(w) > 110:
			b.WriteString("\n#   ")
			column = 4
		case i > 0:
			b.WriteString(" ")
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	return b.String()
}

func TestKnobsShowWhatTheySet(t *testing.T) {
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		again := profile.New(p.Name)
		for _, k := range profile.Knobs() {
			if err := k.Set(&again, k.Show(&p)); err != nil {
				t.Errorf("%s: %s: %v", p.Name, k.Key, err)
			}
			if got, want := strings.Join(k.Show(&again), "\n"), strings.Join(k.Show(&p), "\n"); got != want {
				t.Errorf("%s: %s is %q after it was read again, was %q", p.Name, k.Key, got, want)
			}
		}
	}
}

func TestKnobsRefuseNonsense(t *testing.T) {
	for key, text := range map[string]string{
		"forms": "xml", "namespaces": "dc", "dates": "unix", "channel_dates": "a b", "ttl": "-1", "logo": "<x>", "no_hub": "yes",
		"title_minimum": "many", "images": "img", "require": "title", "tags": "<p>", "embeds": "https://youtube.com", "depth": "257",
		"max_items": "0", "window": "1s", "counted": "", "about": "a\nb",
	} {
		for _, k := range profile.Knobs() {
			if k.Key != key {
				continue
			}
			p := profile.New("own")
			before := strings.Join(k.Show(&p), ",")
			if err := k.Set(&p, []string{text}); err == nil {
				t.Errorf("%s takes %q", key, text)
			}
			if after := strings.Join(k.Show(&p), ","); after != before {
				t.Errorf("%s is %s after a refused value, was %s", key, after, before)
			}
		}
	}
}

func TestValidateComparesKnobs(t *testing.T) {
	for name, change := range map[string]func(p *profile.Profile){
		"no namespace of an element": func(p *profile.Profile) { p.Modified = "dcterms:modified" },
		"titles of no length":        func(p *profile.Profile) { p.TitleMinimum, p.TitleMaximum = 20, 10 },
		"descriptions of no length":  func(p *profile.Profile) { p.DescriptionMinimum, p.DescriptionMaximum = 20, 10 },
		"no form":                    func(p *profile.Profile) { p.Forms = nil },
		"instant articles as JSON":   func(p *profile.Profile) { p.Body, p.Forms = profile.BodyInstant, []string{"json"} },
	} {
		p := profile.New("own")
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&p)
		if p.Validate() == nil {
			t.Errorf("%s: no problem", name)
		}
	}
}

// docs/profiles.md tells of each profile all that is not the default.
func TestPageTellsWhatEachProfileSays(t *testing.T) {
	const path, begin = "../../docs/profiles.md", "## What each profile says\n\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(page), begin)
	if !ok {
		t.Fatalf("%s has no part %q", path, begin)
	}
	want := head + begin + tables()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what profiles.yaml says; run go test ./publish/profile -update", path)
	}
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		if !strings.Contains(head, "| `"+p.Name+"` |") {
			t.Errorf("%s does not tell the status of %s", path, p.Name)
		}
	}
}

func tables() string {
	var b strings.Builder
	b.WriteString("Knobs that are not named have the defaults that [configuration.md](configuration.md#a-profile) gives.\n")
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		b.WriteString("\n### " + p.Name + "\n\n" + p.About + " Facts:")
		for i, url := range strings.Fields(p.Facts) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(" <" + url + ">")
		}
		b.WriteString("\n\n| knob | value |\n|---|---|\n")
		fresh := profile.New(p.Name)
		for _, k := range profile.Knobs() {
			value := strings.Join(k.Show(&p), ", ")
			if k.Key == "about" || k.Key == "facts" || value == strings.Join(k.Show(&fresh), ", ") {
				continue
			}
			if value == "" {
				value = "none"
			}
			b.WriteString("| `" + k.Key + "` | " + value + " |\n")
		}
	}
	return b.String()
}
