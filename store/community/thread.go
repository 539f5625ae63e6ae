package community

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// storedComment is the JSON of a comment in a thread.
type storedComment struct {
	Body     string  `json:"body"`
	ParentID int64   `json:"parent_id"`
	UserID   int64   `json:"user_id"`
	Created  float64 `json:"ctime"`
	Up       []int64 `json:"up"`
	Down     []int64 `json:"down"`
	Deleted  int     `json:"del"`

	State feed.Visibility `json:"state"` // empty: visible
}

// AddComment adds a comment to a submission, signals it if everyone sees it, and returns its number. The parent is the comment that it replies to, or feed.NoParent.
// feed.ErrNotFound: there is no such submission or parent; feed.ErrGone: one of them was deleted; feed.ErrForbidden: the author is banned;
// feed.ErrConflict: the thread is locked, has feed.MaxThread comments, or replies to a depth of feed.MaxDepth; *feed.QuotaError: the author has written feed.CommentsAMinute.
func (s *Store) AddComment(ctx context.Context, n, user, parent int64, body string) (int64, error) {
	k := s.keys()
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["comment"], []any{
		k.news(n), k.thread(n), k.comments(user), k.banned(), k.Outbox(), k.Activity(s.db.Now()),
	}, []any{
		k.Key("user:"), n, user, parent, body, core.Stamp(s.db.Now()), feed.MaxThread, feed.MaxDepth, feed.CommentsAMinute,
		feed.MemberPrefix,
	}))
	result, c := pair(reply)
	if err == nil {
		switch result {
		case "added":
			s.db.Signalled(ctx, k.Keyspace)
		case "locked":
			err = fmt.Errorf("%w: a moderator has locked the thread", feed.ErrConflict)
		case "full":
			err = fmt.Errorf("%w: the thread has %d comments", feed.ErrConflict, feed.MaxThread)
		case "deep":
			err = fmt.Errorf("%w: replies are %d deep; reply to an earlier comment", feed.ErrConflict, feed.MaxDepth)
		case "often":
			err = &feed.QuotaError{Reason: fmt.Sprintf("a member can write %d comments in a minute", feed.CommentsAMinute), Wait: time.Minute}
		default:
			err = refusal(result)
		}
	}
	return c, core.Wrap(err, "comment on submission %d", n)
}

// EditComment changes the body of a comment within feed.CommentEdit. feed.ErrNotFound: there is no such comment; feed.ErrForbidden: someone else
// wrote it; feed.ErrConflict: it is too late; feed.ErrGone: it was deleted.
func (s *Store) EditComment(ctx context.Context, n, c, user int64, body string) error {
	return s.editComment(ctx, n, c, user, false, body)
}

// DeleteComment deletes a comment within feed.CommentEdit, or at any time if the account moderates. Replies stay. Errors are those of
// EditComment. It is a no-op if the comment is deleted.
func (s *Store) DeleteComment(ctx context.Context, n, c, user int64, moderates bool) error {
	return s.editComment(ctx, n, c, user, moderates, "")
}

func (s *Store) editComment(ctx context.Context, n, c, user int64, moderates bool, body string) error {
	k := s.keys()
	result, err := redis.String(s.db.Run(ctx, s.scripts["edit_comment"], []any{k.news(n), k.thread(n), k.banned()}, []any{
		c, user, core.Bit(moderates), core.Stamp(s.db.Now()), feed.CommentEdit.Seconds(), body, k.Key("user:"),
	}))
	return core.Wrap(cmp.Or(err, refusal(result)), "change comment %d-%d", n, c)
}

// VoteOnComment votes up or down on a comment. It returns the vote that the user has cast on it before, which does not change; VoteNone: this is
// the first. feed.ErrInvalid: the vote; feed.ErrNotFound: there is no such comment; feed.ErrGone: it was deleted; feed.ErrConflict: it has
// feed.MaxCommentVotes.
func (s *Store) VoteOnComment(ctx context.Context, n, c, user int64, v feed.Vote) (before feed.Vote, err error) {
	if v != feed.VoteUp && v != feed.VoteDown {
		return "", feed.Invalid("vote", "use up or down; a vote on a comment is final")
	}
	k := s.keys()
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["vote_comment"], []any{k.news(n), k.thread(n), k.commentVotes(user), k.banned()}, []any{
		c, user, string(v), core.Stamp(s.db.Now()), n, feed.MaxCommentVotes,
	}))
	before = feed.VoteNone
	if err == nil {
		switch reply[0] {
		case "voted":
			before = feed.Vote(reply[1])
		case "full":
			err = fmt.Errorf("%w: it has %d votes", feed.ErrConflict, feed.MaxCommentVotes)
		default:
			err = refusal(reply[0])
		}
	}
	return before, core.Wrap(err, "vote on comment %d-%d", n, c)
}

