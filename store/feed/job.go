package feed

import "time"

// JobState is how far a job is.
type JobState string

// The states of a job.
const (
	JobRunning     JobState = "running"
	JobDone        JobState = "done"
	JobInterrupted JobState = "interrupted" // its daemon was stopped, or the store was away for too long
)

// JobStale is how long a job may show no progress before it counts as interrupted.
const JobStale = 30 * time.Second

// Job is the import of a list of sources: work that goes on after the request for it was answered.
type Job struct {
	ID       string    `json:"id"`
	State    JobState  `json:"state"`
	DryRun   bool      `json:"dry_run"` // it only tells what it would do
	Created  time.Time `json:"created,omitzero"`
	Updated  time.Time `json:"updated,omitzero"` // last sign of life
	Finished time.Time `json:"finished,omitzero"`
	Total    int       `json:"total"` // sources in the list
	Added    int       `json:"added"`
	Known    int       `json:"known"`
	Refused  int       `json:"refused"`
	Error    string    `json:"error,omitempty"` // why it was interrupted
}

// Done is how many sources have a result.
func (j *Job) Done() int { return j.Added + j.Known + j.Refused }

// Ended reports whether nothing more will happen.
func (j *Job) Ended() bool { return j.State == JobDone || j.State == JobInterrupted }

// Seen is the job as it is at now: one that shows no sign of life is interrupted.
func (j Job) Seen(now time.Time) Job {
	if !j.Ended() && now.Sub(j.Updated) > JobStale {
		j.State = JobInterrupted
		j.Error = "its daemon was stopped; import the list again: what was added is known then"
	}
	return j
}

// JobOutcome is what became of one source of the list.
type JobOutcome string

// The outcomes.
const (
	JobAdded   JobOutcome = "added"
	JobKnown   JobOutcome = "known" // left as it was
	JobRefused JobOutcome = "refused"
)

// JobResult tells what became of one source.
type JobResult struct {
	URL     string     `json:"url"` // as the list has it where it cannot be read
	Title   string     `json:"title,omitempty"`
	Source  string     `json:"source,omitempty"` // its SourceID
	Outcome JobOutcome `json:"outcome"`
	Reason  string     `json:"reason,omitempty"` // of a refusal, for a person
}

// JobReport is a job with some of its results, as the API answers it.
type JobReport struct {
	Job
	Results []JobResult `json:"results"`
	Next    int         `json:"next"` // index of the result that follows those
}
