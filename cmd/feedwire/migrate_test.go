package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// What a daemon kept in one Redis is copied to a cluster, where a daemon goes on with it.
func TestMigrateToACluster(t *testing.T) {
	redis := storetest.RedisAOF(t)
	cluster := storetest.NewCluster(t, false)
	const prefix = "{feedwire}:"
	web := newOrigin(t)
	web.set("/feed.xml", posts(3)...)
	var src feed.Source
	t.Run("a daemon works on one Redis and ends", func(t *testing.T) {
		d := start(t, redis, "")
		src = d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
		eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	})
	args := []string{
		"migrate", "--data-dir", filepath.Join(t.TempDir(), "data"), "--store-redis", "unix://" + redis.Addr(),
		"--to", cluster.URL(), "--to-prefix", prefix,
	}
	raw := storetest.NewRedigo(t, cluster.Masters[storetest.Home(route.Slot(prefix))].Dial, prefix)
	eventually(t, "seen to be at rest", func() bool {
		code, out, _ := cli(t, append(args, "--dry-run")...)
		return code == exitOK && strings.Contains(out, "keys would be copied; nothing was")
	})
	if keys := raw.Keys("*"); len(keys) > 0 {
		t.Fatalf("the dry run left %v", keys)
	}
	code, out, says := cli(t, args...)
	if code != exitOK || !strings.Contains(out, "compared and the same") {
		t.Fatalf("exit code %d: %s%s", code, out, says)
	}
	fails(t, exitFailed, "not empty", args...)
	raw.Check([]string{"production", "development"}, feed.ImportAfter)

	d := startAt(t, cluster.URL(), prefix, "", nil)
	web.set("/feed.xml", posts(4)...)
	if after := d.poll(src); after.Poll.Entries != 4 || !after.Added.Equal(src.Added) {
		t.Errorf("the source has %d entries and was added %v, want 4 and %v", after.Poll.Entries, after.Added, src.Added)
	}
	eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 4 })
	raw.Check([]string{"production", "development"}, feed.ImportAfter)
}

// While feedwire migrate works, neither the store that is copied nor the copy lets a daemon begin; killed, it goes on where it was.
func TestNoDaemonBeginsAmidAMigration(t *testing.T) {
	t.Parallel()
	from, to := storetest.RedisAOF(t), storetest.RedisTCP(t)
	line := storetest.NewLine(t, to.Dial)
	raw := storetest.Commands(t, from.Dial)
	const more = 3000
	raw.Do("EVAL", "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'fetch:production:' .. i, i, 'EX', 3600) end", 0, more)
	binary := buildBinary(t)
	old := newProcess(t, binary, fmt.Sprintf("store: {redis: %q}", "unix://"+from.Addr()))
	next := newProcess(t, binary, fmt.Sprintf("store: {redis: %q}", "redis://"+to.Addr()))
	refuses := func(p *process, says string) {
		t.Helper()
		p.start()
		ended := make(chan error, 1)
		go func() { ended <- p.cmd.Wait() }()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(p.log.String(), says) {
				t.Errorf("a daemon that starts ended with %v and said %s, want %q", err, p.log, says)
			}
			p.cmd = nil
		case <-time.After(time.Minute):
			t.Fatalf("a daemon began: %s", p.log)
		}
	}
	migrate := func() *exec.Cmd {
		return exec.CommandContext(t.Context(), binary, "migrate", "--config", old.config, "--to", "redis://"+line.Addr())
	}
	line.Disturb("latency", map[string]int{"latency": 100}) // thirty steps to copy, and thirty to compare
	migrates := migrate()
	said, err := migrates.StderrPipe()
	if err == nil {
		err = migrates.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		done, of := 0, 0
		if _, _ = fmt.Sscanf(lines.Text(), "%d of %d", &done, &of); 0 < done && done < of/2 {
			break
		}
	}
	if err := migrates.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	refuses(old, "being copied by feedwire migrate")
	refuses(next, "a copy that is not complete")
	if err := migrates.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := migrates.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the command ended with %v", err)
	}
	copied := storetest.Commands(t, to.Dial).Int("DBSIZE")
	if copied < 100 || copied >= more {
		t.Fatalf("it was killed with %d keys copied", copied)
	}

	line.Heal()
	if says, err := migrate().CombinedOutput(); err == nil || !strings.Contains(string(says), "15 s after it was killed") {
		t.Errorf("at once after the kill: %v, %s", err, says)
	}
	if left := raw.Int("PTTL", "closed"); left <= 0 || left > 15_000 {
		t.Errorf("the store stays closed for %d ms after the kill", left)
	}
	raw.Do("PEXPIRE", "closed", 1) // as those have passed
	eventually(t, "open again", func() bool { return raw.Int("EXISTS", "closed") == 0 })
	if says, err := migrate().CombinedOutput(); err != nil || !strings.Contains(string(says), "compared and the same") || strings.Contains(string(says), " 0 copied now") {
		t.Fatalf("%v: %s", err, says)
	}
	next.start()
	next.ready()
	if n := storetest.Commands(t, to.Dial).Int("EXISTS", "closed", "fetch:production:1"); n != 1 {
		t.Errorf("%d of the mark and a copied key are there, want the key", n)
	}
	old.start()
	old.ready()
}

func TestMigrateNeedsAPlace(t *testing.T) {
	fails(t, exitUsage, "--to is missing", "migrate")
	fails(t, exitUsage, "which keys", "migrate", "--store-redis", "redis://127.0.0.1:1", "--to", "redis+cluster://127.0.0.1:1")
}
