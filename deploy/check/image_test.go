package check

import (
	"bytes"
	"crypto/x509"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// release is the version information of the builds of these tests.
var release = []string{"VERSION=v1.2.3", "REVISION=0123", "DATE=2026-11-20T08:00:00Z"}

// buildImage runs the steps of the Dockerfile without Docker: those of its first stage on this machine, which has what the base
// image has, and the copies of its last one into a directory that is the root of the image.
func buildImage(t *testing.T) (root string) {
	t.Helper()
	all := stages(t)
	build, last := all[0], all[len(all)-1]
	src := t.TempDir()
	for _, c := range build.Commands {
		switch c := c.(type) {
		case *instructions.WorkdirCommand:
			if c.Path != "/src" {
				t.Fatalf("this test takes WORKDIR for /src, not %s", c.Path)
			}
		case *instructions.CopyCommand:
			copyContext(t, src, c.SourcePaths)
		case *instructions.RunCommand:
			cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(c.CmdLine, " "))
			cmd.Dir = src
			cmd.Env = append(append(os.Environ(), "TARGETOS=linux", "TARGETARCH="+runtime.GOARCH), release...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("RUN %s: %v\n%s", c.CmdLine, err, out)
			}
		case *instructions.ArgCommand:
		default:
			t.Fatalf("this test does not know %s", c.Name())
		}
	}
	root = t.TempDir()
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil { // another user starts the program
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range last.Commands {
		c, is := c.(*instructions.CopyCommand)
		if !is {
			continue
		}
		for _, from := range c.SourcePaths {
			to := filepath.Join(root, c.DestPath)
			if strings.HasSuffix(c.DestPath, "/") {
				to = filepath.Join(to, filepath.Base(from))
			}
			if inside, ok := strings.CutPrefix(from, "/src/"); ok {
				from = filepath.Join(src, inside)
			}
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), "cp", "-RL", from, to).CombinedOutput(); err != nil {
				t.Fatalf("COPY %s: %v\n%s", from, err, out)
			}
			if c.Chown != "" {
				if out, err := exec.CommandContext(t.Context(), "chown", "-R", c.Chown, to).CombinedOutput(); err != nil {
					t.Fatalf("COPY --chown=%s: %v\n%s", c.Chown, err, out)
				}
			}
		}
	}
	return root
}

// copyContext copies what .dockerignore leaves of the checkout.
func copyContext(t *testing.T, dst string, paths []string) {
	t.Helper()
	patterns, err := ignorefile.ReadAll(bytes.NewReader(read(t, ".dockerignore")))
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		err := filepath.WalkDir(filepath.Join(top, path), func(full string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == ".git" {
				return fs.SkipDir
			}
			name, _ := filepath.Rel(top, full)
			if skip, err := ignored.MatchesOrParentMatches(name); err != nil || skip || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			to := filepath.Join(dst, name)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, text, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The program of the image starts as its user, without rights, in its root, which cannot be written to but for its volume.
func TestImageRuns(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can change root and user")
	}
	root := buildImage(t)
	all := stages(t)
	last := all[len(all)-1]

	program, err := elf.Open(filepath.Join(root, "usr/bin/feedwire"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is not static: there is nothing in the image that would load it")
		}
	}
	made := exec.CommandContext(t.Context(), "make", append([]string{"-C", top, "build"}, release...)...)
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v\n%s", err, out)
	}
	here, err := os.ReadFile(filepath.Join(top, "bin/feedwire"))
	if there, err2 := os.ReadFile(filepath.Join(root, "usr/bin/feedwire")); err != nil || err2 != nil || !bytes.Equal(here, there) {
		t.Errorf("make build gives other bytes here than in the image (%v, %v)", err, err2)
	}
	certificates, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(certificates) {
		t.Errorf("there are no certificates in the image: %v", err)
	}

	env := []string{"FEEDWIRE_API_TOKEN=a-token-of-the-image"}
	for _, c := range last.Commands {
		if c, is := c.(*instructions.EnvCommand); is {
			for _, v := range c.Env {
				env = append(env, v.Key+"="+v.Value)
			}
		}
	}
	env = append(env, "FEEDWIRE_LISTEN=127.0.0.1:"+freePort(t), "FEEDWIRE_ADMIN_LISTEN=127.0.0.1:"+freePort(t))
	user, volume := find[*instructions.UserCommand](t, last).User, find[*instructions.VolumeCommand](t, last).Volumes[0]
	uid, gid, _ := strings.Cut(user, ":")
	inImage := func(args ...string) *exec.Cmd {
		// A mount namespace of its own: the root read-only, the volume as it is.
		script := fmt.Sprintf(`mount --bind %[1]s %[1]s && mount --bind %[1]s%[2]s %[1]s%[2]s && mount -o remount,bind,ro %[1]s &&
			exec setpriv --no-new-privs chroot --userspec=%[3]s %[1]s "$@"`, root, volume, user)
		cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--mount", "sh", "-c", script, "sh"}, args...)...)
		cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
		return cmd
	}
	entry := find[*instructions.EntrypointCommand](t, last).CmdLine
	check := find[*instructions.HealthCheckCommand](t, last).Health.Test[1:]
	if out, err := inImage(check...).CombinedOutput(); exitCode(err) != 3 {
		t.Errorf("without a daemon the check says %q (%v), want exit code 3", out, err)
	}
	var log bytes.Buffer
	daemon := inImage(append(entry, find[*instructions.CmdCommand](t, last).CmdLine...)...)
	daemon.Stderr = &log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	stop := func() error {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		return <-ended
	}
	defer func() {
		if t.Failed() {
			_ = daemon.Process.Kill()
			t.Log(log.String())
		}
	}()
	eventually(t, "the check of the image is content", func() bool { return inImage(check...).Run() == nil })

	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", daemon.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Name:\tfeedwire", "Uid:\t" + uid + "\t" + uid, "Gid:\t" + gid, "CapEff:\t0000000000000000", "NoNewPrivs:\t1"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("the process has no %q:\n%s", want, status)
		}
	}
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/root/written", daemon.Process.Pid), nil, 0o600); err == nil {
		t.Error("its root can be written to")
	}
	if kept, err := os.ReadDir(filepath.Join(root, volume)); err != nil || len(kept) == 0 {
		t.Errorf("it has written nothing to its volume: %v", err)
	}
	if err := stop(); err != nil {
		t.Errorf("asked to end, it ends with %v", err)
	}
}

func exitCode(err error) int {
	if exit, is := err.(*exec.ExitError); is { //nolint:errorlint // it comes from exec itself
		return exit.ExitCode()
	}
	return -1
}
