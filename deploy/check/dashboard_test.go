package check

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Grafana's own types read the dashboard, those of its panels and queries too: each field is one that they know, and none that
// they need is missing.
func TestDashboardIsOneOfGrafana(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	raw, err := os.ReadFile(filepath.Join(top, "deploy", "grafana", "dashboards", "feedwire.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board dashboard.Dashboard
	var wrong cog.BuildErrors
	if err := board.UnmarshalJSONStrict(raw); err != nil && !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	for _, w := range wrong {
		// What an annotation says is read by the data source, and no field of the types.
		if strings.HasPrefix(w.Path, "annotations.") && (strings.Contains(w.Message, "titleFormat") || strings.Contains(w.Message, "textFormat")) {
			continue
		}
		t.Error(w)
	}
	if err := board.Validate(); err != nil {
		t.Error(err)
	}
	if len(board.Panels) < 20 {
		t.Errorf("it has read %d panels", len(board.Panels))
	}
}
