package storetest

import (
	"fmt"
	"slices"
	"strings"
)

// Containing returns the keys whose value contains a text, sorted.
func (c *Redigo) Containing(text string) (found []string) {
	c.tb.Helper()
	for _, key := range c.Keys("*") {
		var value any
		switch kind := fmt.Sprint(c.Do("TYPE", key)); kind {
		case "string":
			value = c.Do("GET", key)
		case "hash":
			value = c.Do("HGETALL", key)
		case "list":
			value = c.Do("LRANGE", key, 0, -1)
		case "set":
			value = c.Do("SMEMBERS", key)
		case "zset":
			value = c.Do("ZRANGE", key, 0, -1)
		case "stream":
			value = c.Do("XRANGE", key, "-", "+")
		}
		if strings.Contains(key, text) || strings.Contains(fmt.Sprintf("%s", value), text) {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return found
}
