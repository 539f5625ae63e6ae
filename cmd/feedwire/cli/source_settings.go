package cli

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/store/feed"
)

// sourceSettings are the flags with settings of a source. Flags that are not set change nothing.
type sourceSettings struct {
	feeds, keep, block, categories []string
	mode                           string
	interval, keepFor              time.Duration
	ignoreUpdates                  bool
	keepEntries                    int

	timeout, minInterval          time.Duration
	headers                       []string
	username, passwordFile, proxy string
}

func (s *sourceSettings) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&s.feeds, "feed", nil, "outgoing `FEED` of the articles; repeatable (default: production)")
	f.StringVar(&s.mode, "publish", "", "publish articles: auto or manual (default: manual)")
	f.DurationVar(&s.interval, "interval", 0, "fixed time between polls; 0 uses fetch.interval")
	f.StringArrayVar(&s.keep, "keep", nil, "keep only entries that match `FIELD=REGEXP`; repeatable; \"\" removes all")
	f.StringArrayVar(&s.block, "block", nil, "drop entries that match `FIELD=REGEXP`; repeatable; \"\" removes all")
	f.StringArrayVar(&s.categories, "category", nil, "category of the source, such as News/Technology; repeatable")
	f.BoolVar(&s.ignoreUpdates, "ignore-updates", false, "do not update entries after they are stored")
	f.IntVar(&s.keepEntries, "keep-entries", 0, "number of entries to keep (default: fetch.keep_entries)")
	f.DurationVar(&s.keepFor, "keep-for", 0, "how long to keep entries that the source no longer lists (default: fetch.keep_for)")

	f.DurationVar(&s.timeout, "timeout", 0, "timeout of a request (default: fetch.timeout)")
	f.DurationVar(&s.minInterval, "min-interval", 0, "minimum adaptive interval (default: fetch.min_interval)")
	f.StringArrayVar(&s.headers, "header", nil, `request header, "Name: value"; repeatable`)
	f.StringVar(&s.username, "username", "", "user name for HTTP Basic authentication")
	f.StringVar(&s.passwordFile, "password-file", "", "file with the password for HTTP Basic authentication")
	f.StringVar(&s.proxy, "proxy", "", "URL of a proxy, or direct (default: fetch.proxy)")
}

// body returns the body of POST /sources. known are the current filters of the source.
func (s *sourceSettings) body(cmd *cobra.Command, url string, known feed.Filters) (map[string]any, error) {
	set := func(flags ...string) bool { return slices.ContainsFunc(flags, cmd.Flags().Changed) }
	in := map[string]any{"url": url}
	for flag, field := range map[string]struct {
		name  string
		value any
	}{
		"feed": {"feeds", s.feeds}, "publish": {"publish", s.mode}, "interval": {"interval", s.interval.String()},
		"category": {"categories", s.categories}, "ignore-updates": {"ignore_updates", s.ignoreUpdates},
	} {
		if set(flag) {
			in[field.name] = field.value
		}
	}
	if set("keep-entries", "keep-for") {
		in["keep"] = map[string]any{"entries": s.keepEntries, "for": s.keepFor.String()}
	}
	var err error
	if set("timeout", "min-interval", "header", "username", "password-file", "proxy") {
		if in["request"], err = s.request(); err != nil {
			return nil, err
		}
	}
	for flag, filters := range map[string]struct {
		texts []string
		known *[]feed.Filter
	}{"keep": {s.keep, &known.Keep}, "block": {s.block, &known.Block}} {
		if set(flag) {
			if *filters.known, err = parseFilters(filters.texts); err != nil {
				return nil, usage(fmt.Errorf("--%s: %w", flag, err))
			}
		}
	}
	if set("keep", "block") {
		in["filters"] = known
	}
	return in, nil
}

// request returns the settings of requests for the API.
func (s *sourceSettings) request() (map[string]any, error) {
	body := map[string]any{"username": s.username, "proxy": s.proxy}
	for name, d := range map[string]time.Duration{"timeout": s.timeout, "min_interval": s.minInterval} {
		if d != 0 {
			body[name] = d.String()
		}
	}
	headers := make(map[string]string, len(s.headers))
	for _, h := range s.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, usage(fmt.Errorf("header %q has no colon: write \"Name: value\"", h))
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	body["headers"] = headers
	if s.passwordFile != "" {
		text, err := os.ReadFile(s.passwordFile)
		if err != nil {
			return nil, fmt.Errorf("password: %w", err)
		}
		body["password"] = strings.TrimRight(string(text), "\r\n")
	}
	return body, nil
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

// currentFilters returns the filters of an existing source, so that --keep alone does not remove those of --block.
func currentFilters(cmd *cobra.Command, c *client.Client, url string) (feed.Filters, error) {
	if !cmd.Flags().Changed("keep") && !cmd.Flags().Changed("block") {
		return feed.Filters{}, nil
	}
	var known feed.Source
	err := c.Call(cmd.Context(), http.MethodGet, "/api/v1/sources/"+client.Path(url), nil, &known)
	if refusal, ok := errors.AsType[*client.Error](err); ok && refusal.Status == http.StatusNotFound {
		err = nil
	}
	return known.Filters, err
}
