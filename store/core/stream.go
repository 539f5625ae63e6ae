package core

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// NoSignal is an id before all others.
const NoSignal = "0-0"

// Record is one element of a stream.
type Record struct {
	ID     string
	Fields map[string]string
}

// Time is when the record was added, by the clock of the server.
func (r *Record) Time() time.Time {
	ms, _ := splitID(r.ID)
	return time.UnixMilli(int64(ms))
}

// StreamRecords reads a reply of XREAD or XREADGROUP for one stream; nil if the wait ended without a record.
func StreamRecords(reply any) ([]Record, error) {
	streams, err := redis.Values(reply, nil)
	if errors.Is(err, redis.ErrNil) || err == nil && len(streams) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stream, err := redis.Values(streams[0], nil)
	if err != nil || len(stream) != 2 {
		return nil, fmt.Errorf("unexpected reply with %d elements: %w", len(stream), err)
	}
	return ParseRecords(stream[1])
}

// ParseRecords reads a reply of XRANGE. Records that were claimed and are trimmed by now are left out.
func ParseRecords(reply any) ([]Record, error) {
	list, err := redis.Values(reply, nil)
	if errors.Is(err, redis.ErrNil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	records := make([]Record, 0, len(list))
	for _, item := range list {
		if item == nil { // claimed, but trimmed since
			continue
		}
		pair, err := redis.Values(item, nil)
		if err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("unexpected record with %d elements: %w", len(pair), err)
		}
		id, err := redis.String(pair[0], nil)
		if err != nil {
			return nil, err
		}
		fields, err := redis.StringMap(pair[1], nil)
		if err != nil && !errors.Is(err, redis.ErrNil) { // nil: pending, but trimmed since
			return nil, err
		}
		records = append(records, Record{id, fields})
	}
	return records, nil
}

// GroupFields reads one element of XINFO GROUPS. Values that are neither strings nor numbers are left out.
func GroupFields(info any) (map[string]string, error) {
	flat, err := redis.Values(info, nil)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]string, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		name, err := redis.String(flat[i], nil)
		if err != nil {
			return nil, err
		}
		switch value := flat[i+1].(type) {
		case []byte:
			fields[name] = string(value)
		case int64:
			fields[name] = strconv.FormatInt(value, 10)
		}
	}
	return fields, nil
}

// IDLess compares ids of records: milliseconds, a hyphen, a sequence number.
func IDLess(a, b string) bool {
	ams, aseq := splitID(a)
	bms, bseq := splitID(b)
	return ams < bms || ams == bms && aseq < bseq
}

func splitID(id string) (ms, seq uint64) {
	left, right, _ := strings.Cut(id, "-")
	ms, _ = strconv.ParseUint(left, 10, 64)   // an id of Redis always parses
	seq, _ = strconv.ParseUint(right, 10, 64) // absent: 0
	return ms, seq
}
