package main

import (
	"fmt"
	"os"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
)

// publisherRules are the rules files of a configuration, read.
type publisherRules struct {
	feeds    map[string]*instant.Rules // by type
	sources  map[string]*instant.Rules // by URL
	warnings []string                  // what of them cannot be used
}

// readRules reads them, each file once. A file that is no rules file is an error.
func readRules(cfg *config.Config) (*publisherRules, error) {
	all := &publisherRules{feeds: make(map[string]*instant.Rules), sources: make(map[string]*instant.Rules)}
	known := make(map[string]*instant.Rules)
	read := func(into map[string]*instant.Rules, key, name, path string) error {
		if path == "" {
			return nil
		}
		rules, ok := known[path]
		if !ok {
			var warnings []string
			var err error
			if rules, warnings, err = readRulesFile(path); err != nil {
				return fmt.Errorf("%s: %s: %w; name a rules file that can be read, see docs/transformer.md", key, path, err)
			}
			known[path] = rules
			for _, w := range warnings {
				all.warnings = append(all.warnings, path+": "+w)
			}
		}
		into[name] = rules
		return nil
	}
	for i := range cfg.Feeds {
		f := &cfg.Feeds[i]
		key := "feeds." + f.Type + ".rules"
		if err := read(all.feeds, key, f.Type, f.Rules); err != nil {
			return nil, err
		}
		if p, _ := profile.Find(f.Profile, cfg.Profiles); f.Rules != "" && p.Body != profile.BodyInstant {
			all.warnings = append(all.warnings, key+": it has no effect, only instant articles have rules and profile "+f.Profile+" makes none")
		}
	}
	for i := range cfg.Sources {
		if err := read(all.sources, "sources["+cfg.Sources[i].URL+"].rules", cfg.Sources[i].URL, cfg.Sources[i].Rules); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func readRulesFile(path string) (*instant.Rules, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return instant.ReadRules(f)
}

// warn logs what of the rules cannot be used.
func (a *app) warn(rules *publisherRules) {
	for _, w := range rules.warnings {
		a.log.Warn("rule cannot be used", "err", w)
	}
}
