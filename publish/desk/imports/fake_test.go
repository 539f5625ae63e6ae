package imports_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// fakeStore implements imports.Store in memory. If err is set, every method returns it.
type fakeStore struct {
	mu      sync.Mutex
	err     error
	sources map[string]feed.Source
	jobs    map[string]feed.Job
	claims  map[string]feed.JobClaim // of the jobs that have not ended
	tokens  int
	results map[string][]feed.JobResult
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		sources: map[string]feed.Source{}, jobs: map[string]feed.Job{}, claims: map[string]feed.JobClaim{}, results: map[string][]feed.JobResult{},
	}
}

// storeWith returns a store with sources.
func storeWith(urls ...string) *fakeStore {
	f := newFakeStore()
	for _, url := range urls {
		f.sources[feed.SourceID(url)] = feed.Source{ID: feed.SourceID(url), URL: url, Publish: feed.PublishAuto}
	}
	return f
}

func (f *fakeStore) lock() func() { f.mu.Lock(); return f.mu.Unlock }

func (f *fakeStore) AddSource(_ context.Context, s feed.Source) (feed.Source, bool, error) {
	defer f.lock()()
	f.sources[s.ID] = s
	return s, true, f.err
}

func (f *fakeStore) Sources(context.Context) ([]feed.Source, error) {
	return slices.SortedFunc(maps.Values(f.sources), func(a, b feed.Source) int { return strings.Compare(a.URL, b.URL) }), f.err
}

func (f *fakeStore) Source(_ context.Context, id string) (feed.Source, error) {
	defer f.lock()()
	s, ok := f.sources[id]
	if !ok {
		return s, errors.Join(f.err, feed.ErrNotFound)
	}
	return s, f.err
}

func (f *fakeStore) StartJob(_ context.Context, job feed.Job, work []byte, limit int) error {
	defer f.lock()()
	if len(f.claims) >= limit {
		return feed.ErrConflict
	}
	f.jobs[job.ID], f.claims[job.ID] = job, feed.JobClaim{Work: work}
	return f.err
}

func (f *fakeStore) UnfinishedJobs(context.Context) (int, error) {
	defer f.lock()()
	return len(f.claims), f.err
}

func (f *fakeStore) ClaimJob(context.Context) (feed.JobClaim, error) {
	defer f.lock()()
	for id, c := range f.claims {
		if job := f.jobs[id]; job.State == feed.JobWaiting || time.Since(job.Updated) > feed.JobLease {
			f.tokens++
			c.Job, c.Token = job, fmt.Sprint("t", f.tokens)
			job.State, job.Updated = feed.JobRunning, time.Now()
			f.jobs[id], f.claims[id] = job, c
			return c, f.err
		}
	}
	return feed.JobClaim{}, feed.ErrNotFound
}

func (f *fakeStore) ReclaimJobs(context.Context) (int, error) { return 0, f.err }

func (f *fakeStore) SaveJob(_ context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error {
	defer f.lock()()
	id := claim.Job.ID
	if f.claims[id].Token != claim.Token {
		return feed.ErrLeaseLost
	}
	if f.jobs[id] = claim.Job; claim.Job.Ended() {
		delete(f.claims, id)
	}
	if len(f.results[id]) == before {
		f.results[id] = append(f.results[id], results...)
	}
	return f.err
}

func (f *fakeStore) Job(_ context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error) {
	defer f.lock()()
	job, ok := f.jobs[id]
	if !ok {
		return job, nil, fmt.Errorf("job %s: %w", id, feed.ErrNotFound)
	}
	all := f.results[id]
	from = min(from, len(all))
	return job, all[from:min(from+limit, len(all))], f.err
}
