package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// proxyURL checks the address of a proxy. It may hold a password, so no message repeats it.
func proxyURL(s string) *Problem {
	if feed.CheckProxy(s) != nil {
		return wrong("this is not the URL of a proxy", "write it like http://proxy.example.org:3128 or socks5://127.0.0.1:1080")
	}
	return nil
}

// proxyOrDirect is proxyURL, or the word direct.
func proxyOrDirect(s string) *Problem {
	if s == "direct" {
		return nil
	}
	return proxyURL(s)
}

// maskProxy is a proxy as it may be seen.
func maskProxy(s string) string {
	if u, err := url.Parse(s); err == nil && u.User != nil {
		return maskUserinfo(s)
	}
	return s
}

// headerList is header fields, each written "Name: value". Values may be secret; only names are shown.
func headerList(p *map[string]string) value {
	return value{kind: "list of header fields", list: true, set: func(texts []string) *Problem {
		all := make(map[string]string, len(texts))
		for _, s := range texts {
			name, content, ok := strings.Cut(s, ":")
			name, content = strings.TrimSpace(name), strings.TrimSpace(content)
			if !ok {
				return wrong("a header field has no colon", `write it like "X-Key: abc"`)
			}
			if err := feed.CheckHeader(name, content); err != nil {
				return wrong(strings.TrimPrefix(err.Error(), feed.ErrInvalid.Error()+": "), `write it like "X-Key: abc"`)
			}
			all[name] = content
		}
		*p = nil
		if len(all) > 0 {
			*p = all
		}
		return nil
	}, exact: func() string { return fmt.Sprint(*p) }, show: func() string { // maps print in the order of their keys
		shown := make([]string, 0, len(*p))
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			shown = append(shown, spellText(name+": "+mask, false))
		}
		return "[" + strings.Join(shown, ", ") + "]"
	}}
}

// hidden is a text of a source that must not be seen.
func hidden(p *string, kind string, check func(string) *Problem, show func(string) string) value {
	return masked(single(kind, func(s string) *Problem {
		if s == "" {
			return nil
		}
		if problem := check(s); problem != nil {
			return problem
		}
		*p = s
		return nil
	}, func() string { return show(*p) }), func() string { return *p })
}

// hiddenFile is the twin of hidden: the path of a file that holds it.
func hiddenFile(p *string, check func(string) *Problem) value {
	var s Secret
	v := secretFile(&s, check)
	return single(v.kind, func(path string) *Problem {
		if path == "" {
			return nil
		}
		if *p != "" {
			return setTwice()
		}
		problem := v.set([]string{path})
		if problem == nil {
			*p = s.Reveal()
		}
		return problem
	}, func() string { return "" })
}
