package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// list returns a value of any number of texts, each of which read parses and show formats.
func list[T any](p *[]T, kind string, read func(string) (T, *Problem), show func(T) string) value {
	return value{kind: "list of " + kind, list: true, set: func(texts []string) *Problem {
		all := make([]T, 0, len(texts))
		for _, s := range texts {
			v, problem := read(s)
			if problem != nil {
				return problem
			}
			all = append(all, v)
		}
		*p = all
		return nil
	}, show: func() string {
		shown := make([]string, len(*p))
		for i, v := range *p {
			shown[i] = show(v)
		}
		return spellList(shown)
	}}
}

// headerList returns a value of header fields, each written "Name: value". Values may be secret; only names are shown.
func headerList(p *map[string]string) value {
	return value{kind: "list of header fields", list: true, set: func(texts []string) *Problem {
		const example = `write it like "X-Key: abc"`
		all := make(map[string]string, len(texts))
		for _, s := range texts {
			name, content, ok := strings.Cut(s, ":")
			name, content = strings.TrimSpace(name), strings.TrimSpace(content)
			if !ok {
				return wrong("a header field has no colon", example)
			}
			if err := feed.CheckHeader(name, content); err != nil {
				return wrong(invalidReason(err), example)
			}
			all[name] = content
		}
		*p = nil
		if len(all) > 0 {
			*p = all
		}
		return nil
	}, exact: func() string { return fmt.Sprint(*p) }, show: func() string { // maps print in the order of their keys
		shown := slices.Sorted(maps.Keys(*p))
		for i := range shown {
			shown[i] += ": " + mask
		}
		return spellList(shown)
	}}
}

// signalKind parses the name of a kind of signals.
func signalKind(s string) (feed.SignalKind, *Problem) {
	var kinds []string
	for _, k := range feed.SignalKinds() {
		if string(k) == s {
			return k, nil
		}
		kinds = append(kinds, string(k))
	}
	return "", wrong(quote(s)+" is not a kind of signals", "use some of "+strings.Join(kinds, ", "))
}

// topicLease parses the lease of some topics: "https://wire.example.net/feed/* 1h 24h 168h".
func topicLease(s string) (l feed.TopicLease, problem *Problem) {
	const example = "write the topic, the shortest lease, the default and the longest, like https://wire.example.net/feed/* 1h 24h 168h"
	words := strings.Fields(s)
	if len(words) != 4 {
		return l, wrong(fmt.Sprintf("%s has %d words, not 4", quote(s), len(words)), example)
	}
	l.Topics = words[0]
	if u, err := url.Parse(l.Topics); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return l, wrong(quote(l.Topics)+" is not an absolute http or https URL", example)
	}
	for i, p := range []*time.Duration{&l.Min, &l.Default, &l.Max} {
		if problem := number(p, "duration", example, "1s to 8760h", parseDuration, spell).set(words[i+1:][:1]); problem != nil {
			return l, problem
		}
	}
	if l.Min > l.Default || l.Default > l.Max {
		return l, wrong("the leases "+strings.Join(words[1:], ", ")+" are not in ascending order", example)
	}
	return l, nil
}

func spellTopicLease(l feed.TopicLease) string {
	return strings.Join([]string{l.Topics, spell(l.Min), spell(l.Default), spell(l.Max)}, " ")
}

// filters returns a value of expressions over parts of an entry: "title=ferry".
func filters(p *[]feed.Filter) value {
	v := list(p, "field=expression", func(s string) (feed.Filter, *Problem) {
		f, err := feed.ParseFilter(s)
		if err == nil {
			_, err = feed.Filters{Keep: []feed.Filter{f}}.Compile()
		}
		if err != nil {
			return f, wrong(filterReason(err), "write it like 'title=(?i)ferry', in single quotes")
		}
		return f, nil
	}, feed.Filter.String)
	set := v.set
	v.set = func(texts []string) *Problem {
		before := *p
		if problem := set(texts); problem != nil {
			return problem
		}
		if _, err := (feed.Filters{Keep: *p}).Compile(); err != nil { // too many
			*p = before
			return wrong(filterReason(err), "leave some out, or join them with |")
		}
		if len(*p) == 0 {
			*p = nil
		}
		return nil
	}
	return v
}

// invalidReason returns the text of a feed.ErrInvalid without its prefix. The place of a Problem says where.
func invalidReason(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), feed.ErrInvalid.Error()), ": ")
}

func filterReason(err error) string {
	return strings.TrimPrefix(strings.TrimSpace(invalidReason(err)), "keep filter 1: ")
}
