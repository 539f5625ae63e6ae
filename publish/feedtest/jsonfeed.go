package feedtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// JSONFeed checks a JSON Feed against version 1.1 of its specification.
func JSONFeed(document []byte) []string {
	var c checker
	if !utf8.Valid(document) {
		c.fault("document", "is not valid UTF-8")
	}
	var feed map[string]any
	if err := json.Unmarshal(document, &feed); err != nil {
		c.fault("document", "is not a JSON object: %v", err)
		return c.faults
	}
	const place = "feed"
	c.keys(place, feed, "version", "title", "home_page_url", "feed_url", "description", "user_comment", "next_url", "icon",
		"favicon", "author", "authors", "language", "expired", "hubs", "items")
	if version, _ := feed["version"].(string); version != "https://jsonfeed.org/version/1.1" {
		c.fault(place, "version is %v", feed["version"])
	}
	c.requiredText(place, feed, "title")
	c.addresses(place, feed, "home_page_url", "feed_url", "next_url", "icon", "favicon")
	c.strings(place, feed, "description", "user_comment")
	if feed["feed_url"] == nil {
		c.fault(place, "has no feed_url")
	}
	if lang, ok := feed["language"]; ok {
		c.language(place, fmt.Sprint(lang))
	}
	if expired, ok := feed["expired"]; ok && expired != true && expired != false {
		c.fault(place, "expired is neither true nor false")
	}
	c.authors(place, feed)
	for i, hub := range c.objects(place, feed, "hubs") {
		at := fmt.Sprintf("hub %d", i+1)
		c.keys(at, hub, "type", "url")
		c.requiredText(at, hub, "type")
		c.requiredText(at, hub, "url")
		c.addresses(at, hub, "url")
	}
	ids := make(map[string]bool)
	if feed["items"] == nil {
		c.fault(place, "has no items")
	}
	for i, item := range c.objects(place, feed, "items") {
		c.jsonItem(fmt.Sprintf("item %d", i+1), item, ids)
	}
	return c.faults
}

func (c *checker) jsonItem(place string, item map[string]any, ids map[string]bool) {
	c.keys(place, item, "id", "url", "external_url", "title", "content_html", "content_text", "summary", "image", "banner_image",
		"date_published", "date_modified", "author", "authors", "tags", "language", "attachments")
	id := c.requiredText(place, item, "id")
	c.unique(place, id, ids)
	c.addresses(place, item, "url", "external_url", "image", "banner_image")
	c.strings(place, item, "title", "content_html", "content_text", "summary")
	if item["content_html"] == nil && item["content_text"] == nil {
		c.fault(place, "has neither content_html nor content_text")
	}
	if s, ok := item["content_html"].(string); ok {
		c.markup(place+" content_html", s)
	}
	for _, key := range []string{"date_published", "date_modified"} {
		if date, ok := item[key]; ok {
			c.date3339(place+" "+key, fmt.Sprint(date))
		}
	}
	c.authors(place, item)
	blank := func(tag any) bool { s, ok := tag.(string); return !ok || strings.TrimSpace(s) == "" }
	if slices.ContainsFunc(c.list(place, item, "tags"), blank) {
		c.fault(place, "tags has a member that is not a text")
	}
	for i, a := range c.objects(place, item, "attachments") {
		at := fmt.Sprintf("%s attachment %d", place, i+1)
		c.keys(at, a, "url", "mime_type", "title", "size_in_bytes", "duration_in_seconds")
		c.requiredText(at, a, "url")
		c.addresses(at, a, "url")
		c.media(at, c.requiredText(at, a, "mime_type"))
		for _, key := range []string{"size_in_bytes", "duration_in_seconds"} {
			if n, ok := a[key]; ok {
				if f, isNumber := n.(float64); !isNumber || f < 0 {
					c.fault(at, "%s is not a number", key)
				}
			}
		}
	}
}

// keys reports names that the specification does not define, except extensions, which begin with an underscore.
func (c *checker) keys(place string, object map[string]any, known ...string) {
	for key := range object {
		if !strings.HasPrefix(key, "_") && !slices.Contains(known, key) {
			c.fault(place, "has %s, which the format does not define", key)
		}
	}
}

// requiredText returns a required text, which must not be blank.
func (c *checker) requiredText(place string, object map[string]any, key string) string {
	s, ok := object[key].(string)
	if !ok || strings.TrimSpace(s) == "" {
		c.fault(place, "%s is not a text, or is empty", key)
	}
	return s
}

func (c *checker) strings(place string, object map[string]any, keys ...string) {
	for _, key := range keys {
		if v, ok := object[key]; ok {
			if _, isText := v.(string); !isText {
				c.fault(place, "%s is not a text", key)
			}
		}
	}
}

func (c *checker) addresses(place string, object map[string]any, keys ...string) {
	for _, key := range keys {
		if v, ok := object[key]; ok {
			c.address(place+" "+key, fmt.Sprint(v))
		}
	}
}

// list returns a list, or nil if there is none.
func (c *checker) list(place string, object map[string]any, key string) []any {
	list, isList := object[key].([]any)
	if _, ok := object[key]; ok && !isList {
		c.fault(place, "%s is not a list", key)
	}
	return list
}

// objects returns the members of a list of objects.
func (c *checker) objects(place string, object map[string]any, key string) (all []map[string]any) {
	for _, member := range c.list(place, object, key) {
		if o, ok := member.(map[string]any); ok {
			all = append(all, o)
		} else {
			c.fault(place, "%s has a member that is not an object", key)
		}
	}
	return all
}

func (c *checker) authors(place string, object map[string]any) {
	all := c.objects(place, object, "authors")
	if one, ok := object["author"].(map[string]any); ok {
		all = append(all, one)
	}
	for _, author := range all {
		c.keys(place+" author", author, "name", "url", "avatar")
		c.addresses(place+" author", author, "url", "avatar")
		c.strings(place+" author", author, "name")
		if len(author) == 0 || author["name"] == "" {
			c.fault(place, "has an author without a name")
		}
	}
}
