package feed

import "time"

// JobState is how far a job is.
type JobState string

// The states of a job.
const (
	JobWaiting     JobState = "waiting" // for a daemon that begins it, or goes on with it
	JobRunning     JobState = "running"
	JobDone        JobState = "done"
	JobInterrupted JobState = "interrupted" // for good
)

// JobLease is how long a daemon may show no progress with a job before another one may go on with it.
const JobLease = 20 * time.Second

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
	Tries    int       `json:"tries,omitempty"` // how often a daemon has begun it or gone on with it
	Error    string    `json:"error,omitempty"` // why it was interrupted
}

// JobClaim is the right to work on a job, which is lost JobLease after the last progress. Each write of progress shows
// the token; one under a lost claim is refused with ErrLeaseLost.
type JobClaim struct {
	Job   Job
	Work  []byte // what is to be done, as it was put there with the job
	Token string
}

// Done is how many sources have a result.
func (j *Job) Done() int { return j.Added + j.Known + j.Refused }

// Ended reports whether nothing more will happen.
func (j *Job) Ended() bool { return j.State == JobDone || j.State == JobInterrupted }

// Seen is the job as it is at now: one that shows no sign of life waits for another daemon.
func (j Job) Seen(now time.Time) Job {
	if !j.Ended() && now.Sub(j.Updated) > JobLease {
		j.State = JobWaiting
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
