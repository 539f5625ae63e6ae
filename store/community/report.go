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

// Waiting returns how many objects wait for a moderator, and since when the oldest ones do.
func (s *Store) Waiting(ctx context.Context) (w feed.Waiting, err error) {
	k := s.keys()
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, key := range []string{k.reports(), k.held()} {
			b.Add("ZCARD", key)
			b.Add("ZRANGE", key, 0, 0, "WITHSCORES")
		}
	})
	if err != nil {
		return w, core.Wrap(err, "count what waits for a moderator")
	}
	for _, queue := range []*feed.Queue{&w.Reports, &w.Held} {
		queue.Length = r.Count()
		if oldest := r.Texts(); len(oldest) == 2 {
			queue.Since = feed.ParseTime(oldest[1])
		}
	}
	return w, nil
}

// HasReported reports whether an account is among those who reported something.
func (s *Store) HasReported(ctx context.Context, o feed.Reported, user int64) (bool, error) {
	is, err := redis.Bool(s.db.Do(ctx, group, "HEXISTS", s.keys().reportsOf(o.String()), user))
	return is, core.Wrap(err, "report of %s", o)
}

// ReopenReport reverts CloseReport, and reports whether something changed. It is a no-op if no reports of it are stored.
func (s *Store) ReopenReport(ctx context.Context, o feed.Reported) (changed bool, err error) {
	k := s.keys()
	changed, err = redis.Bool(s.db.Run(ctx, s.scripts["reopen_report"], []any{k.reports(), k.reportsOf(o.String())}, []any{o.String(), core.Stamp(s.db.Now())}))
	return changed, core.Wrap(err, "reopen report %s", o)
}

// Reports returns up to limit objects of the queue of reports after a cursor, the latest first, and the cursor of the next page.
func (s *Store) Reports(ctx context.Context, after feed.Cursor, limit int) (all []feed.Report, next feed.Cursor, err error) {
	return s.queue(ctx, s.keys().reports(), after, limit)
}

// comparedReports bounds the objects among which MostReported chooses.
const comparedReports = 1000

// MostReported returns up to limit objects of the queue of reports, first those that most members have reported. It considers the latest
// comparedReports.
func (s *Store) MostReported(ctx context.Context, limit int) ([]feed.Report, error) {
	k := s.keys()
	places, _, err := s.db.Page(ctx, group, k.reports(), time.Time{}, feed.Cursor{}, comparedReports)
	if err != nil {
		return nil, core.Wrap(err, "list reports")
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, p := range places {
			b.Add("HLEN", k.reportsOf(p.Member))
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "list reports")
	}
	counts := make(map[string]int, len(places))
	for _, p := range places {
		counts[p.Member] = r.Count()
	}
	slices.SortStableFunc(places, func(a, b feed.Cursor) int { return cmp.Compare(counts[b.Member], counts[a.Member]) })
	all, err := s.readReports(ctx, places[:min(limit, len(places))])
	return all, core.Wrap(err, "list reports")
}

// ReportOf returns something with what members have reported about it, also if it is not in the queue.
func (s *Store) ReportOf(ctx context.Context, o feed.Reported) (feed.Report, error) {
	all, err := s.readReports(ctx, []feed.Cursor{{Member: o.String()}})
	if err != nil {
		return feed.Report{}, core.Wrap(err, "report of %s", o)
	}
	return all[0], nil
}

// Held returns up to limit submissions that wait for a moderator after a cursor, the latest first, and the cursor of the next page.
func (s *Store) Held(ctx context.Context, after feed.Cursor, limit int) (all []feed.Report, next feed.Cursor, err error) {
	return s.queue(ctx, s.keys().held(), after, limit)
}

// queue returns a page of what waits for a moderator.
func (s *Store) queue(ctx context.Context, key string, after feed.Cursor, limit int) (all []feed.Report, next feed.Cursor, err error) {
	places, more, err := s.db.Page(ctx, group, key, time.Time{}, after, limit)
	if err != nil {
		return nil, next, core.Wrap(err, "list what waits for a moderator")
	}
	if more {
		next = places[len(places)-1]
	}
	all, err = s.readReports(ctx, places)
	return all, next, core.Wrap(err, "list what waits for a moderator")
}

