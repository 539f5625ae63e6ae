// Package publish serves the outgoing feeds and counts how often their consumer has fetched each article.
//
// A request walks: which feed (routes.go) → who asks (client.go, serve.go) → the current document (current.go, watch.go),
// rendered once per change (selection.go, entry.go, render.go) → the response → proof that it arrived (publish/arrival) → its
// impressions (recorder.go, record.go), which retire articles. While the store is unavailable, feeds are served from the last
// good copy (lastgood.go), and impressions wait in publish/journal.
package publish
