package fetch

import (
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// checkRedirect allows redirects to http and https URLs, up to the limit, and never from https to http. It sends no Referer.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) == 0 {
		return nil
	}
	most := c.opts.Load().MaxRedirects
	switch {
	case len(via) > most:
		return feed.Failf(feed.FailureRedirectLimit, "more than %d redirects", most)
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return feed.Failf(feed.FailureRedirectLimit, "redirect to a %q URL", req.URL.Scheme)
	case req.URL.User != nil:
		return feed.Failf(feed.FailureRedirectLimit, "redirect to a URL with a user name")
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme == "http":
		return feed.Failf(feed.FailureRedirectLimit, "redirect from https to unprotected http")
	}
	req.Header.Del("Referer")
	return nil
}

// checkFormRedirect allows only redirects that repeat the POST (307 and 308) and stay at the server, because forms contain the secret
// of a subscription and the token of its callback. A secret that another host knows would let it sign in the name of the hub.
func checkFormRedirect(req *http.Request, via []*http.Request) error {
	if len(via) == 0 {
		return nil
	}
	status := req.Response.StatusCode
	if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect || len(via) > maxFormHops || req.URL.User != nil {
		return feed.Failf(feed.FailureRedirectLimit, "the hub redirects in a way that a request must not follow")
	}
	if !feed.MayPassSecret(via[0].URL.String(), req.URL.String()) {
		return feed.Failf(feed.FailureRedirectLimit, "the hub redirects to %s://%s, and the secret of a subscription is sent only to "+
			"the hub that the feed names", req.URL.Scheme, req.URL.Host)
	}
	return nil
}

// permanentTarget returns the end of a chain of redirects that were all permanent (RFC 9110 sections 15.4.2 and 15.4.9),
// or "".
func permanentTarget(last *http.Request) string {
	if last.Response == nil {
		return ""
	}
	for hop := last; hop.Response != nil; hop = hop.Response.Request {
		if code := hop.Response.StatusCode; code != http.StatusMovedPermanently && code != http.StatusPermanentRedirect {
			return ""
		}
	}
	target := withoutFragment(last.URL)
	if _, err := feed.CanonicalURL(target); err != nil {
		return ""
	}
	return target
}
