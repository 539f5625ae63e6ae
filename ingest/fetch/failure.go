package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// statusFailure returns the failure of a status other than 200, or of a 304 to an unconditional request.
func statusFailure(status string, code int) error {
	class := feed.FailureNotAFeed
	switch {
	case code == http.StatusTooManyRequests:
		class = feed.FailureHTTP429
	case code >= 400 && code < 500:
		class = feed.FailureHTTP4xx
	case code >= 500:
		class = feed.FailureHTTP5xx
	}
	return feed.Failf(class, "the server answered %q instead of a feed", status)
}

// ClassOf returns the class of an error of net/http.
func ClassOf(err error) feed.FailureClass { return feed.ClassOf(failureOf(err)) }

// failureOf classifies an error of net/http.
func failureOf(err error) error {
	if own, ok := errors.AsType[*feed.PollError](err); ok { // of the guard or a refused redirect
		return own
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok { // it repeats method and URL
		err = wrapped.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return feed.Failf(feed.FailureDNS, "the host name could not be resolved: lookup %s: %s", dns.Name, dnsReason(dns))
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return &feed.PollError{Class: feed.FailureTimeout, Reason: "the server took too long", Err: err}
	}
	if isTLS(err) {
		return &feed.PollError{Class: feed.FailureTLS, Reason: "no safe connection", Err: err}
	}
	if strings.Contains(err.Error(), "response headers exceeded") { // net/http has no type for it
		return feed.Failf(feed.FailureTooLarge, "the response header has more than %d bytes", maxHeaderBytes)
	}
	return &feed.PollError{Class: feed.FailureConnect, Reason: "the connection failed", Err: err}
}

// dnsReason returns why a lookup failed, without the address of the resolver, because people see it who follow a URL.
func dnsReason(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "no such host"
	case err.IsTimeout:
		return "the name server took too long"
	default:
		return "the name server failed"
	}
}

// isTLS reports whether TLS caused the error.
func isTLS(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	return verification || record || alert || authority || strings.Contains(err.Error(), "tls: ")
}
