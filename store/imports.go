package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// jobTTL is how long a job can be looked at after its last progress.
const jobTTL = 24 * time.Hour

// SaveJob saves how far a job is, with the results that came since those before. Saving it again changes nothing.
func (s *Store) SaveJob(ctx context.Context, job feed.Job, before int, results []feed.JobResult) error {
	text, err := json.Marshal(job)
	if err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	args := []any{text, int(jobTTL / time.Second), before}
	for _, r := range results {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("save job %s: %w", job.ID, err)
		}
		args = append(args, line)
	}
	if _, err := s.run(ctx, "save_job", []any{s.keys.job(job.ID), s.keys.results(job.ID)}, args); err != nil {
		return fmt.Errorf("save job %s: %w", job.ID, err)
	}
	return nil
}

// Job is a job with at most limit of its results, from the one with index from on. feed.ErrNotFound when there is none,
// or none any more.
func (s *Store) Job(ctx context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error) {
	var job feed.Job
	replies, err := s.pipeline(ctx, "job", func(b *batch) {
		b.add("GET", s.keys.job(id))
		b.add("LRANGE", s.keys.results(id), from, from+limit-1)
	})
	if err != nil {
		return job, nil, fmt.Errorf("read job %s: %w", id, err)
	}
	text, err := redis.Bytes(replies[0], nil)
	if err == redis.ErrNil { //nolint:errorlint // redigo returns it unwrapped
		return job, nil, fmt.Errorf("job %s: %w", id, feed.ErrNotFound)
	}
	if err == nil {
		err = json.Unmarshal(text, &job)
	}
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
	return job.Seen(s.opts.Now()), results, nil
}
