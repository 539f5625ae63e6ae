package community

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"github.com/feedwire/feedwire/store/feed"
)

// thread is the comments on a submission at a revision. It does not change.
type thread struct {
	revision string // empty: unknown
	comments map[string]*decodedComment
	hidden   map[int64]bool // authors of hidden comments
	// public and moderated are the trees that readers see who wrote no hidden comment, and that moderators see.
	public, moderated func() []feed.Comment
}

// newThread returns the thread of the fields of its key. What has not changed is not decoded again; before: the thread as it was; nil: unknown.
func newThread(revision string, fields map[string]string, before *thread) *thread {
	t := &thread{revision: revision, comments: make(map[string]*decodedComment, len(fields)), hidden: make(map[int64]bool)}
	for field, text := range fields {
		var d *decodedComment
		if before != nil {
			d = before.comments[field]
		}
		if d == nil || d.text != text {
			d = decode(field, text)
		}
		if d.id == 0 {
			continue
		}
		t.comments[field] = d
		if d.State == feed.Hidden {
			t.hidden[d.UserID] = true
		}
	}
	t.public = sync.OnceValue(func() []feed.Comment { return t.treeFor(0, false) })
	t.moderated = sync.OnceValue(func() []feed.Comment { return t.treeFor(0, true) })
	return t
}

// outline returns the thread as a reader sees it.
func (t *thread) outline(user int64, moderates bool) (o feed.Outline) {
	switch {
	case moderates:
		o.Comments = t.moderated()
	case user != 0 && t.hidden[user]:
		o.Comments = t.treeFor(user, false)
	default:
		o.Comments = t.public()
	}
	o.Vote = func(c *feed.Comment) feed.Vote {
		if user == 0 || c.Deleted {
			return feed.VoteNone
		}
		return t.comments[strconv.FormatInt(c.ID, 10)].voteOf(user)
	}
	return o
}

// authors returns the authors of comments at any depth, some of them twice.
func authors(comments []feed.Comment) (ids []int64) {
	for i := range comments {
		ids = append(append(ids, comments[i].AuthorID), authors(comments[i].Replies)...)
	}
	return ids
}

// complete returns a copy of comments at any depth with their authors, and the votes of the reader of an outline.
func complete(comments []feed.Comment, o *feed.Outline, names map[int64]string) []feed.Comment {
	all := slices.Clone(comments)
	for i := range all {
		c := &all[i]
		c.Author, c.Vote, c.Replies = names[c.AuthorID], o.Vote(c), complete(c.Replies, o, names)
	}
	return all
}

// treeFor returns the comments as a reader sees them.
func (t *thread) treeFor(user int64, moderates bool) []feed.Comment {
	byParent := make(map[int64][]feed.Comment)
	for _, d := range t.comments {
		c := d.as(user, moderates)
		byParent[c.ParentID] = append(byParent[c.ParentID], c)
	}
	return tree(byParent, feed.NoParent, 0)
}

// tree returns the replies to a comment. Comments whose parents do not lead to the root are left out.
func tree(byParent map[int64][]feed.Comment, parent int64, depth int) []feed.Comment {
	all := make([]feed.Comment, 0, len(byParent[parent]))
	if depth > feed.MaxDepth {
		return all
	}
	for _, c := range byParent[parent] {
		c.Replies = tree(byParent, c.ID, depth+1)
		if !c.Deleted || len(c.Replies) > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b feed.Comment) int {
		return cmp.Or(cmp.Compare(b.Up-b.Down, a.Up-a.Down), b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return all
}
