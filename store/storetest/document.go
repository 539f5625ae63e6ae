package storetest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Document returns a document with entries of 4 KB of text. It is the same each time.
func Document(feedURL string, entries int) (doc feed.Document) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same text each time
	at := time.Unix(1795176000, 0)
	for i := range entries {
		guid := fmt.Sprintf("http://harbour.example/2026/11/20/story-%d", i)
		doc.Entries = append(doc.Entries, feed.Entry{
			FeedURL: feedURL, GUID: guid, Link: guid, Title: "What happened at the harbour on day " + strconv.Itoa(i),
			Timestamp: at.Add(time.Duration(i) * time.Second), Published: at, Authors: []string{"Ada Lovelace"},
			Content: Prose(random, 4096),
		})
	}
	return doc
}
