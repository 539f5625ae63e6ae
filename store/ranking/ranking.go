package ranking

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed scripts
var scriptFiles embed.FS

// opGroup counts the commands of this package in metrics.
const opGroup = "ranking"

// storedLonger is how long votes are stored after voting has closed.
const storedLonger = 24 * time.Hour

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	scripts core.Scripts
	votes   *prometheus.CounterVec
}

// New returns a Store. It does not connect.
func New(db *core.DB) *Store {
	s := &Store{db: db}
	s.scripts = db.AddNoun(opGroup, scriptFiles, core.Families{core.AtDesk: {
		"article:", "article:<n>", "time:", "score:", "upvoted:<n>", "downvoted:<n>", "voted:<id>",
		"groups", "group:<name>", "score:<name>", "score:<name>:build", "score:<name>:empty", "rank:<name>",
		"votes:unsignalled", "votes:signalled", "lists:signalled", "lists:compared",
		"groups:rules", "anonymous:<n>", "anonymous.voting:<hash>",
		"lists", "list:<name>", "list:<name>:order",
	}})
	s.votes = promauto.With(db.Options().Registerer).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_votes_total", Help: "Votes on entries, by vote; also repeated ones. Those without an account begin with anonymous.",
	}, []string{"vote"})
	for _, v := range feed.Votes() {
		s.votes.WithLabelValues(string(v))
		s.votes.WithLabelValues("anonymous_" + string(v))
	}
	return s
}

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (s *Store) keys() keys { return keys{s.db.Desk()} }

func (k keys) article(n string) string { return k.Key("article:" + n) }
func (k keys) up(n string) string      { return k.Key("upvoted:" + n) }
func (k keys) down(n string) string    { return k.Key("downvoted:" + n) }
func (k keys) count() string           { return k.Key("article:") }
func (k keys) times() string           { return k.Key("time:") }
func (k keys) scores() string          { return k.Key("score:") }
func (k keys) voted(user int64) string { return k.Key("voted:" + strconv.FormatInt(user, 10)) }
func (k keys) groups() string          { return k.Key("groups") }
func (k keys) rules() string           { return k.Key("groups:rules") }
func (k keys) group(g string) string   { return k.Key("group:" + g) }
func (k keys) ranked(g string) string  { return k.Key("score:" + g) }
func (k keys) build(g string) string   { return k.Key("score:" + g + ":build") }
func (k keys) empty(g string) string   { return k.Key("score:" + g + ":empty") }
func (k keys) rank(list string) string { return k.Key("rank:" + list) }

func (k keys) unsignalled() string { return k.Key("votes:unsignalled") }
func (k keys) signalled() string   { return k.Key("votes:signalled") }

func (k keys) listsSignalled() string { return k.Key("lists:signalled") }
func (k keys) listsCompared() string  { return k.Key("lists:compared") }

func (k keys) lists() string            { return k.Key("lists") }
func (k keys) list(name string) string  { return k.Key("list:" + name) }
func (k keys) order(list string) string { return k.Key("list:" + list + ":order") }

func (k keys) anonymous(n string) string { return k.Key("anonymous:" + n) }
func (k keys) voting(hash string) string { return k.Key("anonymous.voting:" + hash) }

// Fragments returns the fragments of scripts that change articles. Package community changes them in one script with its own keys.
func (s *Store) Fragments() fs.FS { return scriptFiles }

// Invocation returns the keys and arguments that the fragment article begins with. The entry is needed only if the script may make it an
// article.
func (s *Store) Invocation(e *feed.Entry) core.Invocation { return s.call(e, nil, nil) }

// run runs a script that begins with the fragment article. The entry is needed only if the script may make it an article.
func (s *Store) run(ctx context.Context, script string, e *feed.Entry, keys []any, args ...any) (any, error) {
	call := s.call(e, keys, args)
	return s.db.Run(ctx, s.scripts[script], call.Keys, call.Args)
}

// call returns the call of a script that begins with the fragment article.
func (s *Store) call(e *feed.Entry, keys, args []any) core.Invocation {
	k, n, now, o := s.keys(), e.Number(), s.db.Now(), s.db.Options()
	posted, author := e.Timestamp, e.FeedURL
	if posted.IsZero() || posted.After(now) {
		posted = now
	}
	if member := feed.MemberOf(e.FeedURL); member != 0 {
		author = userMember(member)
	}
	keys = append([]any{k.times(), k.scores(), k.count(), k.article(n), k.up(n), k.down(n)}, keys...)
	args = append([]any{
		k.Prefix(), o.VoteWeight, o.VoteWindow.Seconds(), (o.VoteWindow + storedLonger).Seconds(),
		articlePrefix + n, core.Stamp(now), core.Stamp(posted), e.Title, e.Link, author,
	}, args...)
	return core.Invocation{Keys: keys, Args: args}
}

