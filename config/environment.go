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

// variables is the environment by name.
func variables(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, v := range env {
		name, text, _ := strings.Cut(v, "=")
		m[name] = text
	}
	return m
}

// readEnvironment reads the variables that begin with FEEDWIRE_. An empty one counts as not set, since that is what
// compose files make of a variable without a value.
func (l *loader) readEnvironment() {
	known := make(map[string]option[Config])
	for _, o := range options() {
		known[o.env()] = o
	}
	for _, name := range slices.Sorted(maps.Keys(l.variables)) {
		text := l.variables[name]
		if !strings.HasPrefix(name, envPrefix) || name == configVariable {
			continue
		}
		at := place{name: printable(name)}
		o, ok := known[name]
		switch {
		case ok && text != "":
			l.setFlat(o, at, text)
		case !ok && !isFromKubernetes(name, text):
			hint := "its name is FEEDWIRE_ and the key in capitals, with _ for dots"
			if likely := suggest(name, slices.Sorted(maps.Keys(known))); likely != "" {
				hint = "did you mean " + likely + "?"
			}
			l.problem(at, "", "there is no such variable", hint)
		}
	}
}

// isFromKubernetes reports whether a variable is one that Kubernetes gives every pod beside a service whose name begins
// with feedwire, such as FEEDWIRE_SERVICE_HOST=10.0.0.1 and FEEDWIRE_PORT=tcp://10.0.0.1:80.
func isFromKubernetes(name, text string) bool {
	form := regexp.MustCompile(`^FEEDWIRE_(\w+_)?(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))(_\w+)?$`)
	return form.MatchString(name) ||
		strings.HasSuffix(name, "_PORT") && strings.Contains(text, "://")
}

// setFlat reads one text, from the environment or a flag, into an option. The items of a list are separated by commas.
func (l *loader) setFlat(o option[Config], at place, text string) {
	texts := []string{text}
	if o.value(l.config).list {
		texts = splitList(text)
	}
	set(l, l.config, o, "", at, texts)
	if o.key != "sources" && o.key != "webhooks" || l.config.places[o.key] != at {
		return
	}
	// They took the place of those of the file.
	maps.DeleteFunc(l.config.places, func(key string, _ place) bool { return strings.HasPrefix(key, o.key+"[") })
	for i := range texts {
		l.config.places[itemKey(o.key, i)+".url"] = at
	}
}
