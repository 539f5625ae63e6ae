package profile

import (
	_ "embed" // profiles.yaml
	"fmt"
	"slices"
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
	var order yaml.MapSlice
	if err := yaml.Unmarshal(document, &order); err != nil {
		return nil, err
	}
	var profiles map[string]Profile
	if err := yaml.UnmarshalWithOptions(document, &profiles, yaml.Strict()); err != nil {
		return nil, err
	}
	var all []Profile
	for _, block := range order {
		p := profiles[fmt.Sprint(block.Key)]
		p.Name = fmt.Sprint(block.Key)
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		all = append(all, p)
	}
	return all, nil
}
