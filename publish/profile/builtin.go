package profile

import (
	_ "embed" // the profiles that come with feedwire
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed profiles.yaml
var builtin []byte

// Names are the names of the profiles that come with feedwire, in the order of profiles.yaml.
func Names() []string {
	var names []string
	for _, p := range builtins() {
		names = append(names, p.Name)
	}
	return names
}

// Find is the profile of that name, first among own, then among the built-in ones.
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
		panic("profile: profiles.yaml: " + err.Error()) // a mistake in the file, found by any test
	}
	return all
})

// decode reads blocks of knobs by name..
func decode(document []byte) ([]Profile, error) {
	var blocks yaml.MapSlice
	if err := yaml.Unmarshal(document, &blocks); err != nil {
		return nil, err
	}
	knobs := make(map[string]Knob)
	for _, k := range Knobs() {
		knobs[k.Key] = k
	}
	var all []Profile
	for _, b := range blocks {
		p := New(fmt.Sprint(b.Key))
		lines, _ := b.Value.(map[string]any)
		for key, value := range lines {
			k, ok := knobs[key]
			if !ok {
				return nil, fmt.Errorf("%s: there is no knob %s", p.Name, key)
			}
			if err := k.Set(&p, texts(value)); err != nil {
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

// texts is a value of YAML as knobs take it.
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
