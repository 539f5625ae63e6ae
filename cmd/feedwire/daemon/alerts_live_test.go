package daemon

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var withAlerts = flag.Bool("alerts", false, "run a Prometheus beside a daemon, and wait until alerts fire and clear (a minute or two)")

// hurry is by how much the times of the rules are shortened for this test.
const hurry = 150

var (
	ruleTime  = regexp.MustCompile(`\b(\d+)([smhd])\b`)
	ruleBound = regexp.MustCompile(`> (\d{3,})\b`) // seconds; no other bound is that great, but for sizes
)

// hurried are the rules with all of their times shortened.
func hurried(t *testing.T, rules string) string {
	t.Helper()
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	changed := 0
	shorten := func(line string) string {
		line = ruleTime.ReplaceAllStringFunc(line, func(found string) string {
			m := ruleTime.FindStringSubmatch(found)
			n, _ := strconv.Atoi(m[1])
			changed++
			return strconv.FormatInt((time.Duration(n)*units[m[2]]/hurry).Milliseconds(), 10) + "ms"
		})
		return ruleBound.ReplaceAllStringFunc(line, func(found string) string {
			n, _ := strconv.ParseFloat(found[2:], 64)
			changed++
			return "> " + strconv.FormatFloat(n/hurry, 'f', 3, 64)
		})
	}
	lines := strings.Split(rules, "\n")
	for i, line := range lines {
		for _, told := range []string{"record:", "summary:", "description:", "#"} {
			if strings.HasPrefix(strings.TrimPrefix(strings.TrimSpace(line), "- "), told) {
				line = ""
			}
		}
		if line != "" {
			lines[i] = shorten(line)
		}
	}
	if changed == 0 {
		t.Fatal("there are no times in the rules")
	}
	return strings.Join(lines, "\n")
}

// observer is a Prometheus that reads a daemon four times a second.
type observer struct {
	t    *testing.T
	base string
	seen map[string]string // alert with its result → state
	told []string          // the timeline
	from time.Time
}

// observe runs a Prometheus until the test ends.
func observe(t *testing.T, target string) *observer {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf(`
global: {scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms}
rule_files: [rules.yml]
scrape_configs: [{job_name: feedwire, static_configs: [{targets: ['%s']}]}]
`, target)
	for name, text := range map[string]string{"prometheus.yml": config, "rules.yml": hurried(t, wiretest.ReadFile(t, rulesPath))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := "127.0.0.1:" + wiretest.FreePort(t)
	cmd := exec.Command(fromPath(t, "prometheus"), "--config.file", filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address, "--log.level", "error",
		"--enable-feature", "native-histograms,exemplar-storage")
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it was told to end
	})
	o := &observer{t: t, base: "http://" + address, seen: make(map[string]string), from: time.Now()}
	wiretest.Eventually(t, "scraped", func() bool { return len(o.query("up == 1")) == 1 })
	return o
}

