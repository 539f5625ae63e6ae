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

var builtins = sync.OnceValue(func() (all []Profile) {
	must := func(err error, what string) {
		if err != nil {
			panic("profile: " + what + ": " + err.Error())
		}
	}
	var order yaml.MapSlice
	must(yaml.Unmarshal(builtin, &order), "profiles.yaml")
	var profiles map[string]Profile
	must(yaml.UnmarshalWithOptions(builtin, &profiles, yaml.Strict()), "profiles.yaml")
	for _, block := range order {
		p := profiles[fmt.Sprint(block.Key)]
		p.Name = fmt.Sprint(block.Key)
		must(p.Validate(), p.Name)
		all = append(all, p)
	}
	return all
})
