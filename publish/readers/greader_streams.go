package readers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxIDs      = 10_000 // of an answer
	maxReversed = 50_000 // entries of a stream that can be read oldest first, or by id
)

// Names of streams and tags. Apps may put an id of the user in place of the hyphen.
const (
	readingList   = "reading-list"
	starred       = "starred"
	read          = "read"
	keptUnread    = "kept-unread"
	statePrefix   = "user/-/state/com.google/"
	labelPrefix   = "user/-/label/"
	uncategorized = "Uncategorized" // the label of follows without a folder, because some apps need one
)

// tag returns the canonical name of a tag or stream, "user/-/…".
func tag(name string) string {
	if rest, ok := strings.CutPrefix(name, "user/"); ok {
		if _, rest, ok = strings.Cut(rest, "/"); ok {
			return "user/-/" + rest
		}
	}
	return name
}

// label returns the label of a follow.
func label(f *feed.Follow) string { return cmp.Or(f.Folder, uncategorized) }

// inLabel returns the follows with a label.
func (c *call) inLabel(name string) (all []feed.Follow) {
	for _, f := range c.follows {
		if label(&f) == name {
			all = append(all, f)
		}
	}
	return all
}

// streamID returns the id of the stream of a source: "feed/" and its id as a decimal number.
func streamID(feedURL string) string {
	n, _ := strconv.ParseUint(feed.SourceID(feedURL), 16, 64) // ids are hexadecimal
	return "feed/" + strconv.FormatUint(n, 10)
}

// followOf returns the follow with a stream, "feed/<number>" or "feed/<url>"; nil: there is none.
func (c *call) followOf(stream string) *feed.Follow {
	name := strings.TrimPrefix(stream, "feed/")
	canonical, _ := feed.SourceURL(name)
	for i := range c.follows {
		if f := &c.follows[i]; f.FeedURL == name || f.FeedURL == canonical || streamID(f.FeedURL) == stream {
			return f
		}
	}
	return nil
}

// errNoStream: a stream does not exist.
var errNoStream = errors.New("there is no such stream")

// selection returns what a stream selects; starred has a list of its own.
func (c *call) selection(stream string) (selected feed.Selection, isStarred bool, err error) {
	stream = tag(stream)
	state, isState := strings.CutPrefix(stream, statePrefix)
	folder, isLabel := strings.CutPrefix(stream, labelPrefix)
	f := c.followOf(stream)
	switch {
	case isState && state == starred:
		return selected, true, nil
	case isState && state == read:
		selected.State = feed.StateRead
	case isState && state == readingList:
	case isLabel && folder == uncategorized:
		selected.Folder = new(string)
	case isLabel:
		selected.Folder = &folder
	case strings.HasPrefix(stream, "feed/") && f != nil:
		selected.FeedURL = f.FeedURL
	default:
		err = fmt.Errorf("%w: %w: %.200q", feed.ErrNotFound, errNoStream, stream)
	}
	return selected, false, err
}

// Continuations are digits only: the score plus offset in scoreDigits digits, and the number of the entry.
const (
	scoreDigits = 12
	scoreOffset = 100_000_000_000 // years before 1970 have negative timestamps
)

func continuation(c feed.Cursor) string {
	if c.IsZero() {
		return ""
	}
	return fmt.Sprintf("%0*d%s", scoreDigits, int64(c.Score)+scoreOffset, c.Member)
}

func parseContinuation(text string) (c feed.Cursor, err error) {
	if text == "" {
		return c, nil
	}
	if len(text) <= scoreDigits || len(text) > scoreDigits+19 || strings.Trim(text, "0123456789") != "" {
		return c, feed.Invalid("c", "use continuation of the previous answer")
	}
	score, err := strconv.ParseInt(text[:scoreDigits], 10, 64)
	return feed.Cursor{Score: float64(score - scoreOffset), Member: text[scoreDigits:]}, err
}

// number returns a parameter that is a whole number.
func (c *call) number(name string, fallback int64) (int64, error) {
	if c.Get(name) == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(c.Get(name), 10, 64)
	if err != nil || n < 0 {
		return 0, feed.Invalid(name, "use a number from 0")
	}
	return n, nil
}

