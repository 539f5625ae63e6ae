package document_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/document"
)

func TestEncodingFollowsAcceptEncoding(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	d, _ := document.New([]byte("body"), document.Meta{MediaType: "text/x"}, nil, now)
	for accept, zipped := range map[string]bool{
		"": false, "gzip": true, "x-gzip": true, "br, GZIP;q=0.5": true, "*": true, "gzip;q=0": false, "gzip;q=0.5, identity": false,
		"gzip;q=1, identity;q=0.5": true, "gzip;q=x": false, "*;q=0": false, "identity": false, "gzip;q=NaN": false,
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		if err := d.Response(req.Header).Write(w, req); err != nil {
			t.Fatal(err)
		}
		var body io.Reader = w.Body
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != zipped {
			t.Errorf("%q: compressed is %v, want %v", accept, got, zipped)
		} else if got {
			var err error
			if body, err = gzip.NewReader(w.Body); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := io.ReadAll(body); err != nil || string(text) != "body" || w.Header().Get("Content-Type") != "text/x; charset=utf-8" {
			t.Errorf("%q: got %q, %v, %v", accept, text, err, w.Header())
		}
	}
}

func TestOnlyNamedVersionsProveThatTheClientHasTheDocument(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 500, time.UTC)
	d, _ := document.New([]byte("body"), document.Meta{}, nil, now)
	w := httptest.NewRecorder()
	_ = d.Response(nil).Write(w, httptest.NewRequest("GET", "/", nil))
	tag, date := w.Header().Get("ETag"), w.Header().Get("Last-Modified")
	for _, tt := range []struct {
		name, value string
		code        int
		named       bool
	}{
		{"If-None-Match", tag, 304, true},
		{"If-None-Match", `W/"x", ` + "W/" + tag, 304, true},
		{"If-None-Match", "*", 304, false},
		{"If-None-Match", `"x"`, 200, false},
		{"If-None-Match", strings.TrimSuffix(tag, `"`), 200, false},
		{"If-Modified-Since", date, 304, true},
		{"If-Modified-Since", now.Add(time.Hour).Format(http.TimeFormat), 200, false},
		{"If-Modified-Since", "yesterday", 200, false},
	} {
		h := http.Header{}
		h.Set(tt.name, tt.value)
		if got := d.Response(h); got.Code != tt.code || got.Named != tt.named {
			t.Errorf("%s: %s: got %d, named %v; want %d, %v", tt.name, tt.value, got.Code, got.Named, tt.code, tt.named)
		}
	}
}

func TestVersionsWithinASecondHaveNoDate(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	first, changed := document.New([]byte("1"), document.Meta{}, nil, now)
	if !changed || !first.Dated {
		t.Fatalf("the first version: changed %v, dated %v", changed, first.Dated)
	}
	same, changed := document.New([]byte("1"), document.Meta{}, first, now.Add(time.Hour))
	if changed || !same.Modified.Equal(first.Modified) {
		t.Errorf("the same body: changed %v, modified %v", changed, same.Modified)
	}
	second, changed := document.New([]byte("2"), document.Meta{}, first, now.Add(time.Millisecond))
	if !changed || second.Dated {
		t.Errorf("another body in the same second: changed %v, dated %v", changed, second.Dated)
	}
	private, changed := document.New([]byte("1"), document.Meta{Private: true}, first, now.Add(time.Hour))
	w := httptest.NewRecorder()
	_ = private.Response(nil).Write(w, httptest.NewRequest("GET", "/", nil))
	if !changed || w.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("the same body in private: changed %v, %v", changed, w.Header())
	}
}
