package setup

import (
	"fmt"
	"os"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/profile"
)

// Rules are the rules files of a configuration.
type Rules struct {
	Feeds    map[string]*rulesfile.Rules // by type
	Sources  map[string]*rulesfile.Rules // by URL
	Warnings []string                    // rules that cannot be used, and why
}

// ReadRules reads each rules file of a configuration once. It returns an error if a file is missing or invalid.
func ReadRules(cfg *config.Config) (*Rules, error) {
	all := &Rules{Feeds: make(map[string]*rulesfile.Rules), Sources: make(map[string]*rulesfile.Rules)}
	known := make(map[string]*rulesfile.Rules)
	read := func(into map[string]*rulesfile.Rules, key, name, path string) error {
		if path == "" {
			return nil
		}
		set, ok := known[path]
		if !ok {
			var warnings []string
			var err error
			if set, warnings, err = readRules(path); err != nil {
				return fmt.Errorf("%s: %s: %w; set it to a valid rules file, see docs/reference/transformer.md", key, path, err)
			}
			known[path] = set
			for _, w := range warnings {
				all.Warnings = append(all.Warnings, path+": "+w)
			}
		}
		into[name] = set
		return nil
	}
	for i := range cfg.Feeds {
		f := &cfg.Feeds[i]
		key := "feeds." + f.Type + ".rules"
		if err := read(all.Feeds, key, f.Type, f.Rules); err != nil {
			return nil, err
		}
		if p, _ := profile.Find(f.Profile, cfg.Profiles); f.Rules != "" && p.Body != profile.BodyInstant {
			all.Warnings = append(all.Warnings, key+": the rules have no effect, because profile "+f.Profile+" does not produce Instant Articles")
		}
	}
	for i := range cfg.Sources {
		if err := read(all.Sources, "sources["+cfg.Sources[i].URL+"].rules", cfg.Sources[i].URL, cfg.Sources[i].Rules); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ReadRulesFile reads one rules file for the feed of a type.
func ReadRulesFile(typ, path string) (*Rules, error) {
	set, warnings, err := readRules(path)
	return &Rules{Feeds: map[string]*rulesfile.Rules{typ: set}, Warnings: warnings}, err
}

// readRules reads one rules file, see rulesfile.Parse.
func readRules(path string) (*rulesfile.Rules, []string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	return rulesfile.Parse(data)
}
