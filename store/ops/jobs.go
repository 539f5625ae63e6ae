package ops

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
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
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("start job %s: %w", job.ID, err)
	}
	started, err := redis.Bool(s.db.Run(ctx, s.scripts["start_job"], []any{s.keys.job(job.ID), s.keys.work(job.ID), s.keys.jobs()},
		[]any{job.ID, text, work, s.db.Stamp(), limit, int(jobTTL / time.Second)}))
	if err == nil && !started {
		err = feed.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("start job %s: %w", job.ID, err)
	}
	return nil
}

// ClaimJob claims a job that has no claim, or an expired claim. feed.ErrNotFound: there is none.
func (s *Store) ClaimJob(ctx context.Context) (feed.JobClaim, error) {
	now, claim := s.db.Now(), feed.JobClaim{Token: rand.Text()}
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGEBYSCORE", s.keys.jobs(), "-inf", core.Stamp(now)))
	if err != nil {
		return claim, fmt.Errorf("claim a job: %w", err)
	}
	for _, id := range ids {
		claimed, err := redis.Bool(s.db.Run(ctx, s.scripts["claim_job"], []any{s.keys.jobs(), s.keys.work(id)},
			[]any{id, claim.Token, core.Stamp(now), core.Stamp(now.Add(feed.JobLease))}))
		if err != nil {
			return claim, fmt.Errorf("claim job %s: %w", id, err)
		}
		if !claimed {
			continue
		}
		if claim.Work, err = redis.Bytes(s.db.Do(ctx, group, "HGET", s.keys.work(id), "work")); err != nil {
			return claim, fmt.Errorf("read the work of job %s: %w", id, err)
		}
		claim.Job, _, err = s.Job(ctx, id, 0, 1)
		return claim, err
	}
	return claim, fmt.Errorf("job: %w", feed.ErrNotFound)
}

// SaveJob saves the progress of a job, adds results after the number saved before, and renews the claim. A waiting job can be
// claimed again at once, an ended job never. It is safe to repeat. feed.ErrLeaseLost: another daemon has the claim.
func (s *Store) SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error {
	job := &claim.Job
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	until := s.db.Now()
	if job.State == feed.JobRunning {
		until = until.Add(feed.JobLease)
	}
	if job.Ended() {
		until = time.Time{}
	}
	args := []any{job.ID, claim.Token, text, int(jobTTL / time.Second), core.StampOrNone(until), before}
	for _, r := range results {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("save job %s: %w", job.ID, err)
		}
		args = append(args, line)
	}
	keys := []any{s.keys.job(job.ID), s.keys.results(job.ID), s.keys.work(job.ID), s.keys.jobs()}
	saved, err := redis.Bool(s.db.Run(ctx, s.scripts["save_job"], keys, args))
	if err == nil && !saved {
		err = feed.ErrLeaseLost
	}
	if err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	return nil
}

// Job returns a job and up to limit of its results, from index from. feed.ErrNotFound: there is none, or no longer.
func (s *Store) Job(ctx context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error) {
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("GET", s.keys.job(id))
		b.Add("LRANGE", s.keys.results(id), from, from+limit-1)
	})
	if err != nil {
		return feed.Job{}, nil, fmt.Errorf("read job %s: %w", id, err)
	}
	job, err := s.jobFrom(replies[0])
	if err != nil {
		return job, nil, fmt.Errorf("read job %s: %w", id, err)
	}
	lines, err := redis.ByteSlices(replies[1], nil)
	if err != nil {
		return job, nil, fmt.Errorf("read the results of job %s: %w", id, err)
	}
	results := make([]feed.JobResult, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &results[i]); err != nil {
			return job, nil, fmt.Errorf("read the results of job %s: %w", id, err)
		}
	}
	return job, results, nil
}

// Jobs returns up to limit jobs that have not ended.
func (s *Store) Jobs(ctx context.Context, limit int) (all []feed.Job, err error) {
	ids, err := redis.Strings(s.db.Do(ctx, group, "ZRANGE", s.keys.jobs(), 0, limit-1))
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("GET", s.keys.job(id))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read jobs: %w", err)
	}
	for _, reply := range replies {
		if job, err := s.jobFrom(reply); err == nil { // it may have expired since
			all = append(all, job)
		}
	}
	return all, nil
}

// jobFrom decodes a job. feed.ErrNotFound: there is no such job, or no longer.
func (s *Store) jobFrom(reply any) (job feed.Job, err error) {
	text, err := redis.Bytes(reply, nil)
	if errors.Is(err, redis.ErrNil) {
		return job, feed.ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal(text, &job)
	}
	return job.AsOf(s.db.Now()), err
}
