package community

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

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