// ask asks the API of Prometheus; while that does not answer there is nothing.
func (o *observer) ask(path string, parameters url.Values, data any) error {
	req, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.base+path+"?"+parameters.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer := struct {
		Error string
		Data  any
	}{Data: data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != "" {
		return fmt.Errorf("%s: %s", parameters, answer.Error)
	}
	return nil
}

// query is the labels of what an expression gives now.
func (o *observer) query(expr string) (all []map[string]string) {
	var data struct {
		Result []struct{ Metric map[string]string }
	}
	if err := o.ask("/api/v1/query", url.Values{"query": {expr}}, &data); err != nil {
		return nil
	}
	for _, r := range data.Result {
		all = append(all, r.Metric)
	}
	return all
}

// look notes what has changed with the alerts, and returns those that fire.
func (o *observer) look() (firing []string) {
	now := make(map[string]string)
	for _, a := range o.query(`ALERTS{alertname!="FeedwireCronStale"}`) { // the minute of cron is not shortened
		name := strings.TrimPrefix(a["alertname"], "Feedwire")
		if a["result"] != "" {
			name += " (" + a["result"] + ")"
		}
		if now[name] != "firing" {
			now[name] = a["alertstate"]
		}
	}
	for name, state := range now {
		if state == "firing" {
			firing = append(firing, name)
		}
		if o.seen[name] != state {
			o.tell(name + " is " + state)
		}
	}
	for name := range o.seen {
		if now[name] == "" {
			o.tell(name + " has cleared")
		}
	}
	o.seen = now
	slices.Sort(firing)
	return firing
}

func (o *observer) tell(what string) {
	o.told = append(o.told, fmt.Sprintf("%6.1f s  %s", time.Since(o.from).Seconds(), what))
}

// fires waits for an alert, and cleared for its end.
func (o *observer) fires(alert string) {
	o.t.Helper()
	wiretest.Within(o.t, 90*time.Second, alert+" fires", func() bool { return slices.Contains(o.look(), alert) })
}

func (o *observer) cleared(alert string) {
	o.t.Helper()
	wiretest.Within(o.t, 90*time.Second, alert+" clears", func() bool { o.look(); return o.seen[alert] == "" })
}

// A real Prometheus reads a real daemon with the rules as they are, but for shorter times. Trouble makes the alerts fire that
// are for it, and they clear when it is over.
func TestAlertsFireAndClear(t *testing.T) {
	if !*withAlerts {
		t.Skip("run with -alerts, as make test-alerts does")
	}
	var broken, deaf atomic.Bool
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		web.ServeHTTP(w, r)
	}))
	t.Cleanup(source.Close)
	stop := make(chan struct{})
	subscriber := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if deaf.Load() {
			select {
			case <-r.Context().Done():
			case <-stop:
			}
		}
	}))
	t.Cleanup(subscriber.Close)
	t.Cleanup(func() { close(stop) })

	redis := storetest.RedisAOF(t)
	p := wiretest.NewProcess(t, wiretest.BuildBinary(t), fmt.Sprintf("store: {redis: 'unix://%s'}\nhub: {timeout: 1s}", redis.Addr()))
	p.Start()
	p.Ready()
	daemon := p.Client()
	o := observe(t, p.Address)
	defer func() {
		t.Log("the times of the rules are divided by " + strconv.Itoa(hurry) + "\n" + strings.Join(o.told, "\n"))
	}()

	call := func(method, path string, in, out any) {
		t.Helper()
		if err := daemon.Call(t.Context(), method, path, in, out); err != nil {
			t.Fatal(err)
		}
	}
	var added feed.Source
	call(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": subscriber.URL, "kinds": []string{"post_created"}}, nil)
	call(http.MethodPost, "/api/v1/sources", map[string]any{"url": source.URL + "/feed.xml"}, &added)
	wiretest.Eventually(t, "delivered", func() bool {
		return len(o.query(`sum(feedwire_hub_deliveries_total{kind="webhook", result="delivered"}) > 0`)) > 0
	})
	o.tell("all is well: polled and delivered")
	if firing := o.look(); len(firing) > 0 {
		t.Fatalf("%v fire although all is well", firing)
	}
	o.checkExemplars()
	o.checkDashboard()

	o.tell("trouble: the subscriber stops answering")
	deaf.Store(true)
	web.Set("/feed.xml", wiretest.Posts(3)...)
	o.fires("SignalsStuck")
	o.tell("over: the subscriber answers, and is sent the newest")
	deaf.Store(false)
	var page feed.Page[struct {
		ID string `json:"id"`
	}]
	call(http.MethodGet, "/api/v1/hub/subscriptions", nil, &page)
	for _, s := range page.Items {
		call(http.MethodPost, "/api/v1/hub/subscriptions/"+s.ID+"/resend", nil, nil)
	}
	o.cleared("SignalsStuck")

	o.tell("trouble: the source answers 500")
	broken.Store(true)
	o.fires("NoPolls")
	o.tell("over: the source answers, and is polled")
	broken.Store(false)
	call(http.MethodPost, "/api/v1/sources/"+added.ID+"/poll", nil, nil)
	o.cleared("NoPolls")

	o.tell("trouble: the memory of Redis is full")
	commands := storetest.Commands(t, redis.Dial)
	commands.Do("CONFIG", "SET", "maxmemory", "1")
	o.fires("RedisRejectsWrites (oom)")
	if slices.Contains(o.look(), "RedisDown") {
		t.Error("RedisDown fires beside it: one trouble, two pages")
	}
	o.tell("over: there is room again")
	commands.Do("CONFIG", "SET", "maxmemory", "0")
	o.cleared("RedisRejectsWrites (oom)")
}

// checkExemplars looks whether histograms came natively, and led to a poll and to a delivery by ids alone.
func (o *observer) checkExemplars() {
	o.t.Helper()
	for metric, id := range map[string]string{
		"feedwire_poll_duration_seconds": "poll_id", "feedwire_hub_delivery_duration_seconds": "delivery_id",
	} {
		if len(o.query("histogram_count(sum("+metric+")) > 0")) == 0 {
			o.t.Errorf("%s did not come as a native histogram", metric)
		}
		var series []struct {
			Exemplars []struct{ Labels map[string]string }
		}
		around := url.Values{
			"query": {metric}, "start": {strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)}, "end": {strconv.FormatInt(time.Now().Unix()+1, 10)},
		}
		if err := o.ask("/api/v1/query_exemplars", around, &series); err != nil {
			o.t.Fatal(err)
		}
		found := 0
		for _, s := range series {
			for _, e := range s.Exemplars {
				found++
				if len(e.Labels) != 1 || e.Labels[id] == "" || strings.ContainsAny(e.Labels[id], "/:") {
					o.t.Errorf("an exemplar of %s has the labels %v", metric, e.Labels)
				}
			}
		}
		o.tell(fmt.Sprintf("%s: %d exemplars", metric, found))
		if found == 0 {
			o.t.Errorf("%s has no exemplars", metric)
		}
	}
}

// checkDashboard asks everything that the dashboard asks.
func (o *observer) checkDashboard() {
	o.t.Helper()
	d := readDashboard(o.t)
	asked, filled := 0, 0
	for title, exprs := range d.asked() {
		for _, expr := range exprs {
			asked++
			var data struct{ Result []any }
			if err := o.ask("/api/v1/query", url.Values{"query": {expr}}, &data); err != nil {
				o.t.Errorf("%s: %v", title, err)
			}
			if len(data.Result) > 0 {
				filled++
			}
		}
	}
	o.tell(fmt.Sprintf("the dashboard asks %d expressions, %d have something to show", asked, filled))
}
