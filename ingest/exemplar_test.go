package ingest_test

import (
	"net/http"
	"testing"

	"github.com/feedwire/feedwire/ingest"
)

// Who sees a slow poll in a histogram finds its line in the log by its id.
func TestExemplarOfAPollLeadsToTheLog(t *testing.T) {
	b := poll(t, ingest.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(rss("<item><guid>1</guid></item>")))
	})
	id := b.log.next(t, "poll")["poll"].String()
	families, err := b.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, bucket := range m.GetHistogram().GetBucket() {
				for _, l := range bucket.GetExemplar().GetLabel() {
					found = append(found, l.GetName()+"="+l.GetValue())
				}
			}
		}
	}
	if len(found) != 1 || id == "" || found[0] != "poll_id="+id {
		t.Errorf("the exemplars are %q, and the log says poll=%q", found, id)
	}
}
