package images_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/publish/images"
	"github.com/feedwire/feedwire/publish/web/webtest"
)

// proxy serves images of an origin.
type proxy struct {
	*webtest.Desk
	*images.Images
	t      *testing.T
	now    time.Time
	dir    string
	origin string
	asked  atomic.Int32
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func newProxy(t *testing.T, limits images.Limits, files map[string][]byte) *proxy {
	t.Helper()
	p := &proxy{t: t, now: webtest.Noon(), dir: filepath.Join(t.TempDir(), "images")}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		if r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" || r.Header.Get("X-Forwarded-For") != "" {
			t.Errorf("the source learns %v", r.Header)
		}
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		_, _ = w.Write(files[r.URL.Path])
	}))
	t.Cleanup(srv.Close)
	p.origin = srv.URL
	p.Images = images.New(images.Options{
		Dir: p.dir, Now: func() time.Time { return p.now }, Sign: func(text string) string {
			sum := sha256.Sum256([]byte("secret" + text))
			return hex.EncodeToString(sum[:])
		},
	}, limits)
	p.Desk = webtest.New(func() time.Time { return p.now })
	p.Mount(p.Images)
	return p
}

func (p *proxy) get(path string) *httptest.ResponseRecorder {
	return p.Call(http.MethodGet, p.URL(p.origin+path), "", "Cookie", "a=b", "Referer", "https://wire.example/read")
}

// noise returns a PNG of about n bytes.
func noise(t *testing.T, n int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 100, n/100))
	for i := range m.Pix {
		m.Pix[i] = byte(rand.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb returns a PNG whose header promises many pixels.
func bomb(t *testing.T) []byte {
	t.Helper()
	b := noise(t, 1000)
	binary.BigEndian.PutUint32(b[16:], 30_000)
	binary.BigEndian.PutUint32(b[20:], 30_000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestImagesAreFetchedOnceAndCached(t *testing.T) {
	picture := noise(t, 5000)
	p := newProxy(t, images.Limits{Fetch: fetch.Options{AllowNetworks: loopback}, Cache: 1 << 20}, map[string][]byte{"/a.png": picture})
	for range 3 {
		rec := p.get("/a.png")
		h := rec.Header()
		if rec.Code != 200 || !bytes.Equal(rec.Body.Bytes(), picture) || h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || h.Get("Cache-Control") != "private, max-age=604800" {
			t.Fatalf("got %d %v", rec.Code, h)
		}
	}
	if n := p.asked.Load(); n != 1 {
		t.Errorf("the source was asked %d times", n)
	}
	p.now = p.now.Add(8 * 24 * time.Hour)
	if p.get("/a.png"); p.asked.Load() != 2 {
		t.Error("an old image was not fetched again")
	}
}

func TestOnlySignedAddressesAreFetched(t *testing.T) {
	p := newProxy(t, images.Limits{Fetch: fetch.Options{AllowNetworks: loopback}, Cache: 1 << 20}, map[string][]byte{"/a.png": noise(t, 1000)})
	good := p.URL(p.origin + "/a.png")
	for _, path := range []string{good + "x", strings.Replace(good, "images/", "images/0", 1), "/read/images/?url=x", "/read/images/x"} {
		if rec := p.Call(http.MethodGet, path, ""); rec.Code != 404 {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
	p.Reload(images.Limits{})
	if p.URL(p.origin) != "" || p.Call(http.MethodGet, good, "").Code != 404 || p.asked.Load() != 0 {
		t.Error("the proxy works although it is turned off")
	}
}

func TestOnlyImagesWithinTheBoundsAreServed(t *testing.T) {
	p := newProxy(t, images.Limits{Fetch: fetch.Options{AllowNetworks: loopback}, Cache: 64 << 20}, map[string][]byte{
		"/large": append(noise(t, 1000), make([]byte, images.MaxBytes)...), "/bomb": bomb(t), "/svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>`),
		"/html": []byte("<html><script>1</script>"), "/cut": noise(t, 1000)[:20], "/none": nil, "/good": noise(t, 1000),
	})
	for _, path := range []string{"/large", "/bomb", "/svg", "/html", "/cut", "/none", "/?to=file:///etc/passwd"} {
		if rec := p.get(path); rec.Code != 502 || strings.Contains(rec.Body.String(), "script") {
			t.Errorf("%s: got %d %q", path, rec.Code, rec.Body)
		}
	}
	if rec := p.get("/?to=" + p.origin + "/good"); rec.Code != 200 {
		t.Errorf("a redirect got %d", rec.Code)
	}
	before := p.asked.Load()
	if p.get("/svg"); p.asked.Load() != before {
		t.Error("an image that cannot be shown was fetched again at once")
	}
	p.now = p.now.Add(time.Hour)
	if p.get("/svg"); p.asked.Load() != before+1 {
		t.Error("an image that could not be shown is never fetched again")
	}
}

func TestPrivateAddressesAreNotFetched(t *testing.T) {
	p := newProxy(t, images.Limits{Cache: 1 << 20}, map[string][]byte{"/a.png": noise(t, 1000)})
	if rec := p.get("/a.png"); rec.Code != 502 || p.asked.Load() != 0 || strings.Contains(rec.Body.String(), "127.0.0.1") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func TestCacheOfImagesIsBounded(t *testing.T) {
	files := make(map[string][]byte)
	for _, name := range strings.Fields("/1 /2 /3 /4 /5") {
		files[name] = noise(t, 10_000)
	}
	limits := images.Limits{Fetch: fetch.Options{AllowNetworks: loopback}, Cache: 35_000}
	p := newProxy(t, limits, files)
	for _, name := range strings.Fields("/1 /2 /3 /4 /5") {
		p.now = p.now.Add(time.Minute)
		if rec := p.get(name); rec.Code != 200 {
			t.Fatalf("%s: got %d", name, rec.Code)
		}
	}
	kept, err := os.ReadDir(p.dir)
	if err != nil || len(kept) != 3 {
		t.Errorf("%d files are cached, %v", len(kept), err)
	}
	before := p.asked.Load()
	if p.get("/5"); p.asked.Load() != before {
		t.Error("the newest image was removed")
	}
	if p.get("/1"); p.asked.Load() == before {
		t.Error("the oldest image was kept")
	}
}

func TestImagesAreServedWithoutADisk(t *testing.T) {
	p := newProxy(t, images.Limits{Fetch: fetch.Options{AllowNetworks: loopback}, Cache: 1 << 20}, map[string][]byte{"/a.png": noise(t, 1000)})
	if err := os.WriteFile(p.dir, nil, 0o600); err != nil { // where the directory would be
		t.Fatal(err)
	}
	if rec := p.get("/a.png"); rec.Code != 200 {
		t.Errorf("got %d", rec.Code)
	}
}
