package feed

import "time"

// JobState is the state of a job.
type JobState string

// States of a job.
const (
	JobWaiting     JobState = "waiting" // for a daemon to start or resume it
	JobRunning     JobState = "running"
	JobDone        JobState = "done"
	JobInterrupted JobState = "interrupted" // permanently
)

// JobLease is how long a daemon may make no progress with a job before another one resumes it.
const JobLease = 20 * time.Second

// Job is the import of a list of sources, which runs in the background.
type Job struct {
	ID       string    `json:"id"`
	State    JobState  `json:"state"`
	DryRun   bool      `json:"dry_run"` // report without adding sources
	Created  time.Time `json:"created,omitzero"`
	Updated  time.Time `json:"updated,omitzero"` // last progress
	Finished time.Time `json:"finished,omitzero"`
	Total    int       `json:"total"` // sources in the list
	Added    int       `json:"added"`
	Known    int       `json:"known"`
	Refused  int       `json:"refused"`
	Tries    int       `json:"tries,omitempty"` // how often a daemon started or resumed it
	Error    string    `json:"error,omitempty"` // why it was interrupted
}

// JobClaim is the lease of a job. It ends JobLease after the last progress; further progress fails with ErrLeaseLost.
type JobClaim struct {
	Job   Job
	Work  []byte // the list, as stored with the job
	Token string
}

// Done returns the number of sources with a result.
func (j *Job) Done() int { return j.Added + j.Known + j.Refused }

// Ended reports whether the job is finished or interrupted.
func (j *Job) Ended() bool { return j.State == JobDone || j.State == JobInterrupted }

// AsOf returns the job in its state at a time: a job whose lease has ended is waiting.
func (j Job) AsOf(now time.Time) Job {
	if !j.Ended() && now.Sub(j.Updated) > JobLease {
		j.State = JobWaiting
	}
	return j
}

// JobOutcome is the outcome of one source of the list.
type JobOutcome string

// Outcomes of an import.
const (
	JobAdded   JobOutcome = "added"
	JobKnown   JobOutcome = "known" // unchanged
	JobRefused JobOutcome = "refused"
)

// JobResult is the result of one source.
type JobResult struct {
	URL     string     `json:"url"` // as in the list if it is invalid
	Title   string     `json:"title,omitempty"`
	Source  string     `json:"source,omitempty"` // its SourceID
	Outcome JobOutcome `json:"outcome"`
	Reason  string     `json:"reason,omitempty"` // of a refusal
	Note    string     `json:"note,omitempty"`   // what the import ignored
}

// JobReport is a job with a page of its results.
type JobReport struct {
	Job
	Results []JobResult `json:"results"`
	Next    int         `json:"next"` // index of the next result
}

// ListedSource is a source in a list of sources, such as an OPML file. If Feeds is nil or Publish is empty, the list does
// not specify them.
type ListedSource struct {
	Source  Source
	Folder  string // in which the list has it, with "/" between folders; empty: in none
	Muted   bool   // the list is of follows, and this one is muted
	Problem string // why it cannot be added; empty: none
	Ignored string // what the list says and an import must not set, for a person; empty: nothing
}
