package daemon

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// documented is a metric as docs/reference/metrics.md tells of it, or as a daemon has it.
type documented struct {
	Type   string
	Labels map[string][]string // name → values, sorted; none: any
}

var (
	metricRow   = regexp.MustCompile("(?m)^\\| `(feedwire_[a-z_]+)` \\| ([a-z]+) \\| (.+?) \\| .+ \\|$")
	metricLabel = regexp.MustCompile("^`([a-z_]+)`: (.+)$")
	metricName  = regexp.MustCompile(`feedwire_[a-z_]+`)
)

// documentedMetrics reads the tables of docs/reference/metrics.md.
func documentedMetrics(t *testing.T) map[string]documented {
	t.Helper()
	all := make(map[string]documented)
	for _, row := range metricRow.FindAllStringSubmatch(wiretest.ReadFile(t, "docs/reference/metrics.md"), -1) {
		name, labels := row[1], make(map[string][]string)
		if _, twice := all[name]; twice {
			t.Errorf("%s has two rows", name)
		}
		for label := range strings.SplitSeq(row[3], "; ") {
			if label == "–" {
				continue
			}
			m := metricLabel.FindStringSubmatch(label)
			if m == nil {
				t.Fatalf("%s: cannot read the labels %q", name, label)
			}
			labels[m[1]] = nil
			if !strings.HasPrefix(m[2], "*") {
				labels[m[1]] = slices.Sorted(slices.Values(strings.Split(m[2], ", ")))
			}
		}
		all[name] = documented{row[2], labels}
	}
	return all
}

// gathered is what the registry of a daemon holds of feedwire's own metrics, with all values of each label.
func gathered(t *testing.T, d *daemon) map[string]documented {
	t.Helper()
	families, err := d.app.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]documented)
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "feedwire_") {
			continue
		}
		values := make(map[string]map[string]bool)
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if values[l.GetName()] == nil {
					values[l.GetName()] = make(map[string]bool)
				}
				values[l.GetName()][l.GetValue()] = true
			}
		}
		labels := make(map[string][]string)
		for name, set := range values {
			labels[name] = slices.Sorted(maps.Keys(set))
		}
		all[f.GetName()] = documented{strings.ToLower(f.GetType().String()), labels}
	}
	return all
}

// compare tells where a metric of the daemon differs from its row. Exact: it also has every value that is listed.
func compare(want, got documented, exact bool) string {
	labels := make(map[string][]string)
	for name, values := range got.Labels {
		listed, known := want.Labels[name]
		if known && listed == nil {
			values = nil
		}
		if known && !exact {
			values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(listed, v) })
			values = slices.Sorted(slices.Values(append(values, listed...)))
		}
		labels[name] = values
	}
	return cmp.Diff(want, documented{got.Type, labels})
}

func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	docs := documentedMetrics(t)
	for name, got := range gathered(t, d) {
		if diff := compare(docs[name], got, name != "feedwire_http_requests_total"); diff != "" {
			t.Errorf("at the start %s is not as its row in docs/reference/metrics.md says (-row +daemon):\n%s", name, diff)
		}
	}

	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	d.add("http://127.0.0.1:1/refused", nil)
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 2 })
	d.fetch("production", wiretest.Facebook, nil)
	d.status("/api/v1/sources") // without a token

	after := gathered(t, d)
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		got, ok := after[name]
		if !ok {
			t.Errorf("docs/reference/metrics.md tells of %s, which the daemon does not have", name)
		} else if diff := compare(docs[name], got, false); diff != "" {
			t.Errorf("after some work %s is not as its row in docs/reference/metrics.md says (-row +daemon):\n%s", name, diff)
		}
	}
	for name := range after {
		if _, ok := docs[name]; !ok {
			t.Errorf("%s has no row in docs/reference/metrics.md", name)
		}
	}
	for _, name := range metricName.FindAllString(wiretest.ReadFile(t, "docs/reference/metrics.md"), -1) {
		if _, ok := docs[name]; !ok {
			t.Errorf("the text of docs/reference/metrics.md names %s, which has no row", name)
		}
	}

	problems, err := testutil.GatherAndLint(d.app.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
