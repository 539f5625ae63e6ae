package check

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// makeDeb runs "make deb" as a release has it.
func makeDeb(t *testing.T) (path string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", "-C", top, "deb", "VERSION=v1.2.3-4-gabcdef0", "REVISION=abcdef0", "DATE=2026-11-20T08:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make deb: %v\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(top, "dist", "feedwire_1.2.3+4.gabcdef0_*.deb"))
	if err != nil || len(found) != 1 {
		t.Fatalf("make deb made %q: %v", found, err)
	}
	t.Cleanup(func() { _ = os.Remove(found[0]) }) // it is no release, and lies where releases are made
	return found[0]
}

func TestPackageHoldsWhatItShould(t *testing.T) {
	path := makeDeb(t)
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(makeDeb(t)); err != nil || !bytes.Equal(first, again) {
		t.Errorf("the same source gives two different packages (%v)", err)
	}
	contents, err := exec.CommandContext(t.Context(), "dpkg-deb", "-c", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"-rwxr-xr-x root/root ./usr/bin/feedwire",
		"-rw-r----- root/root ./etc/feedwire/feedwire.yaml",
		"-rw-r--r-- root/root ./usr/lib/systemd/system/feedwire.service",
		"-rw-r--r-- root/root ./usr/lib/sysusers.d/feedwire.conf",
		"-rw-r--r-- root/root ./usr/share/man/man1/feedwire.1.gz",
		"-rw-r--r-- root/root ./usr/share/man/man1/feedwire-source-add.1.gz",
		"-rw-r--r-- root/root ./usr/share/bash-completion/completions/feedwire",
		"-rw-r--r-- root/root ./usr/share/doc/feedwire/copyright",
		"-rw-r--r-- root/root ./usr/share/doc/feedwire/docs/how-to/install.md",
	} {
		var found bool
		for line := range strings.Lines(string(contents)) {
			fields := strings.Fields(line)
			found = found || strings.Join([]string{fields[0], fields[1], fields[len(fields)-1]}, " ") == want
		}
		if !found {
			t.Errorf("the package has no %s", want)
		}
	}
	control := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "dpkg-deb", "-e", path, control).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if conffiles, err := os.ReadFile(filepath.Join(control, "conffiles")); err != nil || string(conffiles) != "/etc/feedwire/feedwire.yaml\n" {
		t.Errorf("its conffiles are %q (%v)", conffiles, err)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", filepath.Join(control, script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", script, err, out)
		}
	}
}

// The numbers of versions sort as the versions follow each other.
func TestPackageVersionsSort(t *testing.T) {
	script := string(read(t, "deploy/deb/build"))
	i, j := strings.Index(script, "case $VERSION"), strings.Index(script, "esac")
	number := func(version string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-euc", script[i:j]+"esac\necho \"$DEB_VERSION\"")
		cmd.Env = append(os.Environ(), "VERSION="+version, "DATE=2026-11-20T08:00:00Z")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	last := "0~"
	for _, version := range []string{"abcdef0", "v0.9.0", "v1.0.0-rc1", "v1.0.0", "v1.0.0-3-gabcdef0", "v1.0.1", "v1.10.0"} {
		n := number(version)
		if err := exec.CommandContext(t.Context(), "dpkg", "--compare-versions", last, "lt", n).Run(); err != nil {
			t.Errorf("%s becomes %s, which does not follow %s", version, n, last)
		}
		last = n
	}
}
