package daemon

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

const (
	rulesPath     = "deploy/prometheus/feedwire.rules.yml"
	rulesTests    = "deploy/prometheus/feedwire.test.yml"
	dashboardPath = "deploy/grafana/dashboards/feedwire.json"
	runbook       = "https://github.com/feedwire/feedwire/blob/main/docs/reference/alerts.md#"
)

// elsewhere are series that the dashboard and the rules name and the daemon does not have.
var elsewhere = []string{
	"up", "ALERTS", // made by Prometheus
}

// uncharted are metrics without a panel, each with its reason. There is none now.
var uncharted = map[string]string{}

// ruleFile is a file of rules, as Prometheus reads it.
type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []rule
	}
}

type rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

func alertRules(t *testing.T) (recorded, alerts []rule) {
	t.Helper()
	var file ruleFile
	if err := yaml.UnmarshalWithOptions([]byte(wiretest.ReadFile(t, rulesPath)), &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				alerts = append(alerts, r)
			} else {
				recorded = append(recorded, r)
			}
		}
	}
	if len(recorded) == 0 || len(alerts) == 0 {
		t.Fatalf("%s has %d recording rules and %d alerts", rulesPath, len(recorded), len(alerts))
	}
	return recorded, alerts
}

// dashboard is what the tests look at of the one for Grafana.
type dashboard struct {
	Annotations struct{ List []struct{ Name, Expr string } }
	Templating  struct {
		List []struct{ Name, Definition string }
	}
	Panels []panel
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               struct{ UID string }
	GridPos                  struct{ H, W, X, Y int }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct {
		Expr       string
		Datasource struct{ UID string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(wiretest.ReadFile(t, dashboardPath)), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Panels) == 0 {
		t.Fatalf("%s has no panels", dashboardPath)
	}
	return d
}

// asked are the expressions of a dashboard by where they stand, with its variables filled in as Grafana does.
func (d *dashboard) asked() map[string][]string {
	fill := strings.NewReplacer("$job", "feedwire", "$instance", ".*", "$__rate_interval", "5m", "$__interval", "5m")
	all := make(map[string][]string)
	for i := range d.Panels {
		for _, target := range d.Panels[i].Targets {
			all[d.Panels[i].Title] = append(all[d.Panels[i].Title], fill.Replace(target.Expr))
		}
	}
	for _, a := range d.Annotations.List {
		all["annotation "+a.Name] = append(all["annotation "+a.Name], fill.Replace(a.Expr))
	}
	for _, v := range d.Templating.List {
		if query, ok := strings.CutPrefix(v.Definition, "label_values("); ok {
			query, _, _ = strings.Cut(query, ", "+v.Name+")")
			all["variable "+v.Name] = append(all["variable "+v.Name], fill.Replace(query))
		}
	}
	return all
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), fromPath(t, "promtool"), args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// fromPath finds a program of the Prometheus package.
func fromPath(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("this test needs %s: install the package prometheus, as .ci/prometheus does", program)
	}
	return path
}

func TestRulesDoAsTheirTestsSay(t *testing.T) {
	t.Parallel()
	top := func(path string) string { return filepath.Join("..", "..", "..", filepath.FromSlash(path)) }
	promtool(t, "check", "config", top("deploy/prometheus/prometheus.yml")) // with the rules that it names
	promtool(t, "test", "rules", top(rulesTests))
}

// Each alert says how bad it is and where its entry stands, and is tested; the runbook has an entry for no other.
func TestAlertsHaveARunbook(t *testing.T) {
	t.Parallel()
	_, alerts := alertRules(t)
	tests := wiretest.ReadFile(t, rulesTests)
	entries := make(map[string]bool)
	for _, heading := range regexp.MustCompile(`(?m)^## (Feedwire\w+)$`).FindAllStringSubmatch(wiretest.ReadFile(t, "docs/reference/alerts.md"), -1) {
		entries[heading[1]] = true
	}
	for _, a := range alerts {
		if s := a.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has the severity %q", a.Alert, s)
		}
		for _, annotation := range []string{"summary", "description"} {
			if a.Annotations[annotation] == "" {
				t.Errorf("%s has no %s", a.Alert, annotation)
			}
		}
		if want := runbook + strings.ToLower(a.Alert); a.Annotations["runbook_url"] != want {
			t.Errorf("%s has the runbook_url %q, want %q", a.Alert, a.Annotations["runbook_url"], want)
		}
		if !entries[a.Alert] {
			t.Errorf("docs/reference/alerts.md has no entry for %s", a.Alert)
		}
		delete(entries, a.Alert)
		if n := strings.Count(tests, "name: "+a.Alert); n == 0 {
			t.Errorf("%s has no test for %s", rulesTests, a.Alert)
		}
	}
	for left := range maps.Keys(entries) {
		t.Errorf("docs/reference/alerts.md has an entry for %s, which is no alert", left)
	}
}

var (
	selector    = regexp.MustCompile(`\b([a-z][a-z_]*:)?((?:feedwire|go|process|redis)_[a-z0-9_]+(?::[a-z0-9_]+)?)(?:\{([^}]*)\})?`)
	labelWanted = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"([^"]*)"`)
)

