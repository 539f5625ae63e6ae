package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	envPrefix      = "FEEDWIRE_"
	configVariable = "FEEDWIRE_CONFIG" // names the file
)

// variables returns the environment by name.
func variables(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, v := range env {
		name, text, _ := strings.Cut(v, "=")
		m[name] = text
	}
	return m
}

// readEnvironment reads the variables that begin with FEEDWIRE_. An empty variable counts as not set, because compose files set
// variables without a value to it.
func (l *loader) readEnvironment() {
	known := make(map[string]*option)
	for _, o := range tables().Options {
		known[o.env()] = o
	}
	for _, name := range slices.Sorted(maps.Keys(l.variables)) {
		text := l.variables[name]
		if !strings.HasPrefix(name, envPrefix) || name == configVariable {
			continue
		}
		at := place{File: printable(name)}
		o, ok := known[name]
		switch {
		case ok && text != "":
			l.setFlat(o, at, text)
		case !ok && !isFromKubernetes(name, text):
			l.problem(at, "", "there is no such variable",
				didYouMean(name, slices.Sorted(maps.Keys(known)), "its name is FEEDWIRE_ and the key in capitals, with _ for dots"))
		}
	}
}

// isFromKubernetes reports whether Kubernetes sets a variable in every pod because of a service whose name begins with
// feedwire, such as FEEDWIRE_SERVICE_HOST=10.0.0.1 and FEEDWIRE_PORT=tcp://10.0.0.1:80.
func isFromKubernetes(name, text string) bool {
	form := regexp.MustCompile(`^FEEDWIRE_(\w+_)?(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))(_\w+)?$`)
	return form.MatchString(name) ||
		strings.HasSuffix(name, "_PORT") && strings.Contains(text, "://")
}

// setFlat parses the text of a variable or flag. The items of a list are separated by commas.
func (l *loader) setFlat(o *option, at place, text string) {
	texts := []string{text}
	if o.list {
		texts = splitList(text)
	}
	l.set(l.config, o, "", at, texts)
	if o.Key != "sources" && o.Key != "webhooks" || l.config.places[o.Key] != at {
		return
	}
	// They replace those of the file.
	maps.DeleteFunc(l.config.places, func(key string, _ place) bool { return strings.HasPrefix(key, o.Key+"[") })
	for i := range texts {
		l.config.places[itemKey(o.Key, i)+".url"] = at
	}
}
