package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/store/feed"
)

// addSourceFlags adds the flags with settings of a source. Flags that are not set change nothing.
func addSourceFlags(f *pflag.FlagSet) {
	f.StringSlice("feed", nil, "outgoing `FEED` of the articles; repeatable (default: production)")
	f.String("publish", "", "publish articles: auto or manual (default: manual)")
	f.Duration("interval", 0, "fixed time between polls; 0 uses fetch.interval")
	f.StringArray("keep", nil, "keep only entries that match `FIELD=REGEXP`; repeatable; \"\" removes all")
	f.StringArray("block", nil, "drop entries that match `FIELD=REGEXP`; repeatable; \"\" removes all")
	f.StringArray("category", nil, "category of the source, such as News/Technology; repeatable")
	f.Bool("ignore-updates", false, "do not update entries after they are stored")
	f.String("timestamp", "", "order entries by the dates of the source or by their last edit: source or updated (default: source)")
	f.Int("keep-entries", 0, "number of entries to keep (default: fetch.keep_entries)")
	f.Duration("keep-for", 0, "how long to keep entries that the source no longer lists (default: fetch.keep_for)")

	f.Duration("timeout", 0, "timeout of a request (default: fetch.timeout)")
	f.Duration("min-interval", 0, "minimum adaptive interval (default: fetch.min_interval)")
	f.StringArray("header", nil, `request header, "Name: value"; repeatable`)
	f.String("username", "", "user name for HTTP Basic authentication")
	f.String("password-file", "", "file with the password for HTTP Basic authentication")
	f.String("proxy", "", "URL of a proxy, or direct (default: fetch.proxy)")
}

// sourceFields are the fields of POST /sources by flag. A dot leads into an object.
var sourceFields = map[string]string{
	"feed": "feeds", "publish": "publish", "interval": "interval", "category": "categories", "ignore-updates": "ignore_updates",
	"timestamp": "timestamp", "keep": "filters.keep", "block": "filters.block", "keep-entries": "keep.entries", "keep-for": "keep.for",
	"timeout": "request.timeout", "min-interval": "request.min_interval", "header": "request.headers",
	"name": "name", "address": "address",
	"title": "about.title", "username": "request.username", "password-file": "request.password", "proxy": "request.proxy",
}

// sourceBody returns the body of POST /sources without the URL: the flags that are set.
func sourceBody(flags *pflag.FlagSet) (body map[string]any, err error) {
	body = make(map[string]any)
	flags.Visit(func(f *pflag.Flag) {
		field, ok := sourceFields[f.Name]
		if !ok || err != nil {
			return
		}
		into := body
		if object, name, inside := strings.Cut(field, "."); inside {
			if into, ok = body[object].(map[string]any); !ok {
				into = make(map[string]any)
				body[object] = into
			}
			field = name
		}
		into[field], err = sourceValue(f)
	})
	return body, err
}

// sourceValue returns the value of a flag as the API expects it.
func sourceValue(f *pflag.Flag) (any, error) {
	text := f.Value.String()
	list, isList := f.Value.(pflag.SliceValue)
	switch {
	case f.Name == "keep" || f.Name == "block":
		filters, err := parseFilters(list.GetSlice())
		if err != nil {
			err = usage(fmt.Errorf("--%s: %w", f.Name, err))
		}
		return filters, err
	case f.Name == "header":
		return parseHeaders(list.GetSlice())
	case f.Name == "password-file" && text != "":
		password, err := os.ReadFile(text)
		if err != nil {
			err = fmt.Errorf("password: %w", err)
		}
		return strings.TrimRight(string(password), "\r\n"), err
	case isList:
		return list.GetSlice(), nil
	case f.Value.Type() == "bool" || f.Value.Type() == "int":
		return json.RawMessage(text), nil
	}
	return text, nil
}

// parseHeaders parses the values of --header.
func parseHeaders(texts []string) (map[string]string, error) {
	headers := make(map[string]string, len(texts))
	for _, h := range texts {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, usage(fmt.Errorf("header %q has no colon: write \"Name: value\"", h))
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return headers, nil
}

// parseFilters parses the values of --keep or --block and skips empty ones.
func parseFilters(texts []string) ([]feed.Filter, error) {
	var all []feed.Filter
	for _, text := range texts {
		if text == "" {
			continue
		}
		f, err := feed.ParseFilter(text)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// completeFilters adds the filters of an existing source to a body, so that --keep alone does not remove those of --block.
func completeFilters(ctx context.Context, c *client.Client, body map[string]any, url string) error {
	given, ok := body["filters"].(map[string]any)
	if !ok {
		return nil
	}
	var known feed.Source
	err := c.Call(ctx, http.MethodGet, "/api/v1/sources/"+client.Path(url), nil, &known)
	if refusal, ok := errors.AsType[*client.Error](err); ok && refusal.Status == http.StatusNotFound {
		return nil
	}
	for name, filters := range map[string][]feed.Filter{"keep": known.Filters.Keep, "block": known.Filters.Block} {
		if _, set := given[name]; !set {
			given[name] = filters
		}
	}
	return err
}
