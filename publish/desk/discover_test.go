package desk_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestDiscoverAnswersWithCandidates(t *testing.T) {
	asked := ""
	opts := options()
	opts.Discover = func(_ context.Context, url string) ([]feed.Candidate, error) {
		asked = url
		switch url {
		case "https://bad.example/":
			return nil, errors.New("the host name could not be resolved; check it")
		case "https://none.example/":
			return nil, nil
		}
		return []feed.Candidate{{URL: "https://page.example/feed", Title: "F", Found: feed.FoundPage}}, nil
	}
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"url":"https://page.example/"}`, http.StatusOK, `{"items":[{"url":"https://page.example/feed","title":"F","found":"page"}]}`},
		{`{"url":"https://none.example/"}`, http.StatusOK, `{"items":[]}`},
		{`{"url":"https://bad.example/"}`, http.StatusBadRequest, `"url","reason":"the host name could not be resolved`},
		{`{"url":" "}`, http.StatusBadRequest, "required"},
		{`{"link":"x"}`, http.StatusBadRequest, "this field does not exist"},
	} {
		rec := call(wire(), opts, http.MethodPost, "/api/v1/discover", tt.body)
		if rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s", tt.body, rec.Code, rec.Body)
		}
	}
	asked = ""
	rec := call(wire(), opts, http.MethodPost, "/api/v1/discover", `{"url":"`+strings.ToUpper(siteURL[:12])+siteURL[12:]+`"}`)
	if !strings.Contains(rec.Body.String(), `"found":"known"`) || asked != "" {
		t.Errorf("a known source: %s, asked for %q", rec.Body, asked)
	}
}

func TestFiltersAndCategoriesOverTheAPI(t *testing.T) {
	store := wire()
	add := func(body string) *httptest.ResponseRecorder {
		return call(store, options(), http.MethodPost, "/api/v1/sources", `{"url":"`+siteURL+`",`+body+`}`)
	}
	if rec := add(`"filters":{"keep":[{"field":"title","match":"("}]}`); rec.Code != http.StatusBadRequest ||
		!strings.Contains(rec.Body.String(), `"field":"filters"`) {
		t.Errorf("a bad expression: %d %s", rec.Code, rec.Body)
	}
	rec := add(`"filters":{"block":[{"field":"any","match":"storm"}]},"categories":["News / Sea",""]`)
	if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"filters":{"block":[{"field":"any","match":"storm"}]},"categories":["News/Sea"]`) {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	if rec := add(`"publish":"manual"`); !strings.Contains(rec.Body.String(), `"match":"storm"`) {
		t.Errorf("what was left out did not stay: %s", rec.Body)
	}
	if rec := add(`"filters":{},"categories":[]`); strings.Contains(rec.Body.String(), "storm") || strings.Contains(rec.Body.String(), "Sea") {
		t.Errorf("they are not gone: %s", rec.Body)
	}
}