// upTo returns a parameter that is a time in seconds or microseconds, up to which entries are marked; zero: the call has none. A time that is
// too far ahead is a mistake of the app, which would mark all entries.
func (c *call) upTo(name string, now time.Time) (t time.Time, err error) {
	n, err := c.number(name, 0)
	const firstMicro = 100_000_000_000_000 // in 1973, or the year 3 million in seconds
	switch {
	case n >= firstMicro:
		t = time.UnixMicro(n)
	case c.Get(name) != "":
		t = time.Unix(n, 0)
	}
	if t.After(now.Add(maxAhead)) {
		return time.Time{}, feed.Invalid(name, "use a time at most a day ahead")
	}
	return t, err
}

// streamPage is a part of a stream.
type streamPage struct {
	places []feed.Cursor
	next   feed.Cursor
}

// readStream returns the part of a stream that a call asks for: n entries, after the continuation c, with timestamps from ot to nt, without
// the tag xt, with the tag it, and with r=o oldest first.
func (rs *Readers) readStream(c *call, stream string, most int) (page streamPage, err error) {
	selected, isStarred, err := c.selection(stream)
	n, nErr := c.number("n", 20)
	after, cErr := parseContinuation(c.Get("c"))
	oldest, otErr := c.number("ot", 0)
	newest, ntErr := c.number("nt", 0)
	if err := cmp.Or(err, nErr, cErr, otErr, ntErr); err != nil {
		return page, err
	}
	limit := min(max(1, int(n)), most)
	for _, name := range c.Values["xt"] {
		if tag(name) == statePrefix+read {
			selected.State = feed.StateUnread
		}
	}
	for _, name := range c.Values["it"] {
		switch tag(name) {
		case statePrefix + read:
			selected.State = feed.StateRead
		case statePrefix + keptUnread:
			selected.State = feed.StateUnread
		case statePrefix + starred:
			isStarred = true
		}
	}
	if isStarred {
		return rs.starredPage(c, selected.State, after, limit)
	}
	if c.Get("r") == "o" {
		return rs.oldestFirst(c, selected, after, limit, oldest, newest)
	}
	if after.IsZero() && newest > 0 {
		after = feed.CursorUpTo(newest)
	}
	page.places, page.next, err = rs.store.SelectPlaces(c.Context(), c.user, selected, after, limit)
	page.cut(oldest)
	return page, err
}

// cut removes what is older than a time.
func (p *streamPage) cut(oldest int64) {
	if i := slices.IndexFunc(p.places, func(c feed.Cursor) bool { return c.Score < float64(oldest) }); i >= 0 && oldest > 0 {
		p.places, p.next = p.places[:i], feed.Cursor{}
	}
}

// oldestFirst reads a part of a stream from its end.
func (rs *Readers) oldestFirst(c *call, selected feed.Selection, from feed.Cursor, limit int, oldest, newest int64) (page streamPage, err error) {
	all, err := rs.wholeStream(c, selected, oldest, newest)
	if err != nil {
		return page, err
	}
	slices.Reverse(all)
	if !from.IsZero() {
		done := func(p feed.Cursor) bool {
			return p.Score < from.Score || p.Score == from.Score && p.Member <= from.Member
		}
		all = slices.DeleteFunc(all, done)
	}
	page.places = all[:min(limit, len(all))]
	if len(all) > limit {
		page.next = page.places[limit-1]
	}
	return page, nil
}

// wholeStream returns the places of up to maxReversed selected entries, newest first.
func (rs *Readers) wholeStream(c *call, selected feed.Selection, oldest, newest int64) ([]feed.Cursor, error) {
	var after feed.Cursor
	if newest > 0 {
		after = feed.CursorUpTo(newest)
	}
	var all streamPage
	for len(all.places) < maxReversed {
		places, next, err := rs.store.SelectPlaces(c.Context(), c.user, selected, after, maxIDs)
		if err != nil {
			return nil, err
		}
		all.places, all.next = append(all.places, places...), next
		all.cut(oldest)
		if after = all.next; after.IsZero() {
			break
		}
	}
	return all.places, nil
}

// starredPage returns a part of the saved entries.
func (rs *Readers) starredPage(c *call, state feed.ReadState, after feed.Cursor, limit int) (page streamPage, err error) {
	found, err := rs.store.Saved(c.Context(), c.user, after, limit)
	if err != nil {
		return page, err
	}
	entries, err := rs.store.ForReader(c.Context(), c.user, found.Entries)
	page.next = found.Next
	for i := range entries {
		e := &entries[i]
		if state == "" || e.Read == (state == feed.StateRead) {
			page.places = append(page.places, feed.Cursor{Score: float64(e.Timestamp.Unix()), Member: e.Number()})
		}
	}
	return page, err
}
