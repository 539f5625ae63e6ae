package config

import (
	"strings"

	"github.com/feedwire/feedwire/publish/profile"
)

// extend is the key of a profile that names the profile to start from.
const extend = "extend"

func profileKey(name string) string { return "profiles." + name }

// decodeProfiles reads the profiles of the file. A profile can extend those above it and the built-in ones.
func (l *loader) decodeProfiles(n node) {
	if !l.isOf(mapping, n, "profiles", "a block of profiles", "write the name of each profile, like our-app:") {
		return
	}
	for _, p := range n.pairs {
		l.decodeProfile(p)
	}
}

func (l *loader) decodeProfile(p pair) {
	key := profileKey(printable(p.key))
	if _, problem := feedType(p.key); problem != nil {
		l.problem(p.at, "profiles", quote(p.key)+" cannot be the name of a profile", problem.Hint)
		return
	}
	if _, taken := profile.Find(p.key, nil); taken {
		l.problem(p.at, key, "a profile of this name comes with feedwire", "choose another name, and write extend: "+p.key+" below it")
		return
	}
	if !l.isOf(mapping, p.value, key, "a block of keys", "write extend: and others below it, further right") {
		return
	}
	made := profile.New(p.key)
	var pairs []pair
	for _, line := range p.value.pairs {
		if line.key != extend {
			pairs = append(pairs, line)
			continue
		}
		base, ok := profile.Find(line.value.text, l.config.Profiles)
		if !ok {
			l.problem(line.value.at, key+"."+extend, "there is no profile "+quote(line.value.text), l.profileHint(line.value.text))
			continue
		}
		made = base
		made.Name = p.key
	}
	before := len(l.problems)
	l.decode(&made, tables().Profile, key+".", "", pairs)
	if err := made.Validate(); err != nil && len(l.problems) == before {
		reason, hint, _ := strings.Cut(err.Error(), "; ")
		l.problem(p.at, key, reason, hint)
	}
	l.config.places[key] = p.at
	l.config.Profiles = append(l.config.Profiles, made) // even an invalid one, so that feeds with it are not reported
}

// profileHint suggests a profile.
func (l *loader) profileHint(name string) string {
	known := profile.Names()
	for _, p := range l.config.Profiles {
		known = append(known, p.Name)
	}
	return didYouMean(name, known, "there are: "+strings.Join(known, ", "))
}
