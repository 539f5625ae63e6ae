package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// selfPath is where a daemon proves that it is of this installation.
const selfPath = "/.well-known/feedwire"

// proveSelf answers a question as only this installation can.
func (a *app) proveSelf(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	question := r.URL.Query().Get("question")
	proof := a.store.Proof(question)
	if proof == "" || question == "" || len(question) > 64 {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	fmt.Fprintln(w, proof) //nolint:gosec // hex digits
}

// examineAddress asks for this daemon by public_url, as subscribers, hubs and consumers do.
func (a *app) examineAddress(ctx context.Context) []finding {
	public := a.cfg().PublicURL
	u, err := url.Parse(public)
	if err != nil {
		return nil // the configuration checks it
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return []finding{{"public-url", warnLevel, "public_url is " + public, "nobody outside this machine can follow links, subscribe or push",
			"set public_url to the address under which others reach the daemon"}}
	}
	question := rand.Text()
	said, resp, err := askFor(ctx, public+selfPath+"?question="+question) //nolint:bodyclose // askFor has closed it
	return judgeAddress(u, said, resp, err, a.store.Proof(question))
}

// judgeAddress judges what was answered where proof should have been.
func judgeAddress(public *url.URL, said string, resp *http.Response, err error, proof string) []finding {
	wrong := finding{"public-url", badLevel, "", "subscribers, hubs and consumers do not reach this daemon",
		"have the reverse proxy pass all paths of public_url to listen, and see that its name leads here"}
	switch {
	case err != nil:
		wrong.What = fmt.Sprintf("%s cannot be reached from here: %v", public, err)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		wrong.What = fmt.Sprintf("%s leads to %.200q", public, resp.Header.Get("Location"))
	case resp.StatusCode != http.StatusOK:
		wrong.What = fmt.Sprintf("%s answers %s", public, resp.Status)
	case said != proof:
		wrong.What = public.String() + " is answered by something else than this installation"
	default:
		return append([]finding{well("public-url", "%s leads here", public)}, examineTLS(public, resp, time.Now())...)
	}
	return []finding{wrong}
}

// askFor gets a few bytes. It follows no redirect.
func askFor(ctx context.Context, address string) (said string, resp *http.Response, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", nil, err
	}
	req.Close = true
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err = client.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return strings.TrimSpace(string(text)), resp, err
}

// examineTLS judges how the way to this daemon is protected.
func examineTLS(u *url.URL, resp *http.Response, now time.Time) []finding {
	if u.Scheme != "https" {
		return []finding{{"tls", warnLevel, "public_url is not https", "passwords, sessions and secrets of subscribers can be read on the way",
			"put a reverse proxy with TLS in front, and set public_url to https://"}}
	}
	if resp.TLS == nil || len(resp.TLS.PeerCertificates) == 0 {
		return nil
	}
	ends := resp.TLS.PeerCertificates[0].NotAfter
	if left := ends.Sub(now); left < 14*24*time.Hour {
		return []finding{{"tls", warnLevel, fmt.Sprintf("the certificate ends on %s", ends.UTC().Format("2 Jan 2006")),
			"after that nobody reaches the daemon", "renew it, and see why that was not done by itself"}}
	}
	return []finding{well("tls", "the certificate holds until %s", ends.UTC().Format("2 Jan 2006"))}
}
