package core

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Replies are decoded in the order in which their commands were added to a Batch. Each method removes what it returns. A reply of
// another type than that of its command does not occur, because an error reply ends the exchange; it is decoded as the zero value.
type Replies []any

// Take removes the next n replies.
func (r *Replies) Take(n int) Replies {
	taken := (*r)[:n]
	*r = (*r)[n:]
	return taken
}

// Next removes one reply.
func (r *Replies) Next() any { return r.Take(1)[0] }

// Count decodes a number; 0 if there is none.
func (r *Replies) Count() int {
	n, _ := redis.Int(r.Next(), nil)
	return n
}

// Text decodes a string; empty if there is none, or the command was refused.
func (r *Replies) Text() string {
	text, _ := redis.String(r.Next(), nil)
	return text
}

// Replies decodes a list of replies.
func (r *Replies) Replies() Replies {
	list, _ := redis.Values(r.Next(), nil)
	return list
}

// Texts decodes a list of strings.
func (r *Replies) Texts() []string {
	list, _ := redis.Strings(r.Next(), nil)
	return list
}

// Map decodes a hash.
func (r *Replies) Map() map[string]string {
	fields, _ := redis.StringMap(r.Next(), nil)
	return fields
}

// Records decodes records of a stream.
func (r *Replies) Records() []Record {
	records, _ := Records(r.Next(), nil)
	return records
}

// Score decodes a list of one member and its score, and returns the score as a time; zero if the list is empty.
func (r *Replies) Score() time.Time {
	if place := r.Texts(); len(place) == 2 {
		return feed.ParseTime(place[1])
	}
	return time.Time{}
}

// Places decodes members of a sorted set with their scores.
func (r *Replies) Places() []feed.Cursor {
	flat := r.Texts()
	all := make([]feed.Cursor, 0, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		score, _ := strconv.ParseFloat(flat[i+1], 64) // the command replies with a number
		all = append(all, feed.Cursor{Score: score, Member: flat[i]})
	}
	return all
}

// OptionalString decodes a string; empty if the reply is nil.
func OptionalString(reply any, err error) (string, error) {
	text, err := redis.String(reply, err)
	if errors.Is(err, redis.ErrNil) {
		return "", nil
	}
	return text, err
}

// ReadHash replaces the content of a map by a reply of HGETALL.
func ReadHash(hash map[string]string, reply any) error {
	clear(hash)
	flat, err := redis.Values(reply, nil)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(flat); i += 2 {
		name, _ := flat[i].([]byte)
		value, _ := flat[i+1].([]byte)
		hash[string(name)] = string(value)
	}
	return nil
}

// Page returns up to limit members of a sorted set with scores down to since (zero: all), highest first, after a cursor, and
// whether more follow. It takes one exchange.
func (db *DB) Page(
	ctx context.Context, op, key string, since time.Time, from feed.Cursor, limit int,
) (all []feed.Cursor, more bool, err error) {
	low := "-inf"
	if !since.IsZero() {
		low = Stamp(since)
	}
	r, err := db.Pipeline(ctx, op, func(b *Batch) { b.AddPage(key, low, from, limit+1) })
	if err != nil {
		return nil, false, err
	}
	all = r.Page(from)
	return all[:min(limit, len(all))], len(all) > limit, nil
}

// AddPage adds the commands that read limit members of a sorted set with scores down to low, highest first, after a cursor.
func (b *Batch) AddPage(key, low string, from feed.Cursor, limit int) {
	top := "+inf"
	if !from.IsZero() {
		top = "(" + strconv.FormatFloat(from.Score, 'f', -1, 64)
		b.Add("ZREVRANGEBYSCORE", key, from.Score, from.Score) // many members may share the score of the cursor
	}
	b.Add("ZREVRANGEBYSCORE", key, top, low, "WITHSCORES", "LIMIT", 0, limit)
}

// Page decodes the replies to the commands of AddPage. It may return more members than the limit.
func (r *Replies) Page(from feed.Cursor) (all []feed.Cursor) {
	if !from.IsZero() {
		for _, member := range r.Texts() {
			if member < from.Member {
				all = append(all, feed.Cursor{Score: from.Score, Member: member})
			}
		}
	}
	return append(all, r.Places()...)
}
