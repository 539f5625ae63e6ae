package check

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unit is feedwire.service with a program in it that this machine has.
func unit(t *testing.T) (path string) {
	t.Helper()
	text := strings.ReplaceAll(string(read(t, "deploy/systemd/feedwire.service")), "/usr/bin/feedwire", "/bin/true")
	path = filepath.Join(t.TempDir(), "feedwire.service")
	write(t, path, text)
	return path
}

func TestUnitIsRightAndHardened(t *testing.T) {
	path := unit(t)
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", path).CombinedOutput()
	if err != nil || regexp.MustCompile(`(?m)^.*feedwire\.service:`).Match(out) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=20", path).CombinedOutput()
	if err != nil {
		t.Errorf("the exposure is above 2.0: %v\n%s", err, out)
	}
}
