package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// client speaks to the API of a running daemon.
type client struct {
	base  string // "http://127.0.0.1:8080"
	token string
	http  *http.Client
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 64 << 20

// clientFlags gives a command the flags by which it finds the daemon.
func clientFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.String("server", "", "address of the daemon (default: listen, as the daemon has it)")
	outputFlag(f)
	// Only these of the daemon's flags: one more would be a typing error away, as --feeds for --feed.
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(all)
	for _, name := range []string{"data-dir", "listen", "api-token-file"} {
		f.AddFlag(all.Lookup(name))
	}
}

// newClient finds the daemon: the address and token that the configuration of this user would give it.
func newClient(cmd *cobra.Command) (*client, error) {
	if err := checkOutput(cmd); err != nil {
		return nil, err
	}
	return connect(cmd)
}

// connect is newClient for a command whose output is of its own kind.
func connect(cmd *cobra.Command) (*client, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	token, err := apiToken(cfg, false)
	if err != nil {
		return nil, err
	}
	base, _ := cmd.Flags().GetString("server")
	if base == "" {
		base = "http://" + reachable(cfg.Listen)
	}
	return &client{strings.TrimSuffix(base, "/"), token, &http.Client{Timeout: 30 * time.Second}}, nil
}

// reachable turns a listen address into one to dial: an empty host or one that means all becomes loopback.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// call sends a request and decodes the answer into out, where out is not nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.send(ctx, c.http, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("answer of the daemon: %w", err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("answer of the daemon: %w", err)
	}
	return nil
}

// answerTo finds the daemon of a command, sends it one request and decodes the answer.
func answerTo[T any](cmd *cobra.Command, method, path string, in any) (answer T, err error) {
	c, err := newClient(cmd)
	if err != nil {
		return answer, err
	}
	err = c.call(cmd.Context(), method, path, in, &answer)
	return answer, err
}

// listAll finds the daemon of a command and asks for a list until its end. The path may have a query.
func listAll[T any](cmd *cobra.Command, path string) ([]T, error) {
	c, err := newClient(cmd)
	if err != nil {
		return nil, err
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	all := []T{}
	for next := ""; ; {
		var page feed.Page[T]
		query := url.Values{"limit": {"200"}, "cursor": {next}}.Encode()
		if err := c.call(cmd.Context(), http.MethodGet, path+separator+query, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if next = page.Next; next == "" {
			return all, nil
		}
	}
}

// send sends a request and turns an error answer into an error.
func (c *client) send(ctx context.Context, h *http.Client, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	mediaType := "application/json"
	switch in := in.(type) {
	case nil:
	case opmlBody:
		body, mediaType = bytes.NewReader(in), "application/octet-stream" // the document says what its encoding is
	default:
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", rand.Text())
	}
	if in != nil {
		req.Header.Set("Content-Type", mediaType)
	}
	resp, err := h.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("no daemon answers at %s: %w; start one with feedwire serve, or name it with --server", c.base, err)
	}
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	defer resp.Body.Close() //nolint:errcheck // only the reason is of interest
	return nil, refused(resp)
}

// answerError is an answer of the daemon that says what is wrong.
type answerError struct {
	status int
	text   string
}

func (e *answerError) Error() string { return e.text }

// refused is what the daemon says is wrong.
func refused(resp *http.Response) error {
	var p feed.Problem
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := json.Unmarshal(body, &p); err != nil || p.Title == "" {
		return &answerError{resp.StatusCode, "the daemon answered " + resp.Status}
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
		text += "\n  the token is read from api.token, or from the file token in data_dir: use the daemon's"
	}
	return &answerError{resp.StatusCode, text}
}

// id puts a source id or feed URL into a path.
func id(s string) string { return url.PathEscape(s) }
