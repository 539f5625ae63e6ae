package core

import (
	"errors"
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

// Time returns the time at which the record was added, by the clock of the server.
func (r *Record) Time() time.Time {
	text, _, _ := strings.Cut(r.ID, "-")
	ms, _ := strconv.ParseInt(text, 10, 64) // an id of Redis always parses
	return time.UnixMilli(ms)
}

// StreamRecords decodes the result of XREAD or XREADGROUP for one stream; none if the wait ended without a record.
func StreamRecords(reply any, err error) ([]Record, error) {
	streams, err := list(reply, err)
	if err != nil || len(streams) == 0 {
		return nil, err
	}
	stream, err := redis.Values(streams[0], nil) // its name and its records
	if err != nil {
		return nil, err
	}
	return Records(stream[1], nil)
}

// list decodes a list; empty if the reply is nil.
func list(reply any, err error) ([]any, error) {
	all, err := redis.Values(reply, err)
	if errors.Is(err, redis.ErrNil) {
		return nil, nil
	}
	return all, err
}

// Records decodes the result of XRANGE. Records that were claimed, but trimmed since, are left out.
func Records(reply any, err error) ([]Record, error) {
	items, err := list(reply, err)
	records := make([]Record, 0, len(items))
	for _, item := range items {
		if pair, _ := item.([]any); len(pair) == 2 {
			id, _ := redis.String(pair[0], nil)
			fields, _ := redis.StringMap(pair[1], nil) // nil: pending, but trimmed since
			records = append(records, Record{id, fields})
		}
	}
	return records, err
}

// Infos decodes the result of XINFO GROUPS or CONSUMERS. Values that are neither strings nor numbers are left out.
func Infos(reply any, err error) ([]map[string]string, error) {
	items, err := list(reply, err)
	all := make([]map[string]string, len(items))
	for i, item := range items {
		flat, _ := item.([]any)
		all[i] = make(map[string]string, len(flat)/2)
		for j := 0; j+1 < len(flat); j += 2 {
			name, _ := redis.String(flat[j], nil) // a name is a string
			switch value := flat[j+1].(type) {
			case []byte:
				all[i][name] = string(value)
			case int64:
				all[i][name] = strconv.FormatInt(value, 10)
			}
		}
	}
	return all, err
}

// Before returns the end of a range of a stream that has the records before the one with an id; "": all records.
func Before(id string) string {
	switch {
	case id == "":
		return "+"
	case strings.Trim(id, "0-") == "":
		return id // Redis cannot exclude the lowest id, which no record has
	}
	return "(" + id
}
