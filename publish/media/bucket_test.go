package media_test

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/media"
	"github.com/feedwire/feedwire/store/feed"
)

// fakeS3 is a store with the bucket "images". It refuses requests that are not signed with its secret.
type fakeS3 struct {
	mu      sync.Mutex
	objects map[string]object // by key
	away    bool              // it refuses all calls
}

type object struct {
	body   []byte
	header http.Header
}

// newS3 returns a store and a client of its bucket.
func newS3(t *testing.T) (*fakeS3, *media.Bucket) {
	t.Helper()
	s := &fakeS3{objects: make(map[string]object)}
	return s, s.client(t, "secret")
}

// client returns a client of the bucket with a secret.
func (s *fakeS3) client(t *testing.T, secret string) *media.Bucket {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	b, err := media.NewBucket(media.BucketOptions{URL: server.URL + "/images", AccessKey: "wire", SecretKey: secret})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (s *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	signed := signatureOf(r, "secret")
	if s.away || signed == nil {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
		return
	}
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/images"), "/")
	o, known := s.objects[key]
	switch {
	case key == "":
		s.list(w, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		body, err := unchunked(r, signed)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.objects[key] = object{body, http.Header{
			"Etag": {`"1"`}, "Content-Type": r.Header["Content-Type"], "X-Amz-Meta-Stored": r.Header["X-Amz-Meta-Stored"],
		}}
		w.Header().Set("Etag", `"1"`)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !known:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		for name, values := range o.header {
			w.Header()[name] = values
		}
		http.ServeContent(w, r, "", time.Now(), bytes.NewReader(o.body))
	}
}

// list answers ListObjectsV2.
func (s *fakeS3) list(w io.Writer, prefix string) {
	type content struct {
		Key  string
		Size int
	}
	var result struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []content
	}
	for key, o := range s.objects {
		if strings.HasPrefix(key, prefix) {
			result.Contents = append(result.Contents, content{key, len(o.body)})
		}
	}
	_ = xml.NewEncoder(w).Encode(result) // to memory
}

// unchunked returns a body, which has signed chunks if the connection has no TLS.
func unchunked(r *http.Request, signed *signature) (body []byte, err error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	from := bufio.NewReader(r.Body)
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return nil, err
		}
		var size int64
		if _, err := fmt.Sscanf(line, "%x;", &size); err != nil {
			return nil, err
		}
		chunk, err := io.ReadAll(io.LimitReader(from, size))
		if err == nil && !signed.chunk(line, chunk) {
			err = errors.New("a chunk has another signature")
		}
		if err != nil || size == 0 {
			return body, err
		}
		body = append(body, chunk...)
		if _, err := from.Discard(len("\r\n")); err != nil {
			return nil, err
		}
	}
}

func (s *fakeS3) setAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

func TestBucketThatRefusesIsUnavailable(t *testing.T) {
	s3, bucket := newS3(t)
	s := newSite(t, bucket)
	f := s.save(1)
	s3.setAway(true)
	if _, err := s.Save(t.Context(), 7, picture(t, 2)); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("an upload: %v", err)
	}
	if status := s.status(f); status != http.StatusServiceUnavailable {
		t.Errorf("an image: %d", status)
	}
	for name, err := range map[string]error{"sweep": s.Sweep(t.Context()), "erase": s.Erase(t.Context(), 7)} {
		if !errors.Is(err, feed.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s3.setAway(false)
	if status := s.status(f); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
	if _, err := bucket.Stored(t.Context(), "7/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an image that does not exist: %v", err)
	}
}

func TestBucketNeedsItsSecret(t *testing.T) {
	s3, _ := newS3(t)
	if _, err := newSite(t, s3.client(t, "another")).Save(t.Context(), 7, picture(t, 1)); !errors.Is(err, feed.ErrUnavailable) || len(s3.objects) != 0 {
		t.Errorf("an upload with another secret: %v, stored %d", err, len(s3.objects))
	}
}

func TestBucketNeedsAURL(t *testing.T) {
	var valid []string
	for _, url := range []string{"", "images", "https://s3.example.org", "https://s3.example.org/", "https://s3.example.org/images", "https://s3.example.org/a/b"} {
		if _, err := media.NewBucket(media.BucketOptions{URL: url}); err == nil {
			valid = append(valid, url)
		}
	}
	if !slices.Equal(valid, []string{"https://s3.example.org/images"}) {
		t.Errorf("valid are %q", valid)
	}
}
