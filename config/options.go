package config

import (
	"cmp"
	_ "embed" // options.yaml
	"log/slog"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed options.yaml
var optionsFile []byte

// option is a row of options.yaml, which describes the fields.
type option struct {
	Key, Field, Default, Kind, Range, Empty, Doc string
	Words                                        []string
	Restart                                      bool

	twin string // key of the same secret, by a file or as it is
	file bool   // names a file with the secret

	kind string // for people: "duration, 1s to 10m"
	list bool   // accepts any number of texts
}

// options contains the options of the configuration and those of the items of its lists.
type options struct {
	Options, Source, Webhook, Profile, Feed []*option
}

// parsed is the content of options.yaml.
var parsed struct {
	once sync.Once
	options
}

// tables returns all options.
func tables() *options {
	parsed.once.Do(func() { parsed.options = readOptions(optionsFile) })
	return &parsed.options
}

// readOptions parses options.yaml and adds what follows from it.
func readOptions(file []byte) (all options) {
	if err := yaml.UnmarshalWithOptions(file, &all, yaml.Strict()); err != nil {
		panic("config: options.yaml: " + err.Error())
	}
	for _, table := range [][]*option{all.Options, all.Source, all.Webhook, all.Profile, all.Feed} {
		for _, o := range table {
			key, isFile := strings.CutSuffix(o.Key, "_file")
			if o.Field = cmp.Or(o.Field, o.Key); isFile {
				secret := find(table, key)
				o.file, o.Field, o.Kind = true, secret.Field, secret.Kind
				o.twin, secret.twin = secret.Key, o.Key
			}
		}
	}
	defaults := profile.New("")
	for _, o := range all.Profile {
		o.Default = o.value(&defaults).show()
	}
	for object, table := range map[any][]*option{
		&Config{}: all.Options, &feed.Source{}: all.Source, &Webhook{}: all.Webhook, &Feed{}: all.Feed, &profile.Profile{}: all.Profile,
	} {
		for _, o := range table {
			v := o.value(object)
			o.kind, o.list = v.kind, v.list
		}
	}
	return all
}

// find returns the option with a key, or nil.
func find(table []*option, key string) *option {
	if i := slices.IndexFunc(table, func(o *option) bool { return o.Key == key }); i >= 0 {
		return table[i]
	}
	return nil
}

// isSection reports whether other keys are below a key.
func isSection(table []*option, key string) bool {
	return slices.ContainsFunc(table, func(o *option) bool { return strings.HasPrefix(o.Key, key+".") })
}

// env returns the name of the environment variable: FEEDWIRE_STORE_REDIS.
func (o *option) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(o.Key, ".", "_"))
}

// flag returns the name of the flag, without dashes: store-redis.
func (o *option) flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(o.Key)
}

// field returns the field of an object, which is a pointer to a struct. It ignores case and underscores in names.
func (o *option) field(object any) reflect.Value {
	field := reflect.ValueOf(object).Elem()
	for name := range strings.SplitSeq(strings.ReplaceAll(o.Field, "_", ""), ".") {
		field = field.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
	}
	return field
}

func (o *option) duration(p *time.Duration) value {
	return number(p, "duration", "write it like 30s, 5m or 1h30m", o.Range, parseDuration, spell)
}

// value returns the access to the option of an object.
func (o *option) value(object any) value {
	field := o.field(object)
	switch p := field.Addr().Interface().(type) {
	case *bool:
		return boolean(p)
	case *int:
		return number(p, "whole number", "use "+o.Range, o.Range, parseCount, spellCount)
	case *int64:
		return number(p, "size", "write it like 512KiB, 8MiB, 1GiB, or in plain bytes", o.Range, parseSize, spellSize)
	case *time.Duration:
		return o.duration(p)
	case *feed.Duration:
		return o.duration((*time.Duration)(p))
	case *slog.Level:
		return oneOf(o.Words, func(s string) { _ = p.UnmarshalText([]byte(s)) }, func() string { return strings.ToLower(p.String()) })
	case *Secret:
		if o.file {
			return secretFile(&p.text, &p.file, textKinds[o.Kind])
		}
		return secret(&p.text, textKinds[o.Kind])
	case *[]string:
		kind := textKinds[o.Kind]
		if o.Words != nil {
			kind = textKind{name: "words, some of " + strings.Join(o.Words, ", "), read: word(o.Words)}
		}
		return list(p, kind.name, kind.read, func(s string) string { return s })
	case *[]netip.Prefix:
		return list(p, "networks", network, netip.Prefix.String)
	case *[]feed.SignalKind:
		return list(p, "kinds of signals", signalKind, func(k feed.SignalKind) string { return string(k) })
	case *[]feed.TopicLease:
		return list(p, "topics with their leases", topicLease, spellTopicLease)
	case *[]feed.Filter:
		return filters(p)
	case *[]feed.GroupRule:
		return list(p, "rules, prefix:value", groupRule, feed.GroupRule.String)
	case *map[string]string:
		return headerList(p)
	case *[]feed.Source:
		return list(p, "URLs", newSource, func(s feed.Source) string { return s.URL })
	case *[]Webhook:
		return list(p, "URLs", newWebhook, func(w Webhook) string { return maskPath(w.URL.Reveal()) })
	case *[]Feed:
		return feedList(p)
	case *string:
		kind := textKinds[o.Kind]
		switch {
		case o.file: // of a source, which does not store the path
			return secretFile(p, new(string), kind)
		case kind.mask != nil:
			return secret(p, kind)
		case o.Words == nil:
			return text(p, kind)
		}
	}
	return oneOf(o.Words, func(s string) { field.SetString(strings.TrimPrefix(s, o.Empty)) },
		func() string { return cmp.Or(field.String(), o.Empty) })
}

// splitList splits a list in an environment variable or flag.
func splitList(s string) []string {
	var all []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// setDefaults sets each option of an object to its default. subject replaces <type>.
func setDefaults(object any, table []*option, subject string) {
	for _, o := range table {
		def := strings.ReplaceAll(o.Default, "<type>", subject)
		v := o.value(object)
		texts := []string{def}
		if o.list {
			texts = splitList(strings.Trim(def, "[]"))
		}
		if problem := v.set(texts); problem != nil {
			panic("config: default of " + o.Key + ": " + problem.String()) // a mistake in options.yaml
		}
	}
}

// newSource returns a source with all defaults.
func newSource(url string) (s feed.Source, problem *Problem) {
	setDefaults(&s, tables().Source, "")
	s.URL, problem = sourceURL(url)
	return s, problem
}

// newWebhook returns a webhook with all defaults.
func newWebhook(url string) (w Webhook, problem *Problem) {
	setDefaults(&w, tables().Webhook, "")
	w.URL.text, problem = callbackURL(url)
	return w, problem
}
