package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of one discovery.
const (
	discoverTime  = 45 * time.Second // for all its requests, because a person waits
	guessTime     = 15 * time.Second // for https, before http is tried
	maxCandidates = 50
)

// explained adds the remedy to a failure.
func explained(err error) error {
	if err == nil || errors.Is(err, feed.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%w; %s", err, feed.Advice(feed.ClassOf(err), 0))
}

// Discover finds the feeds of a page, most likely first: the URL itself if it is a feed, and nothing else then; otherwise the
// feeds that the page names in Link headers and <link> elements, feeds of comments last; otherwise the first feed at one of
// the common paths of the same host. A URL without a scheme is an https URL, or an http URL if there is no connection over https. Discover
// does not fetch the candidates that a page names.
//
// It returns no error if there is no candidate. Errors: feed.ErrInvalid if the URL cannot be used, otherwise a
// *feed.PollError with its remedy.
func (in *Ingester) Discover(ctx context.Context, rawURL string) (found []feed.Candidate, err error) {
	defer func() { err = explained(err) }()
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	get := in.get
	if !strings.Contains(rawURL, "://") {
		get = in.guess
	}
	page, got, err := get(ctx, rawURL)
	if err != nil {
		return nil, err
	}
	itself, notFeed := in.asCandidate(page, &got, feed.FoundItself)
	if notFeed == nil {
		return []feed.Candidate{itself}, nil
	}
	base, err := url.Parse(got.URL)
	if err != nil {
		return nil, feed.Failf(feed.FailureRedirectLimit, "the URL of the page after redirects is invalid")
	}
	found = candidates(base, websub.ParseLinks(got.Header.Values("Link")), feed.FoundHeader)
	found = distinct(append(found, pageCandidates(got.Body, got.Header.Get("Content-Type"), base)...))
	switch {
	case len(found) > 0:
		return found, nil
	case feed.ClassOf(notFeed) != feed.FailureNotAFeed: // it is one, but damaged
		return nil, notFeed
	}
	return in.tryPaths(ctx, base), nil
}

// Peek fetches and parses a feed as a poll does, and stores nothing. Errors: feed.ErrInvalid if the URL cannot be used,
// otherwise a *feed.PollError with its remedy.
func (in *Ingester) Peek(ctx context.Context, rawURL string) (feed.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	u, got, err := in.get(ctx, rawURL)
	if err != nil {
		return feed.Document{}, explained(err)
	}
	doc, err := in.read(u, &got)
	return doc, explained(err)
}

// get fetches a URL without validators and returns its canonical form.
func (in *Ingester) get(ctx context.Context, rawURL string) (string, fetch.Response, error) {
	u, err := feed.CanonicalURL(rawURL)
	if err != nil {
		return "", fetch.Response{}, err
	}
	got, err := in.client.Get(ctx, &feed.Source{URL: u}, fetch.Request{URL: u, Full: true})
	return u, got, err
}

// guess is get for a URL without a scheme.
func (in *Ingester) guess(ctx context.Context, address string) (string, fetch.Response, error) {
	address = strings.TrimSpace(address)
	short, cancel := context.WithTimeout(ctx, guessTime)
	defer cancel()
	u, got, err := in.get(short, "https://"+address)
	switch feed.ClassOf(err) {
	case feed.FailureConnect, feed.FailureTLS, feed.FailureTimeout:
		if plain, response, failed := in.get(ctx, "http://"+address); failed == nil {
			return plain, response, nil
		}
	}
	return u, got, err
}

// read parses a response to a request for a URL.
func (in *Ingester) read(u string, got *fetch.Response) (feed.Document, error) {
	parsed, err := parser.Parse(parser.NewRaw(got.Body, got.Header, got.URL, in.opts.Now()), u, in.reloaded.Load().MaxEntries)
	return parsed.Document, err
}

// asCandidate returns the candidate for a response that is a feed. Its URL is the requested one, because a redirect may be
// temporary.
func (in *Ingester) asCandidate(u string, got *fetch.Response, found feed.Discovery) (feed.Candidate, error) {
	doc, err := in.read(u, got)
	mediaType, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
	return feed.Candidate{URL: u, Title: feed.ShortLine(doc.About.Title), Type: feed.ShortLine(strings.ToLower(mediaType)), Found: found}, err
}

// tryPaths requests the common paths of the page's host one after the other, until one is a feed or the host fails.
func (in *Ingester) tryPaths(ctx context.Context, page *url.URL) []feed.Candidate {
	for _, u := range pathsOf(page) {
		_, got, err := in.get(ctx, u)
		switch class := feed.ClassOf(err); {
		case err == nil:
		case class == feed.FailureHTTP4xx, class == feed.FailureNotAFeed, class == feed.FailureRedirectLimit, class == feed.FailureTooLarge:
			continue
		default: // 429, 5xx, no connection or a timeout: the next path fails as well
			return nil
		}
		if end, err := url.Parse(got.URL); err != nil || end.Host != page.Host {
			continue
		}
		if found, err := in.asCandidate(u, &got, feed.FoundPath); err == nil {
			return []feed.Candidate{found}
		}
	}
	return nil
}

// pathsOf returns the URLs of the usual paths of feeds, most common first, below the page's folder and at the root.
func pathsOf(page *url.URL) []string {
	folder := path.Clean("/" + page.Path)
	if strings.Contains(path.Base(folder), ".") { // a document
		folder = path.Dir(folder)
	}
	var all []string
	for _, folder := range slices.Compact([]string{folder, "/"}) {
		for _, name := range []string{
			"feed", "feed.xml", "rss.xml", "atom.xml", "index.xml", "rss", "feed.json", "feed.atom", "feeds/posts/default",
		} {
			u := url.URL{Scheme: page.Scheme, Host: page.Host, Path: path.Join(folder, name)}
			all = append(all, u.String())
		}
	}
	return all
}

// candidates returns the feeds that links announce.
func candidates(base *url.URL, links []websub.Link, found feed.Discovery) []feed.Candidate {
	var all []feed.Candidate
	for _, l := range links {
		mediaType, _, _ := strings.Cut(l.Type, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
		announced := slices.Contains(l.Rels, "feed") && (mediaType == "" || isFeedType(mediaType)) ||
			slices.Contains(l.Rels, "alternate") && isFeedType(mediaType)
		if !announced || slices.Contains(l.Rels, "stylesheet") || l.Anchor != "" {
			continue
		}
		target := mend.Resolve(base, l.Target)
		canonical, err := feed.CanonicalURL(target)
		if target == "" || err != nil || mediaType == "application/json" && strings.Contains(target, "/wp-json/") {
			continue // WordPress announces its API under the type that some use for JSON Feed
		}
		all = append(all, feed.Candidate{
			URL: canonical, Title: feed.ShortLine(mend.Line(l.Title)), Type: mediaType, Found: found,
		})
	}
	return all
}

// isFeedType reports whether a media type is used for feeds.
func isFeedType(mediaType string) bool {
	return slices.Contains([]string{
		"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "application/json",
		"application/xml", "text/xml", "application/x-rss+xml", "application/x-atom+xml", "application/rss", "application/atom",
		"text/rss+xml", "text/rss", "text/atom+xml",
	}, mediaType)
}

// distinct removes repeated candidates and moves feeds of comments to the end.
func distinct(all []feed.Candidate) []feed.Candidate {
	var found []feed.Candidate
	at := make(map[string]int) // index in found, by URL
	for _, c := range all {
		if i, repeated := at[c.URL]; repeated {
			found[i].Title = cmp.Or(found[i].Title, c.Title)
			continue
		}
		at[c.URL] = len(found)
		found = append(found, c)
	}
	first := slices.DeleteFunc(slices.Clone(found), isComments)
	comments := slices.DeleteFunc(found, func(c feed.Candidate) bool { return !isComments(c) })
	first = append(first, comments...)
	return first[:min(len(first), maxCandidates)]
}

// isComments reports whether a feed seems to contain comments.
func isComments(c feed.Candidate) bool {
	u, err := url.Parse(c.URL)
	return strings.Contains(strings.ToLower(c.Title), "comment") ||
		err == nil && strings.Contains(strings.ToLower(u.Path), "comment")
}
