package parser_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

func TestDocumentsOfOtherKindsAreRefusedByName(t *testing.T) {
	const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"`
	for name, c := range map[string]struct{ body, says, way string }{
		"ActivityPub actor": {`{"@context":["https://www.w3.org/ns/activitystreams",{"x":"y"}],"type":"Person","outbox":"https://x.example/o"}`,
			"ActivityPub Person", "profile page"},
		"ActivityPub outbox": {`{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollection","orderedItems":[]}`,
			"ActivityPub OrderedCollection", "profile page"},
		"ActivityPub page": {`{"@context":"https://www.w3.org/ns/activitystreams","items":[],"type":"CollectionPage"}`,
			"ActivityPub CollectionPage", "profile page"},
		"JSON without version":  {`{"items":[{"id":"1","content_text":"x"}]}`, "without the version of a JSON Feed", "jsonfeed.org/version/1.1"},
		"posts of WordPress":    {`[{"id":1,"guid":{"rendered":"https://x.example/?p=1"},"title":{"rendered":"x"}}]`, "REST API of WordPress", "/feed/"},
		"index of WordPress":    {`{"name":"x","namespaces":["oembed/1.0","wp/v2"],"routes":{}}`, "REST API of WordPress", "/feed/"},
		"JSON list":             {` [ ]`, "a JSON list", ""},
		"other JSON":            {`{"error":"gone"}`, "JSON, but not a JSON Feed", ""},
		"FOAF":                  {rdf + ` xmlns:foaf="http://xmlns.com/foaf/0.1/"><foaf:Person><foaf:name>A</foaf:name></foaf:Person></rdf:RDF>`, "FOAF", "weblog"},
		"RDF":                   {rdf + ` xmlns:x="http://x.example/"><x:y/></rdf:RDF>`, "RDF document without a channel", ""},
		"web page":              {`<!DOCTYPE html><html><head/></html>`, "web page", ""},
		"OPML":                  {`<?xml version="1.0"?><opml version="2.0"><body/></opml>`, "list of feeds in OPML", "feedwire opml import"},
		"sitemap":               {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>`, "a sitemap", "feedwire source add"},
		"index of sitemaps":     {`<sitemapindex/>`, "index of sitemaps", "feedwire source add"},
		"XML of another format": {`<kml/>`, `"kml"`, ""},
	} {
		_, err := parser.Parse(parser.Raw{Body: []byte(c.body), URL: feedURL, Received: received}, feedURL, 0)
		if got := class(t, err); got != feed.FailureNotAFeed {
			t.Errorf("%s: got class %s: %v", name, got, err)
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.way) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p := parsed(t, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"/></rdf:RDF>`, 0); len(p.Document.Entries) > 0 {
		t.Errorf("an empty feed of RSS 1.0 has %d entries", len(p.Document.Entries))
	}
}
