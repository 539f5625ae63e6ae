package feed

import "net/http"

// FailureClass says in which way a poll failed. But for FailureOutage they are the values of the reason label of
// feedwire_poll_failures_total.
type FailureClass string

// The classes, in the order of a poll.
const (
	FailureDNS            FailureClass = "dns"
	FailureConnect        FailureClass = "connect"
	FailureTLS            FailureClass = "tls"
	FailureTimeout        FailureClass = "timeout"
	FailureBlockedAddress FailureClass = "blocked_address"
	FailureRedirectLimit  FailureClass = "redirect_limit"
	FailureHTTP4xx        FailureClass = "http_4xx"
	FailureHTTP429        FailureClass = "http_429"
	FailureHTTP5xx        FailureClass = "http_5xx"
	FailureTooLarge       FailureClass = "too_large"
	FailureNotAFeed       FailureClass = "not_a_feed"
	FailureParse          FailureClass = "parse"
	FailureLimits         FailureClass = "limits"
	FailureStore          FailureClass = "store"
	FailureOutage         FailureClass = "outage" // dns or connect, and most other hosts cannot be reached either
)

// WayOut says what a person can do about the failure of the last poll; empty: it succeeded.
func (p *PollState) WayOut() string {
	if p.ErrorClass == "" {
		return ""
	}
	return WayOut(FailureClass(p.ErrorClass), p.Status)
}

// WayOut says what a person can do about a failure. Status is that of the HTTP answer, where there was one.
func WayOut(class FailureClass, status int) string {
	switch class {
	case FailureDNS:
		return "check the spelling of the host name; where the site has moved, add the feed under its new address"
	case FailureConnect:
		return "see in a browser whether the site can be reached; if so, something between it and this machine refuses; it is tried again"
	case FailureTLS:
		return "the site's owner has to mend its certificate or its encryption; it is tried again"
	case FailureTimeout:
		return "it is tried again; where the server is always this slow, give the source more time with --timeout, or all with fetch.timeout"
	case FailureBlockedAddress:
		return "if that network is yours, add it to fetch.allow_networks; else the address is not that of a public site"
	case FailureRedirectLimit:
		return "open the address in a browser, and add the feed under the one where it ends"
	case FailureHTTP4xx:
		return wayOut4xx(status)
	case FailureHTTP429:
		return "nothing: it is tried again when the server allows; if this comes back, poll the source less often with --interval"
	case FailureHTTP5xx:
		return "nothing: the fault is the server's; it is tried again, less and less often"
	case FailureTooLarge:
		return "raise fetch.max_bytes if this feed is to be taken"
	case FailureNotAFeed:
		return "open the address in a browser: where it shows a page, feedwire source add finds the feed of that page; " +
			"where it shows nothing, the fault is the site's"
	case FailureParse:
		return "the document is damaged beyond mending; a feed validator shows the site's owner where"
	case FailureLimits:
		return "the document passes a bound that keeps the daemon safe; the site has to serve a simpler one"
	case FailureStore:
		return "the source is not at fault; look at the store"
	case FailureOutage:
		return "the source is not at fault: look at the network and the DNS of this machine"
	}
	return "it is tried again"
}

// wayOut4xx tells the refusals apart.
func wayOut4xx(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "the feed wants a password: give it to the source with --username and --password-file"
	case http.StatusForbidden:
		return "if the feed shows in a browser, the site refuses programs: ask its owner to let this one in by its User-Agent"
	case http.StatusNotFound:
		return "the feed is not at this address: feedwire source add with the address of the site finds the new one"
	case http.StatusGone:
		return "the site has taken the feed away: look there for a new one, and remove this source"
	}
	return "check that the feed still lives at this address and is open to everyone"
}
