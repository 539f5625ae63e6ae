package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// Bulk is the response to a request about several things, with status 207.
type Bulk struct {
	Items  []BulkItem `json:"items"` // in the order of the request
	Done   int        `json:"done"`
	Failed int        `json:"failed"`
}

// BulkItem is the result for one of them.
type BulkItem struct {
	ID         string           `json:"id"`                   // as in the request
	Status     int              `json:"status"`               // of a request for this one alone
	Transition *feed.Transition `json:"transition,omitempty"` // of an article
	Entry      string           `json:"entry,omitempty"`      // id of the entry that was written, "Entry:5"
	Problem    *feed.Problem    `json:"problem,omitempty"`    // why nothing was done
}

// Add appends the result for one thing. A non-nil err counts as failed.
func (k *Kit) Add(b *Bulk, r *http.Request, item BulkItem, err error) {
	if err != nil {
		p := k.problem(r, err)
		item.Status, item.Transition, item.Entry, item.Problem = p.Status, nil, "", &p
		b.Failed++
	} else {
		b.Done++
	}
	b.Items = append(b.Items, item)
}

// maxBulk is the most things in one request.
const maxBulk = 200

// Bulk performs an action on each id and returns the results. Each one is counted and recorded on its own. If the store cannot
// answer, the rest is not tried. do returns the status that a request for this id alone has.
func (k *Kit) Bulk(r *http.Request, a *Action, field string, ids []string, do func(r *http.Request, id string) (BulkItem, error)) (Bulk, error) {
	all := Bulk{Items: make([]BulkItem, 0, len(ids))}
	if len(ids) == 0 || len(ids) > maxBulk {
		return all, feed.Invalid(field, fmt.Sprintf("name 1 to %d", maxBulk))
	}
	if c := changeOf(r); c != nil {
		c.each = true
	}
	var unavailable error
	for _, id := range ids {
		item, err := BulkItem{}, unavailable
		if err == nil {
			err = k.do(r, a, func(r *http.Request) (err error) {
				item, err = do(r, id)
				return err
			})
		}
		item.ID = id
		if errors.Is(err, feed.ErrUnavailable) {
			unavailable = err
		}
		k.Add(&all, r, item, err)
	}
	return all, nil
}
