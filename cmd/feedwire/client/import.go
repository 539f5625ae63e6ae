package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// restartTimeout is how long AwaitImport waits for a daemon that restarts.
const restartTimeout = time.Minute

// AwaitImport waits until the import of a report ends, and appends its results to the report. It calls progress with the number of sources
// that are done, and of all.
func (c *Client) AwaitImport(ctx context.Context, report *feed.JobReport, progress func(done, total int)) error {
	answered := time.Now()
	for {
		path := fmt.Sprintf("/api/v1/jobs/%s?limit=1000&from=%d", report.ID, len(report.Results))
		var more feed.JobReport
		err := c.Call(ctx, http.MethodGet, path, nil, &more)
		refusal, responded := errors.AsType[*Error](err)
		pause := time.Second
		switch {
		case err == nil:
			answered, pause = time.Now(), 200*time.Millisecond
			report.Job, report.Results = more.Job, append(report.Results, more.Results...)
			report.Next = len(report.Results)
			progress(report.Done(), report.Total)
		case responded && refusal.Status < http.StatusInternalServerError:
			return err
		case time.Since(answered) > restartTimeout:
			return fmt.Errorf("%w\n  the import is job %s; the daemon resumes it when it starts", err, report.ID)
		}
		switch {
		case len(more.Results) > 0: // there may be more of them
		case err == nil && report.Ended():
			return nil
		case !retry.Await(ctx, nil, pause):
			return fmt.Errorf("%w; the import continues in the daemon as job %s", context.Cause(ctx), report.ID)
		}
	}
}
