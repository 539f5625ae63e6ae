package ops

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// jobTTL is how long a job can be read after its last progress.
const jobTTL = 24 * time.Hour

// StartJob adds a job with its work, for a daemon to claim. feed.ErrConflict: limit jobs have not ended.
func (s *Store) StartJob(ctx context.Context, job feed.Job, work []byte, limit int) error {
	started, err := redis.Bool(s.db.Run(ctx, s.scripts["start_job"], []any{s.keys.job(job.ID), s.keys.work(job.ID), s.keys.jobs()},
		[]any{job.ID, encode(job), work, s.db.Stamp(), limit, int(jobTTL / time.Second)}))
	return core.Wrap(core.Unless(started, err, feed.ErrConflict), "start job %s", job.ID)
}

// UnfinishedJobs returns the number of jobs that have not ended.
func (s *Store) UnfinishedJobs(ctx context.Context) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "ZCARD", s.keys.jobs()))
	return n, core.Wrap(err, "count jobs")
}

// encode returns the JSON of a job or a result. Strings, numbers and times always encode.
func encode(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

// ClaimJob claims a job that has no claim, or an expired claim. feed.ErrNotFound: there is none.
func (s *Store) ClaimJob(ctx context.Context) (feed.JobClaim, error) {
	now, claim := s.db.Now(), feed.JobClaim{Token: s.db.Options().Owner + "-" + rand.Text()}
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGEBYSCORE", s.keys.jobs(), "-inf", core.Stamp(now)))
	if err != nil {
		return claim, fmt.Errorf("claim a job: %w", err)
	}
	for _, id := range ids {
		claimed, err := redis.Bool(s.db.Run(ctx, s.scripts["claim_job"], []any{s.keys.jobs(), s.keys.work(id)},
			[]any{id, claim.Token, core.Stamp(now), core.Stamp(now.Add(feed.JobLease))}))
		if err == nil && !claimed {
			continue
		}
		if err == nil {
			claim.Work, err = redis.Bytes(s.db.Do(ctx, group, "HGET", s.keys.work(id), "work"))
		}
		if err == nil {
			claim.Job, _, err = s.Job(ctx, id, 0, 1)
		}
		return claim, core.Wrap(err, "claim job %s", id)
	}
	return claim, fmt.Errorf("job: %w", feed.ErrNotFound)
}

// ReclaimJobs ends the claims of an earlier process of this daemon that was killed, and returns how many there were. Call it before
// the first ClaimJob. Without core.Options.Owner it finds none.
func (s *Store) ReclaimJobs(ctx context.Context) (total int, err error) {
	owner := s.db.Options().Owner
	if owner == "" {
		return 0, nil
	}
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGE", s.keys.jobs(), 0, -1))
	for _, id := range ids {
		n, failed := redis.Int(s.db.Run(ctx, s.scripts["reclaim_job"], []any{s.keys.jobs(), s.keys.work(id)}, []any{id, owner + "-", s.db.Stamp()}))
		total, err = total+n, cmp.Or(err, failed)
	}
	return total, core.Wrap(err, "reclaim jobs")
}

// SaveJob saves the progress of a job, adds results after the number saved before, and renews the claim. A waiting job can be
// claimed again at once, an ended job never. It is safe to repeat. feed.ErrLeaseLost: another daemon has the claim.
func (s *Store) SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error {
	job, until := &claim.Job, s.db.Now()
	switch {
	case job.Ended():
		until = time.Time{}
	case job.State == feed.JobRunning:
		until = until.Add(feed.JobLease)
	}
	args := []any{job.ID, claim.Token, encode(job), int(jobTTL / time.Second), core.StampOrNone(until), before}
	for _, r := range results {
		args = append(args, encode(r))
	}
	keys := []any{s.keys.job(job.ID), s.keys.results(job.ID), s.keys.work(job.ID), s.keys.jobs()}
	saved, err := redis.Bool(s.db.Run(ctx, s.scripts["save_job"], keys, args))
	return core.Wrap(core.Unless(saved, err, feed.ErrLeaseLost), "save job %s", job.ID)
}

// Job returns a job and up to limit of its results, from index from. feed.ErrNotFound: there is none, or no longer.
func (s *Store) Job(ctx context.Context, id string, from, limit int) (job feed.Job, results []feed.JobResult, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", s.keys.job(id))
		b.Add("LRANGE", s.keys.results(id), from, from+limit-1)
	})
	if err == nil {
		job, err = s.jobFrom(r.Text())
	}
	if err == nil {
		lines := r.Texts()
		results = make([]feed.JobResult, len(lines))
		for i, line := range lines {
			err = cmp.Or(err, json.Unmarshal([]byte(line), &results[i]))
		}
	}
	return job, results, core.Wrap(err, "read job %s", id)
}

// Jobs returns up to limit jobs that have not ended.
func (s *Store) Jobs(ctx context.Context, limit int) (all []feed.Job, err error) {
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGE", s.keys.jobs(), 0, limit-1))
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("GET", s.keys.job(id))
		}
	})
	for len(r) > 0 {
		if job, err := s.jobFrom(r.Text()); err == nil { // the job may have expired in the meantime
			all = append(all, job)
		}
	}
	return all, core.Wrap(err, "read jobs")
}

// jobFrom decodes a job. feed.ErrNotFound: the text is empty, because there is no such job, or no longer.
func (s *Store) jobFrom(text string) (job feed.Job, err error) {
	if text == "" {
		return job, feed.ErrNotFound
	}
	err = json.Unmarshal([]byte(text), &job)
	return job.AsOf(s.db.Now()), err
}
