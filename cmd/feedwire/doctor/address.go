package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/config"
)

// judgeAddress evaluates the response to a challenge.
func judgeAddress(public *url.URL, said string, resp *http.Response, err error, proof string) Findings {
	wrong := bad("public-url", "", "subscribers, hubs and consumers cannot reach this daemon",
		"make the reverse proxy forward all paths of public_url to listen, and check that its host name resolves to it")
	switch {
	case err != nil:
		wrong.What = fmt.Sprintf("%s is unreachable from this machine: %v", public, err)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		wrong.What = fmt.Sprintf("%s redirects to %.200q", public, resp.Header.Get("Location"))
	case resp.StatusCode != http.StatusOK:
		wrong.What = fmt.Sprintf("%s responds %s", public, resp.Status)
	case said != proof:
		wrong.What = public.String() + " belongs to another program"
	default:
		return append(Findings{OK("public-url", "%s reaches this daemon", public)}, examineTLS(public, resp, time.Now())...)
	}
	return Findings{wrong}
}

// Ask fetches the first bytes of a URL without following redirects.
func Ask(ctx context.Context, address string) (said string, resp *http.Response, err error) {
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

// examineTLS checks the encryption of public_url.
func examineTLS(u *url.URL, resp *http.Response, now time.Time) Findings {
	if u.Scheme != "https" {
		return Findings{warn("tls", "public_url is not https", "passwords, sessions and secrets of subscribers are sent unencrypted",
			"use a reverse proxy with TLS, and set public_url to its https:// URL")}
	}
	ends := resp.TLS.PeerCertificates[0].NotAfter
	if left := ends.Sub(now); left < 14*24*time.Hour {
		return Findings{warn("tls", fmt.Sprintf("the certificate expires on %s", ends.UTC().Format("2 Jan 2006")),
			"clients reject an expired certificate", "renew the certificate, and check the automatic renewal")}
	}
	return Findings{OK("tls", "the certificate is valid until %s", ends.UTC().Format("2 Jan 2006"))}
}

// Address requests a proof from public_url, as subscribers, hubs and consumers would reach it.
func Address(ctx context.Context, public string, proof func(question string) string) Findings {
	u, err := url.Parse(public)
	if err != nil {
		return nil // the configuration checks it
	}
	if config.IsLoopback(u.Hostname()) {
		return Findings{warn("public-url", "public_url is "+public, "other machines cannot follow links, subscribe or push",
			"set public_url to the URL at which others reach the daemon")}
	}
	question := rand.Text()
	said, resp, err := Ask(ctx, public+ProofPath+"?question="+question) //nolint:bodyclose // Ask has closed it
	return judgeAddress(u, said, resp, err, proof(question))
}

// ProofPath is the path at which a daemon proves that it belongs to this installation.
const ProofPath = "/.well-known/feedwire"

// FormerURLs reports public URLs that this installation had before, whose topics still have subscriptions.
func FormerURLs(former []string) (all Findings) {
	for _, url := range former {
		all = append(all, warn("public-url", "topics of the former public_url "+url+" have subscriptions",
			"these subscriptions end with their leases if subscribers cannot reach the hub to renew them",
			"forward the former address to this daemon until the subscribers have subscribed to the new topics"))
	}
	return all
}
