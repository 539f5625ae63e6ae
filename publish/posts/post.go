package posts

import (
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// post is an entry in the form of the paths /feed and /posts.
type post struct {
	ID           int64     `json:"id"`
	UserID       int64     `json:"user_id,omitempty"`  // of the author; 0: no member wrote the entry
	FeedURL      string    `json:"feed_url,omitempty"` // of an entry that no member wrote
	Link         string    `json:"link,omitempty"`
	Caption      string    `json:"caption"`
	CreatedAt    time.Time `json:"created_at"`
	LikeCount    int       `json:"like_count"` // upvotes
	CommentCount int       `json:"comment_count"`
	HasLiked     bool      `json:"has_liked"` // an upvote is that of the account
	Media        []medium  `json:"media"`
}

// thumbnail is a post with its first medium only.
type thumbnail struct {
	ID           int64    `json:"id"`
	LikeCount    int      `json:"like_count"`
	CommentCount int      `json:"comment_count"`
	Media        []medium `json:"media"`
}

// medium is a file of a post.
type medium struct {
	Position int    `json:"position"` // from 0
	URL      string `json:"url"`
	Type     string `json:"type"`
	Width    int64  `json:"width,omitempty"`
	Height   int64  `json:"height,omitempty"`
}

// page is a page of posts.
type page[T any] struct {
	Posts      []T     `json:"posts"`
	NextCursor *string `json:"next_cursor"` // nil: nothing follows
	HasMore    bool    `json:"has_more"`
}

// pageOf returns a page in the form of the paths /feed and /users/feed. The scores are those of its entries, and so are the
// numbers of comments by members here.
func pageOf[T any](
	found feed.TimelinePage, scores map[string]feed.Score, comments map[string]int, form func(*feed.Entry, feed.Score, map[string]int) T,
) page[T] {
	p := page[T]{Posts: make([]T, len(found.Entries)), HasMore: !found.Next.IsZero()}
	for i := range found.Entries {
		e := &found.Entries[i]
		p.Posts[i] = form(e, scores[e.ID], comments)
	}
	if p.HasMore {
		next := feed.TimelineCursor(found.Next)
		p.NextCursor = &next
	}
	return p
}

func postOf(e *feed.Entry, score feed.Score, comments map[string]int) post {
	p := post{
		UserID: feed.MemberOf(e.FeedURL), Link: e.Link, Caption: e.Title, CreatedAt: e.Timestamp.UTC(), CommentCount: commentsOf(e, comments), Media: mediaOf(e),
		LikeCount: score.Upvotes, HasLiked: score.Vote == feed.VoteUp,
	}
	p.ID, _ = strconv.ParseInt(e.Number(), 10, 64) // a stored entry has one
	if p.UserID == 0 {
		p.FeedURL = e.FeedURL
	}
	return p
}

func thumbnailOf(e *feed.Entry, score feed.Score, comments map[string]int) thumbnail {
	p := postOf(e, score, comments)
	return thumbnail{p.ID, p.LikeCount, p.CommentCount, p.Media[:min(1, len(p.Media))]}
}

// commentsOf returns how many comments an entry has: by members here if they comment on it, and otherwise as its source says.
func commentsOf(e *feed.Entry, here map[string]int) int {
	if n, ok := here[e.ID]; ok {
		return n
	}
	count := e.Extra["comment_count"]
	if count == "" { // unknown
		return 0
	}
	n, _ := strconv.Atoi(count)
	return n
}

// mediaOf returns the files of an entry, or else its image.
func mediaOf(e *feed.Entry) []medium {
	files := e.Enclosures()
	if image := e.Image(); len(files) == 0 && image != "" {
		files = []feed.Enclosure{{URL: image, Type: "image"}}
	}
	all := make([]medium, len(files))
	for i, f := range files {
		all[i] = medium{i, f.URL, f.MediaType(), f.Width, f.Height}
	}
	return all
}