// askable are the metrics that expressions may name: those of docs/reference/metrics.md, which another test holds to the daemon, and
// those of its collectors.
func askable(t *testing.T) map[string]documented {
	t.Helper()
	all := documentedMetrics(t)
	reg := prometheus.NewRegistry()
	newMetrics(reg, nil)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "feedwire_") {
			all[f.GetName()] = documented{Labels: map[string][]string{"quantile": nil}}
		}
	}
	recorded, _ := alertRules(t)
	for _, r := range recorded {
		all[r.Record] = documented{Labels: map[string][]string{"task": nil, "result": nil}}
	}
	return all
}

// faultsOf tells what an expression asks for that is not there.
func faultsOf(expr string, metrics map[string]documented) (all []string) {
	for _, found := range selector.FindAllStringSubmatch(expr, -1) {
		name := found[1] + found[2]
		if slices.Contains(elsewhere, name) {
			continue
		}
		m, ok := metrics[name]
		if base, suffixed := strings.CutSuffix(name, "_bucket"); !ok && suffixed && metrics[base].Type == "histogram" {
			m, ok = metrics[base], true
		}
		if !ok {
			all = append(all, name+" does not exist")
			continue
		}
		for _, label := range labelWanted.FindAllStringSubmatch(found[3], -1) {
			values, has := m.Labels[label[1]]
			switch {
			case label[1] == "job" || label[1] == "instance" || label[1] == "le":
			case !has:
				all = append(all, name+" has no label "+label[1])
			case values == nil: // any
			case strings.HasSuffix(label[2], "~"):
				wanted := regexp.MustCompile("^(?:" + label[3] + ")$")
				if !slices.ContainsFunc(values, wanted.MatchString) {
					all = append(all, name+" has no "+label[1]+" like "+label[3])
				}
			case !slices.Contains(values, label[3]):
				all = append(all, name+" has no "+label[1]+" "+label[3])
			}
		}
	}
	return all
}

// What rules, dashboard and documentation ask for is there, by name, label and value.
func TestExpressionsNameWhatExists(t *testing.T) {
	t.Parallel()
	metrics := askable(t)
	tell := func(where, expr string) {
		for _, f := range faultsOf(expr, metrics) {
			t.Errorf("%s: %s", where, f)
		}
	}
	recorded, alerts := alertRules(t)
	for _, r := range slices.Concat(recorded, alerts) {
		tell(r.Record+r.Alert, r.Expr)
	}
	d := readDashboard(t)
	for where, exprs := range d.asked() {
		for _, expr := range exprs {
			tell("panel "+where, expr)
		}
	}
	tell(rulesTests, wiretest.ReadFile(t, rulesTests))
	pages, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "*", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("the documentation is not found: %v", err)
	}
	for _, page := range append(pages, filepath.Join("..", "..", "..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range regexp.MustCompile("`[^`]*feedwire_[a-z][^`]*`").FindAllString(string(text), -1) {
			if !strings.Contains(code, "…") {
				tell(filepath.Base(page), code)
			}
		}
	}
	for _, bad := range []string{"feedwire_nothing", `feedwire_polls_total{reason="dns"}`, `feedwire_polls_total{result="fine"}`, "feedwire_sources_bucket"} {
		if len(faultsOf(bad, metrics)) == 0 {
			t.Errorf("%s passes", bad)
		}
	}
}

// Whoever opens the dashboard finds each metric, or the reason why it is not there.
func TestDashboardShowsEveryMetric(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	shown := make(map[string]bool)
	for where, exprs := range d.asked() {
		for _, found := range selector.FindAllStringSubmatch(strings.Join(exprs, "\n"), -1) {
			if !strings.HasPrefix(where, "variable") && !strings.HasPrefix(where, "annotation") {
				shown[found[1]+strings.TrimSuffix(found[2], "_bucket")] = true
			}
		}
	}
	for name := range documentedMetrics(t) {
		if reason, left := uncharted[name]; shown[name] == left {
			t.Errorf("%s: in a panel: %v, left out because: %q", name, shown[name], reason)
		}
	}
}

// Each panel has a title and a unit, queries the selected data source and overlaps no other panel.
func TestDashboardPanelsAreComplete(t *testing.T) {
	t.Parallel()
	const chosen = "${datasource}"
	d := readDashboard(t)
	ids, taken := make(map[int]bool), make(map[[2]int]string)
	for i := range d.Panels {
		p := &d.Panels[i]
		if p.Title == "" || ids[p.ID] {
			t.Errorf("panel %d %q has no title, or the id of another", p.ID, p.Title)
		}
		ids[p.ID] = true
		g := p.GridPos
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q overlaps %q or is outside the grid", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 || p.Datasource.UID != chosen {
			t.Errorf("%q lacks a description, a unit, an expression or the chosen data source", p.Title)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != chosen {
				t.Errorf("%q asks the data source %q", p.Title, target.Datasource.UID)
			}
		}
	}
}

// Prometheus can read what the dashboard asks.
func TestDashboardParses(t *testing.T) {
	t.Parallel()
	type recording struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var all []recording
	d := readDashboard(t)
	for _, exprs := range d.asked() {
		for _, expr := range exprs {
			all = append(all, recording{"n" + strings.Repeat("n", len(all)), expr})
		}
	}
	check := func(rules []recording) ([]byte, error) {
		text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "rules.yml")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return exec.CommandContext(t.Context(), fromPath(t, "promtool"), "check", "rules", path).CombinedOutput()
	}
	if out, err := check(all); err != nil {
		t.Errorf("promtool does not take what the dashboard asks: %v\n%s", err, out)
	}
	if _, err := check(append(all, recording{"broken", "sum(feedwire_sources"})); err == nil {
		t.Error("promtool takes what cannot be read")
	}
}