// sharedByAll are the keys and arguments of call that are the same for all entries.
var sharedByAll = core.Shared{Keys: 3, Args: 4}

// articlePrefix begins the members of lists: "article:5".
const articlePrefix = "article:"

func userMember(user int64) string { return "user:" + strconv.FormatInt(user, 10) }

// RankEntry makes an entry an article. The author of a post votes for it. It is a no-op if the entry is an article or was taken down.
func (s *Store) RankEntry(ctx context.Context, e *feed.Entry) error {
	_, err := s.run(ctx, "create", e, nil)
	return core.Wrap(err, "rank %s", e.ID)
}

// UpdateRanked stores the title and the link of an entry that was edited. It is a no-op if the entry is no article.
func (s *Store) UpdateRanked(ctx context.Context, e *feed.Entry) error {
	_, err := s.run(ctx, "update_article", e, nil)
	return core.Wrap(err, "update %s in lists", e.ID)
}

// Vote sets the vote of a user on an entry and returns the new score. Repeating it changes nothing. feed.ErrGone: the entry was taken down;
// *feed.VotingClosedError: it is older than Options.VoteWindow; feed.ErrConflict: it is a submission, on which package community votes.
func (s *Store) Vote(ctx context.Context, e *feed.Entry, user int64, v feed.Vote) (feed.Score, error) {
	score := feed.Score{Vote: v}
	if err := v.Check(); err != nil {
		return score, err
	}
	result, err := redis.String(s.db.RunJoined(ctx, s.scripts["vote"], s.call(e, nil, []any{user, string(v)}), sharedByAll))
	if err == nil {
		switch words := strings.Fields(result); words[0] {
		case "removed":
			err = feed.ErrGone
		case "closed":
			err = &feed.VotingClosedError{Window: s.db.Options().VoteWindow}
		case "news":
			err = fmt.Errorf("%w: it is a submission, on which members vote with karma; vote at /api/v1/submissions/%s/vote", feed.ErrConflict, e.Number())
		default:
			score.Score, score.Votes, score.Upvotes = number(words[1]), int(number(words[2])), int(number(words[3]))
			s.votes.WithLabelValues(string(v)).Inc()
		}
	}
	return score, core.Wrap(err, "vote on %s", e.ID)
}

// number decodes a number that a script has written.
func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

// Scores returns the scores of those of some entries that are articles, by id, with the votes of a user; 0: no user. It reads more than
// the scores of those that are articles only, because most entries have no votes.
func (s *Store) Scores(ctx context.Context, user int64, ids []string) (map[string]feed.Score, error) {
	if len(ids) == 0 {
		return make(map[string]feed.Score), nil
	}
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) { s.QueryScores(b, ids) })
	if err != nil {
		return nil, core.Wrap(err, "read scores")
	}
	return s.ReadScores(ctx, user, ids, &r)
}

// QueryScores adds the command that reads the scores of entries, at least one. ReadScores takes its reply.
func (s *Store) QueryScores(b *core.Batch, ids []string) {
	k, members := s.keys(), make([]any, 0, 1+len(ids))
	members = append(members, k.scores())
	for _, id := range ids {
		members = append(members, articlePrefix+numberOf(id))
	}
	b.Add("ZMSCORE", members...)
}

// ReadScores returns what Scores does. It takes an exchange if there are votes.
func (s *Store) ReadScores(ctx context.Context, user int64, ids []string, r *core.Replies) (map[string]feed.Score, error) {
	all := make(map[string]feed.Score)
	reply := r.Next()
	if refused, ok := reply.(redis.Error); ok { // by a batch that returns errors about damaged keys
		return nil, core.Wrap(refused, "read scores")
	}
	replies := core.Replies{reply}
	for i, score := range replies.Texts() {
		if score != "" {
			all[ids[i]] = feed.Score{Score: number(score), Vote: feed.VoteNone}
		}
	}
	return all, core.Wrap(s.addVotes(ctx, all, user), "read scores")
}

