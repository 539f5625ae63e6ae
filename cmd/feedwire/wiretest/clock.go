package wiretest

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Clock is the wall clock of the programs that get its Environment. Their monotonic clock is that of the machine, as it is when
// a real wall clock is set.
type Clock struct {
	t     *testing.T
	path  string
	ahead time.Duration
	shim  string
}

//go:embed clock/now.go.txt
var jumpingTime []byte

//go:embed clock/preload.c
var jumpingLibrary []byte

// NewClock returns a clock that shows the time of the machine.
func NewClock(t *testing.T) *Clock {
	t.Helper()
	dir := t.TempDir()
	c := &Clock{t: t, path: filepath.Join(dir, "ahead"), shim: filepath.Join(dir, "clock.so")}
	c.Jump(0)
	source := filepath.Join(dir, "clock.c")
	if err := os.WriteFile(source, jumpingLibrary, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", "-O1", "-o", c.shim, source).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return c
}

// Jump sets the clock forward, or back if d is negative.
func (c *Clock) Jump(d time.Duration) {
	c.t.Helper()
	c.ahead += d
	file, err := os.OpenFile(c.path, os.O_CREATE|os.O_WRONLY, 0o600) // in place: programs have mapped it
	if err == nil {
		_, err = file.Write(binary.NativeEndian.AppendUint64(nil, uint64(c.ahead)))
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// Environment gives a program of BuildOnClock this clock.
func (c *Clock) Environment() []string { return []string{"CLOCK_OF_TEST=" + c.path} }

// EnvironmentOfC gives this clock to the programs in C that a program starts.
func (c *Clock) EnvironmentOfC() []string {
	return []string{"CLOCK_OF_C=" + c.path, "LD_PRELOAD=" + c.shim}
}

// EnvironmentOfAll is both.
func (c *Clock) EnvironmentOfAll() []string { return append(c.Environment(), c.EnvironmentOfC()...) }

// BuildOnClock is BuildBinary with a package time whose wall clock is a Clock. Every package is compiled once more for it.
func BuildOnClock(t *testing.T) string {
	t.Helper()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, standard := t.TempDir(), filepath.Join(strings.TrimSpace(string(goroot)), "src", "time")
	text, err := os.ReadFile(filepath.Join(standard, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	const call = "sec, nsec, mono := runtimeNow()"
	if strings.Count(string(text), call) != 1 {
		t.Fatalf("package time of %s reads the clock in another way: adapt BuildOnClock", runtime.Version())
	}
	replaced := make(map[string]string) // file of package time → its replacement
	for name, content := range map[string]string{
		"time.go": strings.Replace(string(text), call, "sec, nsec, mono := jumpingNow()", 1), "jumping.go": string(jumpingTime),
	} {
		replaced[filepath.Join(standard, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return buildBinary(t, "on a clock", "-overlay", path)
}
