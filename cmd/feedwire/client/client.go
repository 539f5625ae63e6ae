package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// Client calls the API of a running daemon.
type Client struct {
	Base       string // "http://127.0.0.1:8080"
	Operations string // base URL of paths that begin with /-/; empty: Base
	Token      string
	IfMatch    string // entity tag that an object must have to be changed; empty: any
	Http       *http.Client
}

// New returns a client for the daemon at a base URL. A request and its response may take up to timeout.
func New(base, token string, timeout time.Duration) *Client {
	return &Client{Base: strings.TrimSuffix(base, "/"), Token: token, Http: &http.Client{Timeout: timeout, CheckRedirect: checkRedirect}}
}

// checkRedirect refuses redirects to another server, because requests contain the token, and passwords in their bodies.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if !feed.MayPassSecret(via[0].URL.String(), req.URL.String()) {
		return fmt.Errorf("it redirects to %s://%s, to which the token is not sent", req.URL.Scheme, req.URL.Host)
	}
	if len(via) >= maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return nil
}

const maxRedirects = 10

// WithTimeout returns a client for the same daemon with another timeout. 0 disables it.
func (c *Client) WithTimeout(timeout time.Duration) *Client {
	patient := *c
	patient.Http = &http.Client{Timeout: timeout, Transport: c.Http.Transport, CheckRedirect: checkRedirect}
	return &patient
}

// MaxResponse is the maximum size of a response in bytes.
const MaxResponse = 64 << 20

// Call sends a request and decodes the response into out unless out is nil. A *Raw gets it unchanged.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.Send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxResponse))
	if err != nil {
		return fmt.Errorf("response of the daemon: %w", err)
	}
	switch out := out.(type) {
	case nil:
	case *Raw:
		*out = body
	default:
		if err := json.Unmarshal(body, out); err != nil {
			return fmt.Errorf("response of the daemon: %w", err)
		}
	}
	return nil
}

// Send sends a request and returns the response, or an *Error for a status of 400 or more.
func (c *Client) Send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	mediaType := "application/json"
	switch in := in.(type) {
	case nil:
	case Raw:
		body, mediaType = bytes.NewReader(in), "application/octet-stream" // the document says what its encoding is
	case Form:
		body, mediaType = bytes.NewReader(in.Body), in.MediaType
	default:
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	base := c.Base
	if strings.HasPrefix(path, "/-/") {
		base = cmp.Or(c.Operations, c.Base)
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", rand.Text())
	}
	if in != nil {
		req.Header.Set("Content-Type", mediaType)
	}
	if c.IfMatch != "" {
		req.Header.Set("If-Match", c.IfMatch)
	}
	resp, err := c.Http.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("cannot reach the daemon at %s: %w; run feedwire serve, or set --server to its URL", base, err)
	}
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	defer resp.Body.Close() //nolint:errcheck // only the reason is used
	return nil, refused(resp)
}

// Error is an error response of the daemon.
type Error struct {
	Status int
	text   string
}

func (e *Error) Error() string { return e.text }

// refused returns the error in a response.
func refused(resp *http.Response) error {
	var p feed.Problem
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := json.Unmarshal(body, &p); err != nil || p.Title == "" {
		return &Error{resp.StatusCode, "the daemon responded " + resp.Status}
	}
	text := p.Title
	if p.Detail != "" {
		text = p.Detail
	}
	for _, e := range p.Errors {
		if !strings.Contains(text, e.Reason) {
			text += fmt.Sprintf("\n  %s: %s", e.Field, e.Reason)
		}
	}
	if resp.StatusCode == http.StatusUnauthorized {
		text += "\n  use the token of the daemon: api.token, or the file token in data_dir"
	}
	return &Error{resp.StatusCode, text}
}

// Path escapes the id or URL of an object for a path.
func Path(s string) string { return url.PathEscape(s) }

// Raw is the body of a request or response that is not JSON.
type Raw []byte

// Form is the body of a request that is a form with files.
type Form struct {
	MediaType string
	Body      []byte
}

// Poll polls a source and waits until the poll ends. query may have full=1.
func Poll(ctx context.Context, c *Client, source string, query url.Values) (feed.Source, error) {
	path := "/api/v1/sources/" + Path(source)
	var before, s feed.Source
	if err := c.Call(ctx, http.MethodGet, path, nil, &before); err != nil {
		return s, err
	}
	if err := c.Call(ctx, http.MethodPost, path+"/poll?"+query.Encode(), nil, &s); err != nil {
		return s, err
	}
	const patience = 2 * time.Minute
	if wait := time.Until(s.Poll.NextPoll); wait > patience && s.Poll.LastPoll.Equal(before.Poll.LastPoll) {
		return s, fmt.Errorf("%s was polled %s; to protect its server, it is polled again in %v", s.URL,
			terminal.Ago(s.Poll.LastPoll), wait.Round(time.Second))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, fmt.Errorf("the poll of %s has not ended: %w; check it later with feedwire source show", before.URL, ctx.Err())
		}
		s = feed.Source{} // a response omits empty members
		if err := c.Call(ctx, http.MethodGet, path, nil, &s); err != nil {
			return s, err
		}
		if s.Poll.LastPoll.After(before.Poll.LastPoll) {
			return s, nil
		}
	}
}
