package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// checkChoices refuses filters that cannot be compiled. Where those of a known source change, it forgets the validators
// of its last document, so that the next poll reads it again by the new filters. It does so before they are stored:
// forgetting once too often costs one full fetch. (A poll under way may store validators after it; the change then
// shows with the next document.)
func (s *Store) checkChoices(ctx context.Context, src *feed.Source) error {
	if _, err := src.Filters.Compile(); err != nil {
		return fmt.Errorf("filters of %s: %w", src.URL, err)
	}
	known, err := s.SourceByURL(ctx, src.URL)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.Filters.String() == src.Filters.String():
		return nil
	}
	if _, err := s.do(ctx, "HDEL", s.keys.of(src.URL).meta(src.URL), "etag", "last_modified", "body_sum"); err != nil {
		return fmt.Errorf("forget the last document of %s: %w", src.URL, err)
	}
	return nil
}

// choiceFields are the fields of filters and categories. Categories nil leaves those that are stored.
func choiceFields(src *feed.Source) []any {
	fields := []any{"filters", src.Filters.String()}
	if src.Categories != nil {
		list, _ := json.Marshal(feed.CleanCategories(src.Categories)) // strings cannot fail
		fields = append(fields, "categories", string(list))
	}
	return fields
}

// choicesFromMeta reads what choiceFields wrote. Filters that cannot be read become one that cannot be compiled, so that
// polling says so instead of letting everything in.
func choicesFromMeta(src *feed.Source, m map[string]string) {
	filters, err := feed.ParseFilters(m["filters"])
	if err != nil {
		filters = feed.Filters{Keep: []feed.Filter{{Field: "damaged", Match: m["filters"]}}}
	}
	src.Filters = filters
	if text := m["categories"]; text != "" {
		var list []string
		_ = json.Unmarshal([]byte(text), &list) // damaged: none
		src.Categories = list
	}
}

// listedFields are the fields that only a new source gets: what the list it comes from says of it.
func listedFields(src *feed.Source) []any {
	var fields []any
	if src.About.Title != "" {
		fields = append(fields, "title", src.About.Title)
	}
	if src.About.Link != "" {
		fields = append(fields, "link", src.About.Link)
	}
	if src.Paused {
		fields = append(fields, "paused", "1")
	}
	return fields
}
