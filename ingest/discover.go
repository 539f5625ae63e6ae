package ingest

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of one discovery.
const (
	discoverTime  = 45 * time.Second // for all its requests; the one who asked is waiting
	maxCandidates = 50
)

// commonPaths are where programs that publish put their feeds, most usual first. They are tried below the page's own
// folder and at the root.
func commonPaths() []string {
	return []string{
		"feed", "feed.xml", "rss.xml", "atom.xml", "index.xml", "rss", "feed.json", "feed.atom", "feeds/posts/default",
	}
}

// explained adds the remedy to an error.
func explained(err error) error {
	return fmt.Errorf("%w; %s", err, feed.Advice(feed.ClassOf(err), 0))
}

// Discover finds the feeds of a page, in the order in which they are likely to be meant: the URL itself where it is that
// of a feed, and nothing else then; else those that the page names in Link headers and <link> elements, feeds of comments
// last; else the first that stands at one of the common paths of the same host. A URL without a scheme is taken for
// https. The candidates that a page names are not fetched: the first poll tells whether they are feeds.
//
// No candidates are no error. feed.ErrInvalid: the URL cannot be used; else errors are of type *feed.Failure.
func (in *Ingester) Discover(ctx context.Context, rawURL string) ([]feed.Candidate, error) {
	if !strings.Contains(rawURL, "://") {
		rawURL = "https://" + strings.TrimSpace(rawURL)
	}
	page, err := feed.CanonicalURL(rawURL)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()

	got, err := in.get(ctx, page)
	if err != nil {
		return nil, explained(err)
	}
	itself, notFeed := in.asCandidate(page, &got)
	if notFeed == nil {
		itself.Found = feed.FoundItself
		return []feed.Candidate{itself}, nil
	}
	base, err := url.Parse(got.url)
	if err != nil {
		return nil, explained(feed.Failf(feed.FailureRedirectLimit, "the URL where the page ends cannot be read"))
	}
	found := candidates(base, websub.ParseLinks(got.header.Values("Link")), feed.FoundHeader)
	links, base := pageLinks(got.body, got.header.Get("Content-Type"), base)
	found = distinct(append(found, candidates(base, links, feed.FoundPage)...))
	switch {
	case len(found) > 0:
		return found, nil
	case feed.ClassOf(notFeed) != feed.FailureNotAFeed: // it is one, but damaged
		return nil, explained(notFeed)
	}
	return in.tryPaths(ctx, got.url), nil
}

// get fetches a URL as a poll would, without validators.
func (in *Ingester) get(ctx context.Context, u string) (answer, error) {
	return in.fetch(ctx, &feed.Source{URL: u}, errand{url: u, full: true})
}

// asCandidate reads an answer as a feed. The candidate's URL is the one that was asked for: a redirect may be for today
// only.
func (in *Ingester) asCandidate(u string, got *answer) (feed.Candidate, error) {
	mediaType, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
	doc, err := Parse(Raw{
		Body: got.body, ContentType: got.header.Get("Content-Type"), URL: got.url, Received: in.opts.Now(),
	}, u, Limits{Entries: in.terms().MaxEntries})
	if err != nil {
		return feed.Candidate{}, err
	}
	return feed.Candidate{URL: u, Title: short(doc.About.Title), Type: short(strings.ToLower(mediaType))}, nil
}

// tryPaths asks for the common paths of the page's host, one after the other, until one is a feed or the host has had
// enough of it.
func (in *Ingester) tryPaths(ctx context.Context, page string) []feed.Candidate {
	base, err := url.Parse(page)
	if err != nil {
		return nil
	}
	for _, u := range pathsOf(base) {
		got, err := in.get(ctx, u)
		switch class := feed.ClassOf(err); {
		case err == nil:
		case class == feed.FailureHTTP4xx, class == feed.FailureNotAFeed, class == feed.FailureRedirectLimit, class == feed.FailureTooLarge:
			continue
		default: // 429, 5xx, no connection, no time: it is not going to be better at the next path
			return nil
		}
		if end, err := url.Parse(got.url); err != nil || end.Host != base.Host {
			continue
		}
		if found, err := in.asCandidate(u, &got); err == nil {
			found.Found = feed.FoundPath
			return []feed.Candidate{found}
		}
	}
	return nil
}

// pathsOf are the URLs that tryPaths asks for.
func pathsOf(base *url.URL) []string {
	folder := path.Clean("/" + base.Path)
	if strings.Contains(path.Base(folder), ".") { // a document
		folder = path.Dir(folder)
	}
	folders := []string{folder}
	if folder != "/" {
		folders = append(folders, "/")
	}
	var all []string
	for _, folder := range folders {
		for _, name := range commonPaths() {
			u := url.URL{Scheme: base.Scheme, Host: base.Host, Path: path.Join(folder, name)}
			all = append(all, u.String())
		}
	}
	return all
}

// candidates are the links that announce a feed.
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
		target := resolve(base, l.Target)
		canonical, err := feed.CanonicalURL(target)
		if target == "" || err != nil || mediaType == "application/json" && strings.Contains(target, "/wp-json/") {
			continue // WordPress announces its API under the type that some use for JSON Feed
		}
		all = append(all, feed.Candidate{
			URL: canonical, Title: short(cleanLine(l.Title)), Type: mediaType, Found: found,
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

// distinct drops what stands there already and brings feeds of comments to the end.
func distinct(all []feed.Candidate) []feed.Candidate {
	titles := make(map[string]string)
	for _, c := range all {
		titles[c.URL] = cmp.Or(titles[c.URL], c.Title)
	}
	var first, comments []feed.Candidate
	seen := make(map[string]bool)
	for _, c := range all {
		c.Title = titles[c.URL]
		switch {
		case seen[c.URL]:
		case isComments(c):
			comments = append(comments, c)
		default:
			first = append(first, c)
		}
		seen[c.URL] = true
	}
	first = append(first, comments...)
	return first[:min(len(first), maxCandidates)]
}

// isComments reports whether a feed seems to hold what readers say.
func isComments(c feed.Candidate) bool {
	u, err := url.Parse(c.URL)
	return strings.Contains(strings.ToLower(c.Title), "comment") ||
		err == nil && strings.Contains(strings.ToLower(u.Path), "comment")
}

// short bounds what others wrote, at a character of UTF-8.
func short(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
