package storetest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// dump is the content of a Redis as JSON: what an earlier version of feedwire wrote.
type dump struct {
	At   int64 `json:"at"` // when it was taken, Unix seconds
	Keys []struct {
		Key     string     `json:"key"`
		Type    string     `json:"type"`
		TTL     int64      `json:"ttl_ms"` // 0: none
		Value   []any      `json:"value"`  // text, or {"base64": …}; hashes and sorted sets as pairs
		Records [][]any    `json:"records"`
		Groups  [][]string `json:"groups"` // of a stream: name and last delivered id
	} `json:"keys"`
}

// Load writes a dump, as dump describes it, into an empty Redis. It moves all Unix times by the age of the dump, so that
// sessions, leases and windows are as old as they were when it was taken, and returns that age.
func (c *Redigo) Load(tb testing.TB, text []byte, now time.Time) time.Duration {
	tb.Helper()
	var d dump
	if err := json.Unmarshal(text, &d); err != nil {
		tb.Fatal(err)
	}
	age := now.Unix() - d.At
	moved := func(value any) any { return moveTimes(value, d.At, age) }
	for _, k := range d.Keys {
		var args []any
		for _, v := range k.Value {
			args = append(args, moved(v))
		}
		switch k.Type {
		case "string":
			c.Do("SET", k.Key, args[0])
		case "hash":
			c.Do("HSET", append([]any{k.Key}, args...)...)
		case "set":
			c.Do("SADD", append([]any{k.Key}, args...)...)
		case "list":
			c.Do("RPUSH", append([]any{k.Key}, args...)...)
		case "zset":
			for i := 0; i < len(args); i += 2 {
				c.Do("ZADD", k.Key, args[i+1], args[i])
			}
		case "stream":
			for _, record := range k.Records {
				fields := make([]any, len(record))
				for i, v := range record {
					fields[i] = moved(v)
				}
				c.Do("XADD", append([]any{k.Key}, fields...)...)
			}
			for _, g := range k.Groups {
				c.Do("XGROUP", "CREATE", k.Key, g[0], moved(g[1]))
			}
		default:
			tb.Fatalf("key %s has type %s", k.Key, k.Type)
		}
		if k.TTL > 0 {
			c.Do("PEXPIRE", k.Key, k.TTL)
		}
	}
	return time.Duration(age) * time.Second
}

var wholeNumber = regexp.MustCompile(`[0-9A-Za-z]+`)

// moveTimes adds age to every number in a text that is a time within a week before and two months after at, in seconds,
// milliseconds or microseconds.
func moveTimes(value any, at, age int64) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	return wholeNumber.ReplaceAllStringFunc(text, func(word string) string {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return word
		}
		for unit := int64(1); unit <= 1e6; unit *= 1000 {
			if n/unit > at-7*86400 && n/unit < at+60*86400 {
				return strconv.FormatInt(n+age*unit, 10)
			}
		}
		return word
	})
}
