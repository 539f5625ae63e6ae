package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// openKeys are the first KEYS of the scripts of open topics.
func (s *Topics) openKeys() []any {
	return []any{s.keys.open(), s.keys.openDue(), s.keys.openChecks()}
}

// AddOpenTopic adds an open topic whose next check is due at a time. It is a no-op if the topic exists. feed.ErrConflict: there are
// too many topics.
func (s *Topics) AddOpenTopic(ctx context.Context, t feed.OpenTopic, due time.Time, limits feed.OpenTopicLimits) error {
	t.Claim = time.Time{}
	return s.saveOpenTopic(ctx, &t, -1, due, limits)
}

// ReserveOpenTopic stores a claimed topic with the size of a document, before that is distributed. feed.ErrLeaseLost: the claim has
// ended; feed.ErrConflict: the documents of all topics would have too many bytes. Nothing was written then.
func (s *Topics) ReserveOpenTopic(ctx context.Context, t feed.OpenTopic, bytes int, limits feed.OpenTopicLimits) error {
	return s.saveOpenTopic(ctx, &t, bytes, time.Time{}, limits)
}

// ReserveContent stores the size of a document of an open topic that its publisher sent, before that is distributed. feed.ErrNotFound:
// the topic does not exist; feed.ErrConflict: the documents of all topics would have more than limit bytes. Nothing was written then.
func (s *Topics) ReserveContent(ctx context.Context, url string, bytes int, limit int64) error {
	done, err := redis.Int(s.db.Run(ctx, s.scripts["reserve_content"], []any{s.keys.open(), s.keys.openBytes()},
		[]any{feed.TopicID(url), bytes, limit}))
	if err == nil && done < 0 {
		return fmt.Errorf("the documents of all open topics would have too many bytes: %w", feed.ErrConflict)
	}
	return core.Wrap(core.Unless(done != 0, err, feed.ErrNotFound), "store open topic %s", url)
}

// FinishOpenTopic stores a claimed topic and ends the claim. It is a no-op if the claim has ended. A check that was requested
// meanwhile stays due.
func (s *Topics) FinishOpenTopic(ctx context.Context, t feed.OpenTopic, due time.Time) error {
	err := s.saveOpenTopic(ctx, &t, -1, due, feed.OpenTopicLimits{})
	if errors.Is(err, feed.ErrLeaseLost) {
		return nil
	}
	return err
}

// saveOpenTopic writes a topic. bytes -1 and due zero leave what is stored.
func (s *Topics) saveOpenTopic(ctx context.Context, t *feed.OpenTopic, bytes int, due time.Time, limits feed.OpenTopicLimits) error {
	record, _ := json.Marshal(t) // always encodes
	size, next, claim, none := "", "", "", feed.ErrConflict
	if bytes >= 0 {
		size = strconv.Itoa(bytes)
	}
	if !due.IsZero() {
		next = core.Stamp(due)
	}
	if !t.Claim.IsZero() {
		claim, none = core.Stamp(t.Claim), feed.ErrLeaseLost
	}
	done, err := redis.Int(s.db.Run(ctx, s.scripts["save_open_topic"], append(s.openKeys(), s.keys.openBytes()),
		[]any{feed.TopicID(t.URL), record, size, next, claim, limits.Topics, limits.Bytes}))
	if done < 0 {
		none = feed.ErrConflict
	}
	return core.Wrap(core.Unless(done == 1, err, none), "store open topic %s", t.URL)
}

// OpenTopic returns an open topic. feed.ErrNotFound: it does not exist.
func (s *Topics) OpenTopic(ctx context.Context, url string) (feed.OpenTopic, error) {
	text, err := core.OptionalString(s.db.Do(ctx, group, "HGET", s.keys.open(), feed.TopicID(url)))
	if err = core.Unless(text != "", err, feed.ErrNotFound); err != nil {
		return feed.OpenTopic{}, core.Wrap(err, "open topic %s", url)
	}
	return openTopicFrom(text)
}

// OpenTopics returns all open topics in the order of their URLs.
func (s *Topics) OpenTopics(ctx context.Context) ([]feed.OpenTopic, error) {
	texts, err := redis.Strings(s.db.Do(ctx, group, "HVALS", s.keys.open()))
	if err != nil {
		return nil, fmt.Errorf("list open topics: %w", err)
	}
	all := make([]feed.OpenTopic, 0, len(texts))
	for _, text := range texts {
		t, err := openTopicFrom(text)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b feed.OpenTopic) int { return cmp.Compare(a.URL, b.URL) })
	return all, nil
}

// OpenTopicCounts returns the number of open topics and the bytes of their stored documents.
func (s *Topics) OpenTopicCounts(ctx context.Context) (topics int, bytes int64, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HLEN", s.keys.open())
		b.Add("HGET", s.keys.openBytes(), "all")
	})
	if err != nil {
		return 0, 0, fmt.Errorf("count open topics: %w", err)
	}
	return r.Count(), int64(r.Count()), nil
}

// RefreshOpenTopic makes the check of an open topic due at a time, or when it is due anyway if that is earlier. If the topic is being
// checked, it is checked again afterwards.
func (s *Topics) RefreshOpenTopic(ctx context.Context, url string, due time.Time) error {
	_, err := s.db.Do(ctx, group, "ZADD", s.keys.openDue(), "LT", core.Stamp(due), feed.TopicID(url))
	return core.Wrap(err, "refresh open topic %s", url)
}

// ClaimOpenTopics claims up to limit open topics whose check is due, and returns when the next one is due; zero: none is. A check that
// is not finished when its claim ends is due again.
func (s *Topics) ClaimOpenTopics(ctx context.Context, limit int, lease time.Duration) ([]feed.OpenTopic, time.Time, error) {
	now := s.db.Now()
	until := now.Add(lease).Truncate(time.Millisecond)
	reply, err := redis.Strings(s.db.Run(ctx, s.scripts["claim_open_topics"], s.openKeys(),
		[]any{core.Stamp(now), limit, core.Stamp(until), core.Stamp(now.Add(time.Second))}))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim open topics: %w", err)
	}
	var all []feed.OpenTopic
	for _, text := range reply[1:] {
		t, err := openTopicFrom(text)
		if err != nil {
			return nil, time.Time{}, err
		}
		t.Claim = until
		all = append(all, t)
	}
	return all, feed.ParseTime(reply[0]), nil
}

// ForgetOpenTopic removes an open topic, not its subscriptions. It is a no-op if it does not exist.
func (s *Topics) ForgetOpenTopic(ctx context.Context, url string) error {
	_, err := s.db.Run(ctx, s.scripts["forget_open_topic"], append(s.openKeys(), s.keys.openBytes()), []any{feed.TopicID(url)})
	return core.Wrap(err, "forget open topic %s", url)
}

func openTopicFrom(text string) (t feed.OpenTopic, err error) {
	if err = json.Unmarshal([]byte(text), &t); err != nil {
		err = fmt.Errorf("open topic: %w", err)
	}
	return t, err
}
