package delivery_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/delivery"
)

// logged collects the lines of a logger.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// about returns the messages of the lines that name a delivery.
func (l *logged) about(t *testing.T, delivery string) (messages []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		if fields["delivery"] == delivery {
			messages = append(messages, fields["msg"].(string))
		}
	}
	return messages
}

// The exemplar of a late delivery has the id that the log and the subscriber have.
func TestExemplarNamesTheLoggedDelivery(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, func(w http.ResponseWriter, req *http.Request) {
			if strings.HasSuffix(req.URL.Path, "/gone") {
				w.WriteHeader(http.StatusGone)
			}
		})
		d.subscribe(r.callback("/here"), "secret/here")
		d.subscribe(r.callback("/gone"), "secret/gone")
		log, reg := new(logged), prometheus.NewRegistry()
		d.run(delivery.Options{Registerer: reg, Logger: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		d.news("<feed/>", false)
		eventually(t, "an accepted delivery", func() bool { return len(r.got()) == 1 })
		id := r.got()[0].id
		eventually(t, "the log", func() bool { return len(log.about(t, id)) == 3 })
		got := log.about(t, id)
		slices.Sort(got)
		if want := []string{"delivery", "delivery", "subscription ended"}; !slices.Equal(got, want) {
			t.Errorf("the log has %q about %s, want %q", got, id, want)
		}
		exemplars := func() (all []string) {
			families, err := reg.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				for _, m := range f.GetMetric() {
					for _, b := range m.GetHistogram().GetBucket() {
						for _, l := range b.GetExemplar().GetLabel() {
							all = append(all, l.GetName()+"="+l.GetValue())
						}
					}
				}
			}
			return all
		}
		eventually(t, "an exemplar", func() bool { return len(exemplars()) > 0 })
		if got := exemplars(); !slices.Equal(got, []string{"delivery_id=" + id}) {
			t.Errorf("the exemplars are %q, want delivery_id=%s", got, id)
		}
	})
}
