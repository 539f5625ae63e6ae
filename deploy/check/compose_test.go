package check

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// project is compose.yaml, as Compose reads it: against its schema, with what is put in.
func project(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(top, "deploy", "docker", "compose.yaml")},
		cli.WithEnv([]string{"VERSION=1.2.3"}), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	p, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComposeServicesAreContained(t *testing.T) {
	for name, s := range project(t).Services {
		if s.Build == nil && !pinned(s.Image) {
			t.Errorf("%s: the image %s names no version", name, s.Image)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s: it may write to its root, or has rights that it does not need", name)
		}
		if s.MemLimit == 0 || s.PidsLimit == 0 || s.Restart != types.RestartPolicyUnlessStopped {
			t.Errorf("%s: it has no bound, or is not started again", name)
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %d can be reached by others", name, p.Target)
			}
		}
		for variable, value := range s.Environment {
			if value != nil && strings.Contains(variable, "PASSWORD") && !strings.HasSuffix(variable, "_FILE") {
				t.Errorf("%s: %s is a secret in the environment", name, variable)
			}
		}
	}
}

func TestComposeMountsWhatIsThere(t *testing.T) {
	p := project(t)
	if out, err := exec.CommandContext(t.Context(), filepath.Join(top, "deploy/docker/secrets")).CombinedOutput(); err != nil {
		t.Fatalf("secrets: %v\n%s", err, out)
	}
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !v.ReadOnly {
				t.Errorf("%s: it may write to %s", name, v.Source)
			}
		}
		for _, secret := range s.Secrets {
			info, err := os.Stat(p.Secrets[secret.Source].File)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if info.Mode().Perm() != 0o444 {
				t.Errorf("%s: the users of containers cannot read %s", name, info.Name())
			}
		}
	}
}

// The Redis of compose.yaml is started by its very command, with the paths of this machine in it, and asked by its very check.
func TestComposeRedisKeepsWhatItAcknowledges(t *testing.T) {
	dir := t.TempDir()
	port := freePort(t)
	settings := strings.Replace(string(read(t, "deploy/docker/redis.conf")), "dir /data", "dir "+dir+"\nport "+port, 1)
	write(t, filepath.Join(dir, "redis.conf"), settings)
	write(t, filepath.Join(dir, "redis_password"), "a-password\n")
	redis := project(t).Services["redis"]
	here := strings.NewReplacer("/etc/redis.conf", filepath.Join(dir, "redis.conf"), "/run/secrets", dir, "redis-cli", "redis-cli -p "+port, "$$", "$")
	command := func(args ...string) *exec.Cmd {
		for i, a := range args {
			args[i] = here.Replace(a)
		}
		return exec.CommandContext(t.Context(), args[0], args[1:]...)
	}
	server := command(slices.Clone(redis.Command)...)
	server.Dir = dir
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	stopped := false
	defer func() {
		if !stopped {
			_ = server.Process.Kill()
			<-ended
		}
	}()
	check := append([]string{"sh", "-c"}, redis.HealthCheck.Test[1:]...)
	eventually(t, "the check of the service is content", func() bool { return command(slices.Clone(check)...).Run() == nil })

	ask := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "redis-cli", append([]string{"-p", port, "-a", "a-password", "--no-auth-warning"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	for key, want := range map[string]string{
		"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "maxmemory": fmt.Sprint(512 << 20), "save": "",
	} {
		if _, got, _ := strings.Cut(ask("config", "get", key), "\n"); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if memory := int64(redis.MemLimit); memory < 2*512<<20 {
		t.Errorf("the container has %d bytes: too few for the rewriting of the log", memory)
	}
	out, err := exec.CommandContext(t.Context(), "redis-cli", "-p", port, "ping").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "NOAUTH") {
		t.Errorf("without a password it answers %q (%v)", out, err)
	}
	if arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", server.Process.Pid)); err != nil || !strings.HasPrefix(string(arguments), "redis-server") || strings.Contains(string(arguments), "a-password") {
		t.Errorf("the first process is %q (%v): it has to be the server, which signals reach, and to show no password", arguments, err)
	}
	_ = server.Process.Signal(os.Interrupt)
	select {
	case <-ended:
		stopped = true
	case <-time.After(10 * time.Second):
		t.Error("it does not end when it is asked to")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 30 s: %s", what)
		}
	}
}
