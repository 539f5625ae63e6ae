package ops

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// join adds the content of a key to that of other keys with its name.
func (r *rewriting) join(all *joined, k *core.Located, c *content) (err error) {
	if c.typ != all.typ {
		return fmt.Errorf("%w: it is a %s, but another key with this name is a %s: this store was not written by feedwire", feed.ErrConflict, c.typ, all.typ)
	}
	longer := c.left > all.left
	switch k.Home {
	case core.Divided:
		for row, value := range c.rows {
			if _, twice := all.rows[row]; twice {
				return fmt.Errorf("%w: another place has %s too: this store was not written by feedwire", feed.ErrConflict, row)
			}
			all.rows[row] = value
		}
	case core.Summed:
		for row, value := range c.rows {
			if all.rows[row], err = plus(all.rows[row], value); err != nil {
				return err
			}
		}
	case core.Numbered:
		all.rows[""], err = later(r.from.db, all.rows[""], k.Place, c.rows[""])
	default: // the key that was used last
		if longer || len(all.rows) == 0 {
			all.rows = c.rows
		}
	}
	if longer {
		all.left = c.left
	}
	return err
}

// plus adds counts. An empty count is 0.
func plus(a, b string) (string, error) {
	if a == "" {
		a = "0"
	}
	x, err := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	return strconv.FormatInt(x+y, 10), errors.Join(err, err2)
}

// later is the higher of the number of an entry and the last number that a counter gave out.
func later(db *core.DB, number, place, counted string) (string, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	c, err2 := strconv.ParseInt(counted, 10, 64)
	return strconv.FormatInt(max(n, db.LastNumber(place, c)), 10), errors.Join(err, err2)
}

// split divides joined content among the keys of the destination.
func (r *rewriting) split(all *joined, wanted map[string]content) error {
	db := r.to.db
	switch places := db.Places(&all.Located); all.Home {
	case core.Divided:
		for row, value := range all.rows {
			key := db.Source(r.owner(all.Name, row, value)).Key(all.Name)
			if wanted[key].rows == nil {
				wanted[key] = content{typ: all.typ, rows: make(map[string]string), left: all.left}
			}
			wanted[key].rows[row] = value
		}
	case core.Everywhere:
		for _, place := range places {
			wanted[place+all.Name] = all.content
		}
	case core.Numbered: // every counter continues above all numbers in use
		last, err := strconv.ParseInt(all.rows[""], 10, 64)
		if err != nil {
			return err
		}
		count := map[string]string{"": strconv.FormatInt(db.CountFor(last), 10)}
		for _, place := range places {
			wanted[place+all.Name] = content{typ: all.typ, rows: count, left: all.left}
		}
	default:
		wanted[places[0]+all.Name] = all.content
	}
	return nil
}

// owner returns the URL of the source that a field or member belongs to.
func (r *rewriting) owner(name, row, value string) string {
	switch name {
	case "feeds", "push:tokens":
		return value
	case "push:due":
		if !strings.Contains(row, ":") { // only URLs have a colon
			return r.tokens[row]
		}
	}
	return row
}
