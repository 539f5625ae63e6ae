package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/publish/profile"
)

// loadProfile loads a file with one profile, of the lines.
func loadProfile(t *testing.T, lines string) (profile.Profile, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "feedwire.yaml")
	if err := os.WriteFile(path, []byte("profiles:\n  own:\n"+lines), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path, []string{"HOME=/home/wire"}, nil)
	if err != nil {
		return profile.Profile{}, err
	}
	return c.Profiles[0], nil
}

// The keys of profiles.yaml are those of the configuration.
func TestEveryKeyOfAProfileIsAnOption(t *testing.T) {
	fields := reflect.TypeFor[profile.Profile]()
	for i := range fields.NumField() {
		key := fields.Field(i).Tag.Get("yaml")
		if key == "" {
			key = strings.ToLower(fields.Field(i).Name)
		}
		if find(tables().Profile, key) == nil && key != "-" {
			t.Errorf("options.yaml has no row for %s of a profile", key)
		}
	}
}

func TestBuiltinProfilesAreValidInAConfiguration(t *testing.T) {
	for _, name := range profile.Names() {
		want, _ := profile.Find(name, nil)
		var lines strings.Builder
		for _, o := range tables().Profile {
			lines.WriteString("    " + o.Key + ": " + spellText(o.value(&want).show(), o.list) + "\n")
		}
		got, err := loadProfile(t, lines.String())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got.Name = name
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestProfileRejectsInvalidValues(t *testing.T) {
	for key, text := range map[string]string{
		"forms": "xml", "namespaces": "dc", "dates": "unix", "channel_dates": "a b", "ttl": "-1", "logo": "<x>", "no_hub": "yes",
		"title_minimum": "many", "images": "img", "fields": "mood", "require": "title", "tags": "<p>", "embeds": "https://youtube.com", "depth": "257",
		"max_items": "0", "window": "1s", "counted": `""`, "about": `"a\nb"`,
	} {
		if _, err := loadProfile(t, "    "+key+": "+text+"\n"); err == nil || !strings.Contains(err.Error(), "profiles.own."+key+": ") {
			t.Errorf("%s: %s: %v", key, text, err)
		}
	}
}
