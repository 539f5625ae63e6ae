package community

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// mayModerate reports whether the visitor makes decisions about what others wrote, and so sees what is hidden from others.
func mayModerate(r *http.Request) bool {
	v := web.VisitorOf(r)
	return v.May(feed.ScopeSources)
}

// news returns submissions as the visitor sees them, with the votes of a reader.
func (c *Community) news(r *http.Request, reader int64, ids ...int64) ([]feed.News, error) {
	if mayModerate(r) {
		return c.store.ModeratedNews(r.Context(), reader, ids...)
	}
	return c.store.News(r.Context(), reader, ids...)
}

// comments returns the comments on a submission as the visitor sees them, with the votes of a reader.
func (c *Community) comments(r *http.Request, n, reader int64) ([]feed.Comment, error) {
	if mayModerate(r) {
		return c.store.ModeratedThread(r.Context(), n, reader)
	}
	return c.store.Thread(r.Context(), n, reader)
}

// outline returns the comments on a submission as the visitor sees them on pages.
func (c *Community) outline(r *http.Request, n, reader int64) (feed.Outline, error) {
	if mayModerate(r) {
		return c.store.ModeratedOutline(r.Context(), n, reader)
	}
	return c.store.Outline(r.Context(), n, reader)
}

// commentsOf returns a page of the comments of a member as the visitor sees them, with the votes of a reader.
func (c *Community) commentsOf(r *http.Request, user, reader int64, after feed.Cursor, limit int) ([]feed.UserComment, feed.Cursor, error) {
	if mayModerate(r) {
		return c.store.ModeratedCommentsOf(r.Context(), user, reader, after, limit)
	}
	return c.store.CommentsOf(r.Context(), user, reader, after, limit)
}
