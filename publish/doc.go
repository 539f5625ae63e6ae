// Package publish serves the outgoing feeds and counts how often their consumer took each article. It serves each source as
// a feed of its own, too, of which nothing is counted (republish.go).
//
// A request walks: who asks (client.go) → the current document, rendered once per change (current.go, render.go,
// document.go) → the answer (serve.go, condition.go) → proof that it arrived (receipts.go) → one record of its
// impressions (record.go), which is what retires articles.
package publish
