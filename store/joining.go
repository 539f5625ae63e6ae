package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// join puts what a key holds to what others of its name do.
func (r *rewriting) join(all *joined, k *kept, c *content) (err error) {
	if c.typ != all.typ {
		return fmt.Errorf("%w: it is a %s, and another one of its name a %s: this is no store of feedwire's", feed.ErrConflict, c.typ, all.typ)
	}
	longer := c.left > all.left
	switch k.home {
	case divided:
		for row, value := range c.rows {
			if _, twice := all.rows[row]; twice {
				return fmt.Errorf("%w: another part has %s too: this is no store of feedwire's", feed.ErrConflict, row)
			}
			all.rows[row] = value
		}
	case addedUp:
		for row, value := range c.rows {
			if all.rows[row], err = plus(all.rows[row], value); err != nil {
				return err
			}
		}
	case numbered:
		all.rows[""], err = r.from.keys.later(all.rows[""], k.place, c.rows[""])
	default: // of several that which was in use last
		if longer || len(all.rows) == 0 {
			all.rows = c.rows
		}
	}
	if longer {
		all.left = c.left
	}
	return err
}

// plus adds up counts; an empty one is zero.
func plus(a, b string) (string, error) {
	if a == "" {
		a = "0"
	}
	x, err := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	return strconv.FormatInt(x+y, 10), errors.Join(err, err2)
}

// later is the higher one of an entry's number and the last one that a part has given out.
func (k keys) later(number, place, counted string) (string, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	c, err2 := strconv.ParseInt(counted, 10, 64)
	i := int64(slices.IndexFunc(k.parts, func(p part) bool { return p.prefix == place }))
	return strconv.FormatInt(max(n, c*int64(len(k.parts))+i), 10), errors.Join(err, err2)
}

// split divides what the seeds' layout has under a name among the keys of the other store.
func (r *rewriting) split(all *joined, wanted map[string]content) error {
	k := r.to.keys
	switch homes := k.homes(&all.kept); all.home {
	case divided:
		for row, value := range all.rows {
			key := k.of(r.owner(all.name, row, value)).prefix + all.name
			if wanted[key].rows == nil {
				wanted[key] = content{all.typ, make(map[string]string), all.left}
			}
			wanted[key].rows[row] = value
		}
	case everywhere:
		for _, place := range homes {
			wanted[place+all.name] = all.content
		}
	case numbered: // what a part gives out next is higher than all before
		last, err := strconv.ParseInt(all.rows[""], 10, 64)
		if err != nil {
			return err
		}
		count := map[string]string{"": strconv.FormatInt(last/int64(len(k.parts)), 10)}
		for _, place := range homes {
			wanted[place+all.name] = content{all.typ, count, all.left}
		}
	default:
		wanted[homes[0]+all.name] = all.content
	}
	return nil
}

// owner is the source that a field or member belongs to.
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
