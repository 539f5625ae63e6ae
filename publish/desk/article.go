package desk

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// articleOf makes the article of an entry. Where the source gives no dates, the entry's timestamp stands for them.
func articleOf(e *feed.Entry) feed.Article {
	return feed.Article{
		UUID: feed.ArticleUUID(e.FeedURL, e.GUID), FeedURL: e.FeedURL, GUID: e.GUID, Entry: e.ID,
		Title: e.Title, Canonical: canonical(e.Link), Authors: e.Authors, Summary: e.Summary, Content: e.Content,
		Categories: e.Categories(), Image: e.Image(), Enclosures: e.Enclosures(),
		Digest: e.Digest(), Published: known(e.Published, e.Timestamp), Modified: known(e.Updated, e.Timestamp),
	}
}

func known(t, otherwise time.Time) time.Time {
	if t.IsZero() {
		return otherwise
	}
	return t
}

// canonical is the address of an article on its site: the link without its fragment and without the utm_ parameters
// that count where readers come from. A link that cannot be read stays as it is.
func canonical(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	u.Fragment, u.RawFragment = "", ""
	parameters := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(p string) bool {
		return len(p) >= 4 && strings.EqualFold(p[:4], "utm_")
	})
	u.RawQuery = strings.Join(parameters, "&")
	return cmp.Or(u.String(), link)
}