// readReports returns what is at some places of the queue.
func (s *Store) readReports(ctx context.Context, places []feed.Cursor) ([]feed.Report, error) {
	k := s.keys()
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, p := range places {
			o, _ := feed.ParseReported(p.Member)
			b.Add("HGETALL", k.news(o.News))
			b.Add("HGET", k.thread(o.News), o.Comment)
			b.Add("HGETALL", k.reportsOf(p.Member))
		}
	})
	if err != nil {
		return nil, err
	}
	var ids []int64
	all := make([]feed.Report, 0, len(places))
	for _, p := range places {
		one := reportOf(p, newsFrom(r.Map(), false, false), r.Text(), r.Map())
		for _, reason := range one.Reasons {
			ids = append(ids, reason.AccountID)
		}
		all = append(all, one)
	}
	names, err := s.Names(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for j := range all[i].Reasons {
			all[i].Reasons[j].Account = names[all[i].Reasons[j].AccountID]
		}
	}
	return all, s.readAuthors(ctx, all)
}

// readAuthors sets who wrote what was reported.
func (s *Store) readAuthors(ctx context.Context, all []feed.Report) error {
	k := s.keys()
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range all {
			b.Add("HMGET", k.user(all[i].AuthorID), "username", "karma", "ctime")
			b.Add("ZSCORE", k.banned(), all[i].AuthorID)
		}
	})
	if err != nil {
		return err
	}
	for i := range all {
		is, banned := r.Texts(), r.Text()
		if all[i].Author = is[0]; is[0] != "" {
			all[i].Karma, _ = strconv.Atoi(cmp.Or(is[1], "1"))
			all[i].Joined, all[i].Banned = feed.ParseTime(is[2]), banned != ""
		}
	}
	return nil
}

// reportOf returns what is at a place of the queue, from its submission, the JSON of its comment, and the reasons.
func reportOf(p feed.Cursor, n feed.News, comment string, reasons map[string]string) feed.Report {
	o, _ := feed.ParseReported(p.Member) // others are not in the queue
	r := feed.Report{
		ID: p.Member, Reported: o, Since: timeOf(p.Score), Title: n.Title, URL: n.URL, Body: n.Text, AuthorID: n.AuthorID,
		State: cmp.Or(n.State, feed.Visible), Locked: n.Locked, Deleted: n.ID == 0 || n.Deleted, Reasons: make([]feed.ReportReason, 0, len(reasons)),
	}
	if o.Comment != 0 {
		var c storedComment
		_ = json.Unmarshal([]byte(comment), &c) // it is deleted with its thread
		r.Body, r.AuthorID, r.State = c.Body, c.UserID, cmp.Or(c.State, feed.Visible)
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

// ReportsBy returns the reports that an account made, newest first.
func (s *Store) ReportsBy(ctx context.Context, user int64) ([]feed.OwnReport, error) {
	all, k := []feed.OwnReport{}, s.keys()
	for after := (feed.Cursor{}); ; {
		places, more, err := s.db.Page(ctx, group, k.reportsBy(user), time.Time{}, after, erasedAtOnce)
		if err != nil || len(places) == 0 {
			return all, core.Wrap(err, "reports by user %d", user)
		}
		r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
			for _, p := range places {
				b.Add("HGET", k.reportsOf(p.Member), user)
			}
		})
		if err != nil {
			return all, core.Wrap(err, "reports by user %d", user)
		}
		for _, p := range places {
			_, reason, _ := strings.Cut(r.Text(), " ")
			all = append(all, feed.OwnReport{ID: p.Member, Reason: reason, Time: timeOf(p.Score)})
		}
		if after = places[len(places)-1]; !more {
			return all, nil
		}
	}
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
