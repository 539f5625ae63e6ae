package community

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// MaySubmit returns the error that Submit would return now. It changes nothing.
func (s *Store) MaySubmit(ctx context.Context, user int64, submission *feed.Submission, admin bool) error {
	k := s.keys()
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", k.url(submission.Address()))
		b.Add("TTL", k.recent(user))
		b.Add("ZSCORE", k.banned(), user)
	})
	if err == nil {
		first, wait, banned := int64(r.Count()), r.Count(), r.Text() != ""
		if first != 0 && submission.URL != "" && !banned {
			var seen []feed.News // a hidden submission of someone else does not exist
			if seen, err = s.News(ctx, user, first); len(seen) == 0 {
				first = 0
			}
		}
		switch {
		case err != nil:
		case banned:
			err = refusal("banned")
		case first != 0 && submission.URL != "":
			err = &feed.DuplicateError{First: first}
		case wait != -2 && !admin:
			err = recently(max(1, wait))
		}
	}
	return core.Wrap(err, "submit %s", submission.Address())
}

func recently(seconds int) error {
	return &feed.QuotaError{
		Reason: fmt.Sprintf("you have submitted less than %d minutes ago; wait %d seconds", int(feed.NewsBreak.Minutes()), seconds),
		Wait:   time.Duration(seconds) * time.Second,
	}
}

// Submit makes an entry of feed.MemberURL a submission with an upvote of its author. It is held if the entry is hidden. *feed.DuplicateError: the URL was submitted before;
// *feed.QuotaError: the author, who is no admin, has submitted in the last feed.NewsBreak; feed.ErrGone: the entry was taken down. It is a
// no-op if the entry is a submission.
func (s *Store) Submit(ctx context.Context, e *feed.Entry, submission *feed.Submission, admin bool) error {
	k, call, user := s.keys(), s.articles.Invocation(e), feed.MemberOf(e.FeedURL)
	n, repost, pause := numberOf(e.ID), int(feed.NewsRepost.Seconds()), int(feed.NewsBreak.Seconds())
	url := k.url(submission.Address())
	if submission.URL == "" {
		repost, url = 0, k.news(n) // the script does not use it
	}
	if admin {
		pause = 0
	}
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["submit"],
		append(call.Keys, k.news(n), k.up(n), k.top(), k.latest(), k.recent(user), k.voted(user), url, k.banned(), k.held(), k.unlisted()),
		append(call.Args, n, user, submission.Title, submission.Address(), repost, pause, core.Bit(e.Hidden))))
	result, number := pair(reply)
	if err == nil {
		switch result {
		case "removed", "banned":
			err = refusal(result)
		case "duplicate":
			err = &feed.DuplicateError{First: number}
		case "recently":
			err = recently(int(number))
		}
	}
	return core.Wrap(err, "submit %s", e.ID)
}

// numberOf returns the number in the id of an entry.
func numberOf(id string) int64 {
	e := feed.Entry{ID: id}
	n, _ := strconv.ParseInt(e.Number(), 10, 64) // a stored entry has one
	return n
}

// pair decodes the reply of a script: a word and a number.
func pair(reply []any) (word string, n int64) {
	if len(reply) == 2 {
		word, _ = redis.String(reply[0], nil)
		n, _ = redis.Int64(reply[1], nil)
	}
	return word, n
}

// EditNews changes a submission within feed.NewsEdit, or at any time if the account moderates. feed.ErrNotFound: there is no such submission;
// feed.ErrForbidden: someone else submitted it, or it is an entry of a source; feed.ErrConflict: it is too late; feed.ErrGone: it was deleted; *feed.DuplicateError: the new URL
// was submitted before. With hold, the submission waits for a moderator unless it has a state.
func (s *Store) EditNews(ctx context.Context, n, user int64, moderates bool, submission *feed.Submission, hold bool) error {
	k, repost := s.keys(), int(feed.NewsRepost.Seconds())
	url := k.url(submission.Address())
	if submission.URL == "" {
		repost, url = 0, k.news(n) // the script does not use it
	}
	reply, err := redis.Values(s.db.Run(ctx, s.scripts["edit_news"], []any{k.news(n), url, k.banned(), k.held()}, []any{
		k.Prefix(), n, user, core.Bit(moderates), core.Stamp(s.db.Now()), feed.NewsEdit.Seconds(), submission.Title, submission.Address(), repost, core.Bit(hold),
	}))
	result, first := pair(reply)
	if err == nil {
		if err = refusal(result); result == "duplicate" {
			err = &feed.DuplicateError{First: first}
		}
	}
	return core.Wrap(err, "edit submission %d", n)
}

// refusal returns the error of a script that changes a submission or a comment.
func refusal(result string) error {
	switch result {
	case "missing":
		return feed.ErrNotFound
	case "banned":
		return fmt.Errorf("this is %w: the account is banned here", feed.ErrForbidden)
	case "owner":
		return fmt.Errorf("this is %w: someone else wrote it", feed.ErrForbidden)
	case "closed":
		return fmt.Errorf("%w: it is too old", feed.ErrConflict)
	case "removed":
		return feed.ErrGone
	case "rejected":
		return fmt.Errorf("%w: a moderator has rejected it", feed.ErrConflict)
	case "held":
		return fmt.Errorf("%w: no moderator has approved it", feed.ErrConflict)
	case "offered":
		return fmt.Errorf("%w: it is the entry of a source", feed.ErrConflict)
	}
	return nil
}

// DeleteNews marks a submission as deleted within feed.NewsEdit, or at any time if the account moderates. It leaves both lists, and its URL can
// be submitted again. Errors are those of EditNews. It is a no-op if the submission is deleted.
func (s *Store) DeleteNews(ctx context.Context, n, user int64, moderates bool) error {
	k := s.keys()
	result, err := redis.String(s.db.Run(ctx, s.scripts["delete_news"], []any{k.news(n), k.top(), k.latest()}, []any{
		k.Prefix(), n, user, core.Bit(moderates), core.Stamp(s.db.Now()), feed.NewsEdit.Seconds(),
	}))
	return core.Wrap(cmp.Or(err, refusal(result)), "delete submission %d", n)
}

// RemoveNews marks the submission of an entry that no longer exists as deleted. If the entry was offered, it deletes news and thread. It
// is a no-op if the entry is neither.
func (s *Store) RemoveNews(ctx context.Context, id string) error {
	k, n := s.keys(), numberOf(id)
	_, err := s.db.Run(ctx, s.scripts["remove_news"], []any{k.news(n), k.top(), k.latest(), k.up(n), k.down(n), k.thread(n)}, []any{k.Prefix(), n})
	return core.Wrap(err, "remove submission %d", n)
}
