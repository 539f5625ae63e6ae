package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// jobTTL is how long a job can be looked at after its last progress.
const jobTTL = 24 * time.Hour

// StartJob puts a job where a daemon will find it, with what is to be done. feed.ErrConflict when most jobs have not ended
// yet.
func (s *Store) StartJob(ctx context.Context, job feed.Job, work []byte, most int) error {
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("start job %s: %w", job.ID, err)
	}
	started, err := redis.Bool(s.run(ctx, "start_job", []any{s.keys.job(job.ID), s.keys.work(job.ID), s.keys.jobs()},
		[]any{job.ID, text, work, s.stamp(), most, int(jobTTL / time.Second)}))
	if err == nil && !started {
		err = feed.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("start job %s: %w", job.ID, err)
	}
	return nil
}

// ClaimJob claims a job that nobody works on, or nobody any more. feed.ErrNotFound when there is none.
func (s *Store) ClaimJob(ctx context.Context) (feed.JobClaim, error) {
	now, claim := s.opts.Now(), feed.JobClaim{Token: rand.Text()}
	ids, err := redis.Strings(s.call(ctx, "jobs", func(c redis.Conn) (any, error) {
		return c.Do("ZRANGEBYSCORE", s.keys.jobs(), "-inf", stamp(now))
	}))
	if err != nil {
		return claim, fmt.Errorf("claim a job: %w", err)
	}
	for _, id := range ids {
		claimed, err := redis.Bool(s.run(ctx, "claim_job", []any{s.keys.jobs(), s.keys.work(id)},
			[]any{id, claim.Token, stamp(now), stamp(now.Add(feed.JobLease))}))
		if err != nil {
			return claim, fmt.Errorf("claim job %s: %w", id, err)
		}
		if !claimed {
			continue
		}
		if claim.Work, err = redis.Bytes(s.do(ctx, "HGET", s.keys.work(id), "work")); err != nil {
			return claim, fmt.Errorf("read the work of job %s: %w", id, err)
		}
		claim.Job, _, err = s.Job(ctx, id, 0, 1)
		return claim, err
	}
	return claim, fmt.Errorf("job: %w", feed.ErrNotFound)
}

// SaveJob saves how far a job is, with the results that came since those before, and lengthens the claim; one that waits
// may be claimed again at once, and one that has ended never. Saving it again changes nothing. feed.ErrLeaseLost when
// another daemon works on it now.
func (s *Store) SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error {
	job := &claim.Job
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	until := s.opts.Now()
	if job.State == feed.JobRunning {
		until = until.Add(feed.JobLease)
	}
	if job.Ended() {
		until = time.Time{}
	}
	args := []any{job.ID, claim.Token, text, int(jobTTL / time.Second), stampOrNone(until), before}
	for _, r := range results {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("save job %s: %w", job.ID, err)
		}
		args = append(args, line)
	}
	keys := []any{s.keys.job(job.ID), s.keys.results(job.ID), s.keys.work(job.ID), s.keys.jobs()}
	saved, err := redis.Bool(s.run(ctx, "save_job", keys, args))
	if err == nil && !saved {
		err = feed.ErrLeaseLost
	}
	if err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	return nil
}

// Job is a job with at most limit of its results, from the one with index from on. feed.ErrNotFound when there is none,
// or none any more.
func (s *Store) Job(ctx context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error) {
	replies, err := s.pipeline(ctx, "job", func(b *batch) {
		b.add("GET", s.keys.job(id))
		b.add("LRANGE", s.keys.results(id), from, from+limit-1)
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

// jobFrom reads job:<id>. feed.ErrNotFound: there is none.
func (s *Store) jobFrom(reply any) (job feed.Job, err error) {
	text, err := redis.Bytes(reply, nil)
	if err == redis.ErrNil { //nolint:errorlint // redigo returns it unwrapped
		return job, feed.ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal(text, &job)
	}
	return job.Seen(s.opts.Now()), err
}
