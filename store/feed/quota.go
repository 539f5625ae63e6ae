package feed

import "time"

// QuotaError reports that an account has used up what it may do in a time. Nothing was done.
type QuotaError struct {
	Reason string        // "an account can follow 20 new addresses in an hour"
	Wait   time.Duration // until it may do that again
}

func (e *QuotaError) Error() string { return e.Reason }