// Thread returns the comments on a submission as trees, with the votes of a user; 0: no user. Siblings are in the order of upvotes minus
// downvotes, those with the same number newest first. A deleted comment is there only if it has replies that are.
func (s *Store) Thread(ctx context.Context, n, user int64) ([]feed.Comment, error) {
	return s.thread(ctx, n, user, false)
}

// ModeratedThread is Thread as moderators read it: hidden and removed comments are complete, and have a state.
func (s *Store) ModeratedThread(ctx context.Context, n, user int64) ([]feed.Comment, error) {
	return s.thread(ctx, n, user, true)
}

func (s *Store) thread(ctx context.Context, n, user int64, moderates bool) ([]feed.Comment, error) {
	hash, err := redis.StringMap(s.db.Do(ctx, group, "HGETALL", s.keys().thread(n)))
	if err != nil {
		return nil, core.Wrap(err, "comments on submission %d", n)
	}
	delete(hash, "nextid")
	byParent, names := make(map[int64][]feed.Comment), make(map[int64]string)
	for field, d := range s.decoded.decode(n, hash) {
		if c, ok := commentFrom(field, d, user, moderates); ok {
			byParent[c.ParentID] = append(byParent[c.ParentID], c)
			names[c.AuthorID] = ""
		}
	}
	if err := s.readNames(ctx, names); err != nil {
		return nil, core.Wrap(err, "comments on submission %d", n)
	}
	return tree(byParent, names, feed.NoParent, 0), nil
}

// commentFrom returns the comment in a field of a thread with the vote of a user. False: another program wrote it.
func commentFrom(field string, stored *decodedComment, user int64, moderates bool) (c feed.Comment, ok bool) {
	id, err := strconv.ParseInt(field, 10, 64)
	if err != nil || id <= 0 || !stored.ok {
		return c, false
	}
	c = feed.Comment{
		ID: id, ParentID: stored.ParentID, AuthorID: stored.UserID, Body: stored.Body, Up: len(stored.Up), Down: len(stored.Down),
		Created: time.UnixMilli(int64(math.Round(stored.Created * 1000))).UTC(), Vote: feed.VoteNone, Deleted: stored.Deleted != 0 || !moderates && !stored.seenBy(user),
	}
	if moderates && !c.Deleted {
		c.State = stored.State
	}
	switch {
	case c.Deleted:
		c.Body, c.AuthorID, c.Up, c.Down = "", 0, 0, 0
	case slices.Contains(stored.Up, user):
		c.Vote = feed.VoteUp
	case slices.Contains(stored.Down, user):
		c.Vote = feed.VoteDown
	}
	return c, true
}

// seenBy reports whether a moderator lets a reader see the comment.
func (c *storedComment) seenBy(user int64) bool {
	return c.State == "" || c.State == feed.Hidden && user != 0 && user == c.UserID
}

// tree returns the replies to a comment. Comments whose parents do not lead to the root are left out.
func tree(byParent map[int64][]feed.Comment, names map[int64]string, parent int64, depth int) []feed.Comment {
	all := make([]feed.Comment, 0, len(byParent[parent]))
	if depth > feed.MaxDepth {
		return all
	}
	for _, c := range byParent[parent] {
		c.Author, c.Replies = names[c.AuthorID], tree(byParent, names, c.ID, depth+1)
		if !c.Deleted || len(c.Replies) > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b feed.Comment) int {
		return cmp.Or(cmp.Compare(b.Up-b.Down, a.Up-a.Down), b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return all
}

// SeeReplies marks the replies to the comments of a user as read. It is a no-op if the account was removed.
func (s *Store) SeeReplies(ctx context.Context, user int64) error {
	_, err := s.db.Run(ctx, s.scripts["see_replies"], []any{s.keys().user(user)}, []any{core.Stamp(s.db.Now())})
	return core.Wrap(err, "replies to user %d", user)
}

// eraseComments removes a user from comments: those that the user wrote stay without author, and votes of the user no longer count.
func (s *Store) eraseComments(ctx context.Context, user int64) error {
	k := s.keys()
	for _, key := range []string{k.comments(user), k.commentVotes(user)} {
		for {
			members, err := redis.Strings(s.db.Do(ctx, group, "ZRANGE", key, 0, erasedAtOnce-1))
			if err != nil {
				return err
			}
			if len(members) == 0 {
				break
			}
			for _, member := range members {
				n, c, _ := strings.Cut(member, "-")
				if _, err := s.db.Run(ctx, s.scripts["erase_comment"],
					[]any{k.Key("thread:comment:" + n), k.comments(user), k.commentVotes(user), k.Key("news:" + n)}, []any{c, user, member}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
