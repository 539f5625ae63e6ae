package daemon

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var (
	withProxies = flag.Bool("proxies", false, "run behind the nginx and the Caddy that are installed, with the files of deploy")
	brokenOff   = flag.Int("broken-off", 3, "fetches that are broken off behind each proxy")
)

// proxy is a reverse proxy of others before a daemon.
type proxy struct {
	name  string
	file  string                                      // its example, below deploy
	put   func(p *proxied) []string                   // what stands for the reader's own in it, in pairs
	whole func(p *proxied, example string) string     // the whole configuration
	check func(config, dir string) (command []string) // is content with the configuration
	run   func(config, dir string) (command []string)
}

// proxied is the configuration of a proxy.
type proxied struct{ dir, port, plain, daemon, certificate, key string }

var proxies = []proxy{
	{
		name: "nginx", file: "nginx/feedwire.conf",
		put: func(p *proxied) []string {
			return []string{
				"listen 80;", "listen 127.0.0.1:" + p.plain + ";", "listen [::]:80;", "",
				"listen 443 ssl http2;", "listen 127.0.0.1:" + p.port + " ssl http2;", "listen [::]:443 ssl http2;", "",
				"/etc/letsencrypt/live/news.example.org/fullchain.pem", p.certificate, "/etc/letsencrypt/live/news.example.org/privkey.pem", p.key,
				"server 127.0.0.1:8080;", "server " + p.daemon + ";",
			}
		},
		whole: func(p *proxied, example string) string {
			var b strings.Builder
			if os.Getuid() == 0 {
				b.WriteString("user root;\n") // another user cannot write to the directory of the test
			}
			fmt.Fprintf(&b, "daemon off;\nerror_log stderr;\npid %s/pid;\nevents {}\nhttp {\naccess_log off;\n", p.dir)
			for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				fmt.Fprintf(&b, "%s_temp_path %s/%s;\n", kind, p.dir, kind)
			}
			return b.String() + example + "\n}\n"
		},
		check: func(config, dir string) []string { return []string{"nginx", "-t", "-q", "-p", dir, "-c", config} },
		run:   func(config, dir string) []string { return []string{"nginx", "-p", dir, "-c", config} },
	},
	{
		name: "Caddy", file: "caddy/Caddyfile",
		put: func(p *proxied) []string {
			return []string{
				"news.example.org {", "https://127.0.0.1:" + p.port + " {\n\ttls " + p.certificate + " " + p.key,
				"reverse_proxy 127.0.0.1:8080", "reverse_proxy " + p.daemon,
			}
		},
		whole: func(_ *proxied, example string) string {
			// Asked to end, it would wait a minute for connections of this test.
			return "{\n\tadmin off\n\tgrace_period 1s\n\tauto_https disable_redirects\n}\n" + example
		},
		check: func(config, _ string) []string {
			return []string{"caddy", "validate", "--adapter", "caddyfile", "--config", config}
		},
		run: func(config, _ string) []string {
			return []string{"caddy", "run", "--adapter", "caddyfile", "--config", config}
		},
	},
}

// before starts a proxy before a daemon until the test ends, and gives its URL and a client that trusts its certificate.
func (x proxy) before(t *testing.T, d *daemon) (base string, client *http.Client) {
	t.Helper()
	p := &proxied{dir: t.TempDir(), port: wiretest.FreePort(t), plain: wiretest.FreePort(t), daemon: strings.TrimPrefix(d.Base, "http://")}
	client = p.certify(t)
	example := wiretest.ReadFile(t, "deploy/"+x.file)
	pairs := x.put(p)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(example, pairs[i]) {
			t.Fatalf("deploy/%s has no %q", x.file, pairs[i])
		}
	}
	config := filepath.Join(p.dir, "config")
	if err := os.WriteFile(config, []byte(x.whole(p, strings.NewReplacer(pairs...).Replace(example))), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args []string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_DATA_HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir)
		return cmd
	}
	if out, err := command(x.check(config, p.dir)).CombinedOutput(); err != nil {
		t.Fatalf("%s does not take deploy/%s: %v\n%s", x.name, x.file, err, out)
	}
	var log bytes.Buffer
	cmd := command(x.run(config, p.dir))
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is asked to end
	}()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
		if t.Failed() {
			t.Logf("%s says: %s", x.name, log.String())
		}
	})
	base = "https://127.0.0.1:" + p.port
	wiretest.Eventually(t, "served through "+x.name, func() bool {
		resp, err := client.Get(base + "/login")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode == http.StatusOK
	})
	return base, client
}

// certify makes a certificate for the proxy and a client that trusts it. The client takes little at a time, so that what it does
// not read stays where it is.
func (p *proxied) certify(t *testing.T) *http.Client {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	p.certificate, p.key = filepath.Join(p.dir, "certificate.pem"), filepath.Join(p.dir, "key.pem")
	trusted := x509.NewCertPool()
	for path, block := range map[string]*pem.Block{
		p.certificate: {Type: "CERTIFICATE", Bytes: certificate}, p.key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		text := pem.EncodeToMemory(block)
		trusted.AppendCertsFromPEM(text) // the key is none
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	narrow := &net.Dialer{Control: narrowSocket}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, DialContext: narrow.DialContext, DisableCompression: true,
	}}
}

