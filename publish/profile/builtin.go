package profile

import (
	_ "embed" // profiles.yaml
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed profiles.yaml
var builtin []byte

// Names returns the names of the built-in profiles in the order of profiles.yaml.
func Names() []string {
	var names []string
	for _, p := range builtins() {
		names = append(names, p.Name)
	}
	return names
}

// Find returns the profile with a name. Profiles in own take precedence over built-in ones.
func Find(name string, own []Profile) (Profile, bool) {
	for _, all := range [][]Profile{own, builtins()} {
		if i := slices.IndexFunc(all, func(p Profile) bool { return p.Name == name }); i >= 0 {
			return all[i], true
		}
	}
	return Profile{}, false
}

var builtins = sync.OnceValue(func() []Profile {
	all, err := decode(builtin)
	if err != nil {
		panic("profile: profiles.yaml: " + err.Error())
	}
	return all
})

// decode parses profiles from YAML.
func decode(document []byte) ([]Profile, error) {
	var blocks yaml.MapSlice
	if err := yaml.Unmarshal(document, &blocks); err != nil {
		return nil, err
	}
	var all []Profile
	for _, b := range blocks {
		p := New(fmt.Sprint(b.Key))
		settings := p.Settings()
		lines, _ := b.Value.(map[string]any)
		for key, value := range lines {
			i := slices.IndexFunc(settings, func(k Setting) bool { return k.Key == key })
			if i < 0 {
				return nil, fmt.Errorf("%s: unknown key %s", p.Name, key)
			}
			if err := settings[i].Set(texts(value)); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", p.Name, key, err)
			}
		}
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// texts returns a YAML value in the form that Set parses.
func texts(value any) []string {
	items, isList := value.([]any)
	if !isList {
		return []string{strings.TrimSpace(fmt.Sprint(value))}
	}
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = fmt.Sprint(item)
	}
	return all
}
