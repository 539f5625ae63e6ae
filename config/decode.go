package config

import (
	"reflect"
	"strings"
)

// decodeFile reads the document of the file.
func (l *loader) decodeFile(root node) {
	switch root.kind {
	case nothing:
	case mapping:
		if profiles := root.child("profiles"); profiles != nil { // before the feeds that use them, in any order
			l.decodeProfiles(*profiles)
		}
		l.decode(l.config, tables().Options, "", "", root.pairs)
	default:
		l.problem(root.at, "", "the file is "+root.kind.String(), "write keys and values, like listen: 127.0.0.1:8080")
	}
}

// isOf reports whether a node has a kind or is empty. Otherwise it reports a problem.
func (l *loader) isOf(want kind, n node, key, what, hint string) bool {
	if n.kind == want || n.kind == nothing {
		return true
	}
	l.problem(n.at, key, "this is "+n.kind.String()+", not "+what, hint)
	return false
}

// decodeItems reads a list whose items are blocks of keys, or a URL alone.
func decodeItems[T any](l *loader, n node, name string, table []*option, all *[]T) {
	noun := strings.TrimSuffix(name, "s")
	if !l.isOf(sequence, n, name, "a list", "begin each "+noun+" with - url:") {
		return
	}
	if len(n.items) > 0 {
		l.config.places[name] = n.at
	}
	for i, item := range n.items {
		var made T
		setDefaults(&made, table, "")
		key := itemKey(name, i)
		switch item.kind {
		case mapping:
			l.decode(&made, table, key+".", "", item.pairs)
		case scalar:
			l.decode(&made, table, key+".", "", []pair{{"url", item.at, item}})
		default:
			l.problem(item.at, key, "this is "+item.kind.String()+", not a "+noun, "write - url: https://…")
			continue
		}
		l.config.places[key] = item.at
		*all = append(*all, made)
	}
}

// decode reads a block of keys into an object. prefix precedes all keys of the object, and path those of this block.
func (l *loader) decode(object any, table []*option, prefix, path string, pairs []pair) {
	for _, p := range pairs {
		key := path + p.key
		o := find(table, key)
		switch {
		case prefix+key == "sources":
			decodeItems(l, p.value, key, tables().Source, &l.config.Sources)
		case prefix+key == "webhooks":
			decodeItems(l, p.value, key, tables().Webhook, &l.config.Webhooks)
		case prefix+key == "profiles": // decoded first
		case prefix+key == "groups":
			l.decodeGroups(p.value)
		case prefix+key == "feeds":
			l.decodeFeeds(p.value)
		case strings.Contains(p.key, "."):
			section, name, _ := strings.Cut(printable(p.key), ".")
			l.problem(p.at, prefix+printable(key), "keys are not joined with dots here",
				"write "+section+": and below it, further right, "+name+":")
		case o != nil:
			l.decodeValue(object, o, prefix, p)
		case !isSection(table, key):
			l.problem(p.at, prefix+printable(key), "there is no such key", hintFor(prefix, table, key))
		case l.isOf(mapping, p.value, prefix+key, "a block of keys", "write its keys below it, further right"):
			l.decode(object, table, prefix, key+".", p.value.pairs)
		}
	}
}

// decodeValue reads one value. An empty value, as in "key:", keeps the default. A single value is a list of one item.
func (l *loader) decodeValue(object any, o *option, prefix string, p pair) {
	switch {
	case p.value.kind == nothing:
	case p.value.kind == scalar:
		l.set(object, o, prefix, p.value.at, []string{p.value.text})
	case p.value.kind == sequence && o.list:
		l.decodeList(object, o, prefix, p.value)
	default:
		l.problem(p.value.at, prefix+o.Key, "this is "+p.value.kind.String(), "write a "+o.kind)
	}
}

// decodeList reads a list. It first tries each item alone, so that a problem has the place of its item.
func (l *loader) decodeList(object any, o *option, prefix string, n node) {
	texts := make([]string, 0, len(n.items))
	for _, item := range n.items {
		if item.kind != scalar {
			l.problem(item.at, prefix+o.Key, "this is "+item.kind.String()+", not a single value", "write one text for each item")
			continue
		}
		trial := reflect.New(reflect.TypeOf(object).Elem()).Interface()
		if problem := o.value(trial).set([]string{item.text}); problem != nil {
			l.problem(item.at, prefix+o.Key, problem.Reason, problem.Hint)
			continue
		}
		texts = append(texts, item.text)
	}
	l.set(object, o, prefix, n.at, texts)
}

// hintFor suggests a key of the table with a prefix.
func hintFor(prefix string, table []*option, key string) string {
	known := []string{"profiles", "groups"}
	if prefix != "" {
		known = nil
	}
	if strings.HasPrefix(prefix, profileKey("")) {
		known = []string{extend}
	}
	for _, o := range table {
		if section, _, ok := strings.Cut(o.Key, "."); ok {
			known = append(known, section)
		}
		known = append(known, o.Key)
	}
	return didYouMean(key, known, "all keys are in the output of feedwire config example")
}
