package profile_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/profile"
)

var update = flag.Bool("update", false, "update profiles.yaml and docs/reference/profiles.md")

func TestBuiltinProfilesAreWellFormed(t *testing.T) {
	if names := profile.Names(); len(names) == 0 || names[0] != profile.InstantArticles {
		t.Fatalf("got the profiles %q, the first is the default", names)
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

func TestProfilesFileDocumentsEverySetting(t *testing.T) {
	file, err := os.ReadFile("profiles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "The keys:\n#\n", "\n\ninstant-articles:"
	head, rest, ok := strings.Cut(string(file), begin)
	_, profiles, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatal("profiles.yaml has no list of keys")
	}
	var lines []string
	for _, k := range new(profile.Profile).Settings() {
		lines = append(lines, wrap("# "+k.Key+": "+k.Doc+" "+k.Kind+"; default "+orNothing(k.Default)+"."))
	}
	want := head + begin + strings.Join(lines, "\n") + end + profiles
	if *update {
		if err := os.WriteFile("profiles.yaml", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(file) {
		t.Error("the list of keys in profiles.yaml is outdated; run go test ./publish/profile -update")
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

func TestShowReversesSet(t *testing.T) {
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		again := profile.New(p.Name)
		for i, k := range again.Settings() {
			original := p.Settings()[i]
			if err := k.Set(original.Show()); err != nil {
				t.Errorf("%s: %s: %v", p.Name, k.Key, err)
			}
			if got, want := strings.Join(k.Show(), "\n"), strings.Join(original.Show(), "\n"); got != want {
				t.Errorf("%s: %s: got %q, want %q", p.Name, k.Key, got, want)
			}
		}
	}
}

func TestSetRefusesInvalidValues(t *testing.T) {
	for key, text := range map[string]string{
		"forms": "xml", "namespaces": "dc", "dates": "unix", "channel_dates": "a b", "ttl": "-1", "logo": "<x>", "no_hub": "yes",
		"title_minimum": "many", "images": "img", "require": "title", "tags": "<p>", "embeds": "https://youtube.com", "depth": "257",
		"max_items": "0", "window": "1s", "counted": "", "about": "a\nb",
	} {
		p := profile.New("own")
		for _, k := range p.Settings() {
			if k.Key != key {
				continue
			}
			before := strings.Join(k.Show(), ",")
			if err := k.Set([]string{text}); err == nil {
				t.Errorf("%s accepts %q", key, text)
			}
			if after := strings.Join(k.Show(), ","); after != before {
				t.Errorf("%s: got %s after a refused value, want %s", key, after, before)
			}
		}
	}
}

func TestValidateRejectsContradictorySettings(t *testing.T) {
	for name, change := range map[string]func(p *profile.Profile){
		"element without a namespace":       func(p *profile.Profile) { p.Modified = "dcterms:modified" },
		"title minimum above maximum":       func(p *profile.Profile) { p.TitleMinimum, p.TitleMaximum = 20, 10 },
		"description minimum above maximum": func(p *profile.Profile) { p.DescriptionMinimum, p.DescriptionMaximum = 20, 10 },
		"no format":                         func(p *profile.Profile) { p.Forms = nil },
		"instant articles as JSON":          func(p *profile.Profile) { p.Body, p.Forms = profile.BodyInstant, []string{"json"} },
	} {
		p := profile.New("own")
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&p)
		if p.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestProfilesAreDocumented compares docs/reference/profiles.md with the profiles. Run with -update to write the page.
func TestProfilesAreDocumented(t *testing.T) {
	const path, begin, end = "../../docs/reference/profiles.md", "## Values\n\n", "\n## Examples\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	_, examples, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatalf("%s lacks the heading %q or %q", path, begin, end)
	}
	want := head + begin + tables() + end + examples
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is outdated; run go test ./publish/profile -update", path)
	}
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		if !strings.Contains(head, "| `"+p.Name+"` |") {
			t.Errorf("%s does not have the status of %s", path, p.Name)
		}
	}
}

func tables() string {
	var b strings.Builder
	b.WriteString("Generated by go test ./publish/profile -update from publish/profile/profiles.yaml. A key that is not listed has its\n[default](configuration.md#a-profile).\n")
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		b.WriteString("\n### " + p.Name + "\n\n" + p.About + " Facts:")
		for i, url := range strings.Fields(p.Facts) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(" <" + url + ">")
		}
		b.WriteString("\n\n| key | value |\n|---|---|\n")
		fresh := profile.New(p.Name)
		for i, k := range p.Settings() {
			value := strings.Join(k.Show(), ", ")
			if k.Key == "about" || k.Key == "facts" || value == strings.Join(fresh.Settings()[i].Show(), ", ") {
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
