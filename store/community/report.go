package community

import (
	"cmp"
	"context"
	"encoding/json"
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

// Report adds an account to those who reported a submission or a comment. It is a no-op if the account has done so before, or if
// feed.MaxReports accounts have. feed.ErrNotFound: it does not exist; feed.ErrGone: it was deleted or removed; feed.ErrForbidden: the account
// is banned, or wrote it; *feed.QuotaError: the account has made feed.ReportsAnHour.
func (s *Store) Report(ctx context.Context, o feed.Reported, user int64, reason string) error {
	k := s.keys()
	result, err := redis.String(s.db.Run(ctx, s.scripts["report"],
		[]any{k.news(o.News), k.thread(o.News), k.reports(), k.reportsOf(o.String()), k.reportsBy(user), k.banned()},
		[]any{o.String(), o.Comment, user, core.Stamp(s.db.Now()), reason, feed.MaxReports, feed.ReportsAnHour, int(feed.ReportsStored.Seconds())}))
	if err == nil {
		switch result {
		case "own":
			err = fmt.Errorf("this is %w: you wrote it", feed.ErrForbidden)
		case "often":
			err = &feed.QuotaError{Reason: fmt.Sprintf("a member can report %d times in an hour", feed.ReportsAnHour), Wait: time.Hour}
		default:
			err = refusal(result)
		}
	}
	return core.Wrap(err, "report %s", o)
}

// CloseReport removes something from the queue of reports, and reports whether it was there. Who has reported it cannot do so again.
func (s *Store) CloseReport(ctx context.Context, o feed.Reported) (changed bool, err error) {
	removed, err := redis.Int(s.db.Do(ctx, group, "ZREM", s.keys().reports(), o.String()))
	return removed == 1, core.Wrap(err, "close report %s", o)
}

// CountReports returns how many objects are in the queue of reports.
func (s *Store) CountReports(ctx context.Context) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "ZCARD", s.keys().reports()))
	return n, core.Wrap(err, "count reports")
}

// Reports returns up to limit objects of the queue of reports after a cursor, the latest first, and the cursor of the next page.
func (s *Store) Reports(ctx context.Context, after feed.Cursor, limit int) (all []feed.Report, next feed.Cursor, err error) {
	k := s.keys()
	places, more, err := s.db.Page(ctx, group, k.reports(), time.Time{}, after, limit)
	if err != nil {
		return nil, next, core.Wrap(err, "list reports")
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, p := range places {
			o, _ := feed.ParseReported(p.Member)
			b.Add("HGETALL", k.news(o.News))
			b.Add("HGET", k.thread(o.News), o.Comment)
			b.Add("HGETALL", k.reportsOf(p.Member))
		}
	})
	if err != nil {
		return nil, next, core.Wrap(err, "list reports")
	}
	names := make(map[int64]string)
	for _, p := range places {
		one := reportOf(p, newsFrom(r.Map(), false, false), r.Text(), r.Map())
		names[one.AuthorID] = ""
		for _, reason := range one.Reasons {
			names[reason.AccountID] = ""
		}
		all = append(all, one)
	}
	if more {
		next = places[len(places)-1]
	}
	err = s.readNames(ctx, names)
	for i := range all {
		all[i].Author = names[all[i].AuthorID]
		for j := range all[i].Reasons {
			all[i].Reasons[j].Account = names[all[i].Reasons[j].AccountID]
		}
	}
	return all, next, core.Wrap(err, "list reports")
}

// reportOf returns what is at a place of the queue, from its submission, the JSON of its comment, and the reasons.
func reportOf(p feed.Cursor, n feed.News, comment string, reasons map[string]string) feed.Report {
	o, _ := feed.ParseReported(p.Member) // others are not in the queue
	r := feed.Report{
		ID: p.Member, Reported: o, Since: timeOf(p.Score), Title: n.Title, Body: n.Text, AuthorID: n.AuthorID,
		Deleted: n.ID == 0 || n.Deleted, Reasons: make([]feed.ReportReason, 0, len(reasons)),
	}
	if o.Comment != 0 {
		var c storedComment
		_ = json.Unmarshal([]byte(comment), &c) // it is deleted with its thread
		r.Body, r.AuthorID, r.State = c.Body, c.UserID, cmp.Or(c.State, feed.CommentVisible)
		r.Deleted = r.Deleted || c.Created == 0 || c.Deleted != 0
	}
	for id, text := range reasons {
		stamp, reason, _ := strings.Cut(text, " ")
		at, _ := strconv.ParseFloat(stamp, 64)
		account, _ := strconv.ParseInt(id, 10, 64)
		r.Reasons = append(r.Reasons, feed.ReportReason{AccountID: account, Reason: reason, Time: timeOf(at)})
	}
	slices.SortFunc(r.Reasons, func(a, b feed.ReportReason) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.AccountID, b.AccountID))
	})
	return r
}

// timeOf converts a time as Redis has it.
func timeOf(seconds float64) time.Time {
	return time.UnixMilli(int64(math.Round(min(max(seconds, -1e11), 1e11) * 1000))).UTC()
}

// eraseReports removes an account from those who reported something, and from those who are banned.
func (s *Store) eraseReports(ctx context.Context, user int64) error {
	k := s.keys()
	for {
		objects, err := redis.Strings(s.db.Do(ctx, group, "ZRANGE", k.reportsBy(user), 0, erasedAtOnce-1))
		if err != nil {
			return err
		}
		if len(objects) == 0 {
			_, err = s.Unban(ctx, user)
			return err
		}
		for _, o := range objects {
			if _, err := s.db.Run(ctx, s.scripts["erase_report"], []any{k.reports(), k.reportsOf(o), k.reportsBy(user)}, []any{o, user}); err != nil {
				return err
			}
		}
	}
}
