package search

import (
	"context"
	"errors"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/feedwire/feedwire/store/feed"
)

const sweepSize = 500 // entries that Sweep looks for together

// Sweep removes entries that the store does not have any more: they expired, or their source was removed. Find leaves them out before.
func (x *Index) Sweep(ctx context.Context) error {
	numbers, err := x.numbers()
	for len(numbers) > 0 && err == nil {
		n := min(sweepSize, len(numbers))
		err = x.sweep(ctx, numbers[:n])
		numbers = numbers[n:]
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return nil // the next sweep finds them
	}
	return err
}

// numbers returns the numbers of all entries in the index.
func (x *Index) numbers() (all []string, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.index == nil {
		return nil, nil
	}
	advanced, err := x.index.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	ids, err := reader.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ids.Close()) }()
	for {
		var id index.IndexInternalID
		if id, err = ids.Next(); id == nil || err != nil {
			return all, err
		}
		number, err := reader.ExternalID(id)
		if err != nil {
			return nil, err
		}
		all = append(all, number)
	}
}

// sweep removes those of some entries that do not exist.
func (x *Index) sweep(ctx context.Context, numbers []string) error {
	ids := make([]string, len(numbers))
	for i, n := range numbers {
		ids[i] = "Entry:" + n
	}
	found, err := x.store.HeadlinesByID(ctx, ids)
	if err != nil {
		return err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.index == nil {
		return nil
	}
	b := x.index.NewBatch()
	for i, id := range ids {
		if _, exists := found[id]; !exists {
			b.Delete(numbers[i])
		}
	}
	if b.Size() == 0 {
		return nil
	}
	return x.index.Batch(b)
}