// addVotes adds the votes to scores by the ids of entries.
func (s *Store) addVotes(ctx context.Context, all map[string]feed.Score, user int64) error {
	k, ids := s.keys(), slices.Collect(maps.Keys(all))
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) {
		for _, id := range ids {
			n := numberOf(id)
			b.Add("HMGET", k.article(n), "votes", "up", "anonymous")
			b.Add("SISMEMBER", k.up(n), userMember(user))
			b.Add("SISMEMBER", k.down(n), userMember(user))
		}
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		score, counts, up, down := all[id], r.Texts(), r.Count(), r.Count()
		switch {
		case up > 0:
			score.Vote = feed.VoteUp
		case down > 0:
			score.Vote = feed.VoteDown
		}
		score.Votes, score.Upvotes, score.Anonymous = int(number(counts[0])), int(number(counts[1])), int(number(counts[2]))
		all[id] = score
	}
	return nil
}

// VoteCounts returns the votes on some entries, by id. Entries without votes have none.
func (s *Store) VoteCounts(ctx context.Context, ids []string) (map[string]feed.VoteCounts, error) {
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("HMGET", s.keys().article(numberOf(id)), "votes", "up", "anonymous")
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "read votes")
	}
	all := make(map[string]feed.VoteCounts, len(ids))
	for _, id := range ids {
		counts := r.Texts()
		all[id] = feed.VoteCounts{Votes: int(number(counts[0])), Upvotes: int(number(counts[1])), Anonymous: int(number(counts[2]))}
	}
	return all, nil
}

// numberOf returns the number in the id of an entry.
func numberOf(id string) string { return strings.TrimPrefix(id, "Entry:") }

// VotingOpen reports whether users vote on an entry now, if it was not taken down.
func (s *Store) VotingOpen(e *feed.Entry) bool {
	return !s.db.Now().After(e.Timestamp.Add(s.db.Options().VoteWindow))
}

// WasTakenDown reports whether an entry was taken down.
func (s *Store) WasTakenDown(ctx context.Context, id string) (bool, error) {
	removed, err := redis.Bool(s.db.Do(ctx, opGroup, "HEXISTS", s.keys().article(numberOf(id)), "del"))
	return removed, core.Wrap(err, "takedown of %s", id)
}

// RemoveRanked removes an entry that was taken down from all lists, with its votes, for ever.
func (s *Store) RemoveRanked(ctx context.Context, id string) error {
	_, err := s.run(ctx, "delete_article", &feed.Entry{ID: id}, nil, append([]any{1}, rankingNames()...)...)
	return core.Wrap(err, "remove %s from lists", id)
}

// ForgetRanked removes an entry that no longer exists from all lists, with its votes.
func (s *Store) ForgetRanked(ctx context.Context, id string) error {
	_, err := s.run(ctx, "delete_article", &feed.Entry{ID: id}, nil, append([]any{0}, rankingNames()...)...)
	return core.Wrap(err, "forget %s", id)
}

// VotesOf returns the votes of a user on entries that users vote on, or did until a day ago, newest first.
func (s *Store) VotesOf(ctx context.Context, user int64) ([]feed.OwnVote, error) {
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) { b.Add("ZREVRANGE", s.keys().voted(user), 0, -1, "WITHSCORES") })
	if err != nil {
		return nil, core.Wrap(err, "votes of user %d", user)
	}
	places := r.Places()
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = entryID(p.Member)
	}
	scores, err := s.Scores(ctx, user, ids)
	all := make([]feed.OwnVote, 0, len(places))
	for i, id := range ids {
		if vote := cmp.Or(scores[id].Vote, feed.VoteNone); vote != feed.VoteNone {
			all = append(all, feed.OwnVote{Entry: id, Vote: vote, Time: time.UnixMilli(int64(math.Round(places[i].Score * 1000))).UTC()})
		}
	}
	return all, err
}

// entryID returns the id of the entry of an article.
func entryID(member string) string { return "Entry:" + strings.TrimPrefix(member, articlePrefix) }

// EraseVotes deletes the votes of a user. Where voting has closed, the votes of the entry stay as they are. It is safe to repeat.
func (s *Store) EraseVotes(ctx context.Context, user int64) error {
	voted, err := redis.Strings(s.db.Do(ctx, opGroup, "ZRANGE", s.keys().voted(user), 0, -1))
	for _, member := range voted {
		if err == nil {
			_, err = s.run(ctx, "erase_vote", &feed.Entry{ID: entryID(member)}, nil, user)
		}
	}
	return core.Wrap(err, "erase votes of user %d", user)
}
