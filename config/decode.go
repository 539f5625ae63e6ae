package config

import "strings"

// decodeFile reads the document of the file.
func (l *loader) decodeFile(root node) {
	switch root.kind {
	case nothing:
	case mapping:
		if profiles := root.child("profiles"); profiles != nil { // feeds follow them, wherever they stand
			l.decodeProfiles(*profiles)
		}
		decode(l, l.config, options(), "", "", root.pairs)
	default:
		l.problem(root.at, "", "the file is "+root.kind.String(), "write keys and values, like listen: 127.0.0.1:8080")
	}
}

func (l *loader) decodeSources(n node) {
	decodeItems(l, n, "sources", "source", sourceOptions(), newSource, &l.config.Sources)
}

func (l *loader) decodeWebhooks(n node) {
	decodeItems(l, n, "webhooks", "webhook", webhookOptions(), newWebhook, &l.config.Webhooks)
}

// decodeItems reads a list whose items are blocks of keys, or a URL alone.
func decodeItems[T any](l *loader, n node, name, noun string, table []option[T], fresh func() T, all *[]T) {
	if n.kind != sequence && n.kind != nothing {
		l.problem(n.at, name, "this is "+n.kind.String()+", not a list", "begin each "+noun+" with - url:")
		return
	}
	if len(n.items) > 0 {
		l.config.places[name] = n.at
	}
	for i, item := range n.items {
		made, key := fresh(), itemKey(name, i)
		switch item.kind {
		case mapping:
			decode(l, &made, table, key+".", "", item.pairs)
		case scalar:
			decode(l, &made, table, key+".", "", []pair{{"url", item.at, item}})
		default:
			l.problem(item.at, key, "this is "+item.kind.String()+", not a "+noun, "write - url: https://…")
			continue
		}
		l.config.places[key] = item.at
		*all = append(*all, made)
	}
}

// decode reads a block of keys into t. Prefix is what stands before all keys of t, and path is what stands before
// those of this block.
func decode[T any](l *loader, t *T, table []option[T], prefix, path string, pairs []pair) {
	for _, p := range pairs {
		key := path + p.key
		o, isOption := find(table, key)
		switch {
		case prefix+key == "sources":
			l.decodeSources(p.value)
		case prefix+key == "webhooks":
			l.decodeWebhooks(p.value)
		case prefix+key == "profiles": // read before all else
		case prefix+key == "feeds":
			l.decodeFeeds(p.value)
		case strings.Contains(p.key, "."):
			section, name, _ := strings.Cut(printable(p.key), ".")
			l.problem(p.at, prefix+printable(key), "keys are not joined with dots here",
				"write "+section+": and below it, further right, "+name+":")
		case isOption:
			decodeValue(l, t, o, prefix, p)
		case !isSection(table, key):
			l.problem(p.at, prefix+printable(key), "there is no such key", hintFor(table, key, beside(prefix)...))
		case p.value.kind == mapping:
			decode(l, t, table, prefix, key+".", p.value.pairs)
		case p.value.kind != nothing:
			l.problem(p.value.at, prefix+key, "this is "+p.value.kind.String()+", not a block of keys",
				"write its keys below it, further right")
		}
	}
}

// decodeValue reads one value. Nothing, as in "key:", leaves the default; a single value is a list of one.
func decodeValue[T any](l *loader, t *T, o option[T], prefix string, p pair) {
	v := o.value(t)
	switch {
	case p.value.kind == nothing:
	case p.value.kind == scalar:
		set(l, t, o, prefix, p.value.at, []string{p.value.text})
	case p.value.kind == sequence && v.list:
		decodeList(l, t, o, prefix, p.value)
	default:
		l.problem(p.value.at, prefix+o.key, "this is "+p.value.kind.String(), "write a "+v.kind)
	}
}

// decodeList reads a list. Each item is tried alone first, so that a problem has the place of its item.
func decodeList[T any](l *loader, t *T, o option[T], prefix string, n node) {
	texts := make([]string, 0, len(n.items))
	for _, item := range n.items {
		if item.kind != scalar {
			l.problem(item.at, prefix+o.key, "this is "+item.kind.String()+", not a single value",
				"write one text for each item")
			continue
		}
		if problem := o.value(new(T)).set([]string{item.text}); problem != nil {
			l.problem(item.at, prefix+o.key, problem.Reason, problem.Hint)
			continue
		}
		texts = append(texts, item.text)
	}
	set(l, t, o, prefix, n.at, texts)
}

func find[T any](table []option[T], key string) (option[T], bool) {
	for _, o := range table {
		if o.key == key {
			return o, true
		}
	}
	return option[T]{}, false
}

// isSection reports whether other keys stand below key.
func isSection[T any](table []option[T], key string) bool {
	for _, o := range table {
		if strings.HasPrefix(o.key, key+".") {
			return true
		}
	}
	return false
}

// beside are the keys that are no options and stand beside those that have a prefix.
func beside(prefix string) []string {
	switch {
	case prefix == "":
		return []string{"profiles"}
	case strings.HasPrefix(prefix, profileKey("")):
		return []string{extend}
	}
	return nil
}

// hintFor says which key was likely meant, of those of the table and others that are known.
func hintFor[T any](table []option[T], key string, known ...string) string {
	for _, o := range table {
		if section, _, ok := strings.Cut(o.key, "."); ok {
			known = append(known, section)
		}
		known = append(known, o.key)
	}
	if likely := suggest(key, known); likely != "" {
		return "did you mean " + likely + "?"
	}
	return "all keys are in the output of feedwire config example"
}