// narrowSocket gives a connection a small buffer for what comes in.
func narrowSocket(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10)
	})
	if err != nil {
		return err
	}
	return failed
}

func TestBehindProxies(t *testing.T) {
	if !*withProxies {
		t.Skip("it runs nginx and Caddy: ask for it with -proxies")
	}
	for _, x := range proxies {
		t.Run(x.name, func(t *testing.T) {
			d := start(t, storetest.RedisAOF(t), "auth: {proxy_networks: [127.0.0.1]}")
			base, client := x.before(t, d)
			web := wiretest.NewOrigin(t)
			web.Set("/feed.xml", longPosts(60)...)
			src := d.add(web.URL+"/feed.xml", map[string]any{"feeds": []string{"production"}})
			wiretest.Eventually(t, "articles", func() bool { return len(d.articles("")) == 60 })
			for _, a := range d.articles("") {
				d.do(http.MethodPost, "/api/v1/articles/"+a.UUID+"/publish", map[string]string{"feed": "production"}, nil)
			}

			t.Run("what is broken off does not count", func(t *testing.T) { countsWhole(t, d, base, client) })
			t.Run("events come at once", func(t *testing.T) { streams(t, d, base, client, src) })
			t.Run("addresses are those of clients", func(t *testing.T) { namesClients(t, d, base, client) })
			t.Run("operators' paths are not open", func(t *testing.T) {
				for _, path := range []string{"/metrics", "/healthz", "/readyz", "/-/healthy"} {
					resp, err := client.Get(base + path)
					if err != nil {
						t.Fatal(err)
					}
					_ = resp.Body.Close()
					if resp.StatusCode != http.StatusNotFound {
						t.Errorf("%s answers %s", path, resp.Status)
					}
				}
			})
		})
	}
}

// longPosts are n posts of 100 kB that do not compress.
func longPosts(n int) []wiretest.Item {
	all := wiretest.Posts(n)
	for i := range all {
		noise := make([]byte, 50_000)
		_, _ = rand.Read(noise)
		all[i].Body = "<p>" + hex.EncodeToString(noise) + "</p>"
	}
	return all
}

// countsWhole fetches the feed in part, and then whole.
func countsWhole(t *testing.T, d *daemon, base string, client *http.Client) {
	fetch := func() (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/feed/production", nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("User-Agent", wiretest.Facebook)
		req.Header.Set("Accept-Encoding", "identity")
		req.Close = true
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		if said := resp.Header.Get("X-Feedwire-Impressions"); resp.StatusCode != http.StatusOK || said != "counted" {
			_ = resp.Body.Close()
			return nil, fmt.Errorf("the feed answers %s, %q", resp.Status, said)
		}
		return resp, nil
	}
	var all errgroup.Group
	all.SetLimit(50)
	for range *brokenOff {
		all.Go(func() error {
			resp, err := fetch()
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			_, err = io.CopyN(io.Discard, resp.Body, 100_000)
			time.Sleep(3 * time.Second) // a proxy that buffers has all of it by then, and a second of silence proves a fetch
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "over for the daemon", func() bool { return d.metric("feedwire_http_requests_in_flight", "", "") == 0 })
	time.Sleep(2 * time.Second)
	if n := d.metric("feedwire_impressions_total", "outcome", "counted"); n != 0 {
		t.Errorf("%v impressions of fetches that were broken off", n)
	}
	resp, err := fetch()
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if err != nil || n < 5<<20 {
		t.Fatalf("the feed has %d bytes: %v", n, err)
	}
	wiretest.Eventually(t, "counted", func() bool { return d.metric("feedwire_impressions_total", "outcome", "counted") == 60 })
}

// streams reads events while they come.
func streams(t *testing.T, d *daemon, base string, client *http.Client, src feed.Source) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1/events?content=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream answers %s", resp.Status)
	}
	came := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if line := lines.Text(); strings.Contains(line, "/later.xml") {
				select {
				case came <- line:
				default:
				}
			}
		}
	}()
	d.add(strings.Replace(src.URL, "/feed.xml", "/later.xml", 1), nil)
	select {
	case <-came:
	case <-time.After(wiretest.Patience):
		t.Error("no event came while the stream was open")
	}
	_ = resp.Body.Close()
	<-ended
}

// namesClients makes a change with a header that lies about the address. The audit log tells whether it was believed.
func namesClients(t *testing.T, d *daemon, base string, client *http.Client) {
	const lie = "203.0.113.9"
	from := func(base string, client *http.Client, name string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v1/tokens", strings.NewReader(`{"name":"`+name+`","scopes":["read"]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+d.Token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Forwarded-For", lie)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatalf("POST answers %s: %s", resp.Status, body)
		}
		var page feed.Page[map[string]any]
		d.do(http.MethodGet, "/api/v1/audit?limit=1", nil, &page)
		return fmt.Sprint(page.Items[0])
	}
	if direct := from(d.Base, d.Http, "direct"); !strings.Contains(direct, lie) {
		t.Errorf("what comes from the proxy's address is not believed, so this test shows nothing: %s", direct)
	}
	if through := from(base, client, "through"); strings.Contains(through, lie) {
		t.Errorf("the lie of a client is believed: %s", through)
	}
}
