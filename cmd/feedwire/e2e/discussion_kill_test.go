//go:build faults

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const (
	talkers    = 64 // members who vote
	commenters = 32 // of them also write
	discussed  = 4  // submissions; all comments are on the first one
)

// discussion is a community that goes on while its daemon is killed. Each member repeats a request until it has a response.
type discussion struct {
	*wiretest.Process
	client *client.Client
	news   []string
	ids    []int64 // of the accounts
	done   atomic.Int64

	mu       sync.Mutex
	votes    map[string]feed.Vote // accepted ones by submission and account, or by "<submission>-<comment>" and account
	comments map[int64]string     // body that was accepted last by id
	authors  map[int64]int        // talkers by comment
	deleted  []int64              // comments
}

func newDiscussion(t *testing.T, redis *storetest.Server) *discussion {
	t.Helper()
	d := &discussion{
		Process: wiretest.BuildProgram(t, fmt.Sprintf("store: {redis: %q}\ncommunity: {enabled: true, new_account_age: 0}", "unix://"+redis.Addr())),
		votes:   make(map[string]feed.Vote), comments: make(map[int64]string), authors: make(map[int64]int),
	}
	d.client = d.Client().WithTimeout(2 * time.Second)
	d.Start()
	d.Ready()
	raw := storetest.Commands(t, redis.Dial)
	for user := range talkers {
		var account feed.Account
		d.call(http.MethodPost, "users", map[string]string{"name": nameOf(user), "role": "member"}, &account)
		d.ids = append(d.ids, account.ID)
		raw.Do("HSET", fmt.Sprint("user:", account.ID), "karma", 1000) // votes cost karma
	}
	for n := range discussed {
		var news feed.News
		d.call(http.MethodPost, "submissions?user="+nameOf(n), map[string]string{"title": titleOf(n), "text": "What do you think?"}, &news)
		d.news = append(d.news, fmt.Sprint(news.ID))
	}
	return d
}

func nameOf(user int) string { return fmt.Sprint("user", user) }

// call sends a request until it has a response, and reports whether that was a success.
func (d *discussion) call(method, path string, in, out any) bool {
	for d.T.Context().Err() == nil {
		err := d.client.Call(d.T.Context(), method, "/api/v1/"+path, in, out)
		var refused *client.Error
		switch {
		case err == nil:
			d.done.Add(1)
			return true
		case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError:
			d.done.Add(1)
			return false
		}
		time.Sleep(10 * time.Millisecond) // as a client that tries again
	}
	return false
}

// someComment returns the id of an accepted comment, of one member unless author is negative; 0: there is none.
func (d *discussion) someComment(author int) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.comments { // in any order
		if author < 0 || d.authors[id] == author {
			return id
		}
	}
	return 0
}

// vote votes on a submission, or on a comment.
func (d *discussion) vote(user int, random *rand.Rand) {
	vote := feed.Votes()[random.IntN(2)]
	if id := d.someComment(-1); id != 0 && random.IntN(2) == 0 {
		d.cast(fmt.Sprintf("entries/%s/comments/%d", d.news[0], id), fmt.Sprintf("%s-%d", d.news[0], id), user, vote)
		return
	}
	n := d.news[random.IntN(len(d.news))]
	d.cast("submissions/"+n, n, user, vote)
}

// cast sends a vote on something with a path, and remembers it if it is accepted.
func (d *discussion) cast(path, thing string, user int, vote feed.Vote) {
	if d.call(http.MethodPut, path+"/vote?user="+nameOf(user), map[string]feed.Vote{"vote": vote}, nil) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.votes[fmt.Sprint(thing, " ", d.ids[user])] = vote
	}
}

// write adds, edits or deletes a comment of a member.
func (d *discussion) write(user int, random *rand.Rand) {
	own := d.someComment(user)
	body := fmt.Sprintf("comment %d of %s", random.Uint64(), nameOf(user))
	path := "entries/" + d.news[0] + "/comments"
	switch action := random.IntN(4); {
	case own != 0 && action == 0:
		if !d.call(http.MethodPut, fmt.Sprintf("%s/%d?user=%s", path, own, nameOf(user)), map[string]string{"body": body}, nil) {
			return
		}
	case own != 0 && action == 1:
		d.remove(own, d.call(http.MethodDelete, fmt.Sprintf("%s/%d?user=%s", path, own, nameOf(user)), nil, nil))
		return
	default:
		var c feed.Comment
		in := map[string]any{"body": body}
		if parent := d.someComment(-1); parent != 0 {
			in["parent_id"] = parent
		}
		if !d.call(http.MethodPost, path+"?user="+nameOf(user), in, &c) {
			return
		}
		own = c.ID
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.comments[own], d.authors[own] = body, user
}

// remove notes that a member deleted a comment. If that was refused, a request without a response had deleted it, or a moderator removed it.
func (d *discussion) remove(id int64, accepted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.comments, id)
	if accepted {
		d.deleted = append(d.deleted, id)
	}
}

// moderate hides, removes or restores a comment, or hides and restores a submission.
func (d *discussion) moderate(random *rand.Rand) {
	state := map[string]string{"state": []string{"hidden", "removed", "visible"}[random.IntN(3)]}
	if id := d.someComment(-1); id != 0 && random.IntN(4) > 0 {
		d.call(http.MethodPut, fmt.Sprintf("entries/%s/comments/%d/state", d.news[0], id), state, nil)
		return
	}
	d.call(http.MethodPut, "submissions/"+d.news[discussed-1]+"/state", state, nil)
}

// 64 members vote, 32 of them write, and moderators decide, while the daemon is killed and started again, and Redis too. What was accepted is
// there, once, and every counter is that of what it counts.
func TestDiscussionKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := newDiscussion(t, redis)
	stop := make(chan struct{})
	var all sync.WaitGroup
	repeat := func(seed int, do func(*rand.Rand)) {
		random := rand.New(rand.NewPCG(19, uint64(seed)))
		all.Go(func() {
			for {
				do(random)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for user := range talkers {
		repeat(user, func(random *rand.Rand) {
			if user < commenters && random.IntN(2) == 0 {
				d.write(user, random)
			} else {
				d.vote(user, random)
			}
		})
	}
	for n := range 2 {
		repeat(talkers+n, d.moderate)
	}
	killBoth(t, d.Process, redis, talkers, d.done.Load)
	close(stop)
	all.Wait()
	t.Logf("%d responses, %d votes, %d comments, %d kills", d.done.Load(), len(d.votes), len(d.comments), kills)
	d.Kill()
	raw := storetest.Commands(t, redis.Dial)
	d.checkAccepted(raw)
	state, hidden := raw.StringMap("HGETALL", "news:"+d.news[discussed-1])["state"], raw.Do("HGET", "Entry:"+d.news[discussed-1], "hidden")
	if (state == "") != (hidden == nil) {
		t.Errorf("the state of the submission is %q, hidden of its entry is %v", state, hidden)
	}
	storetest.Check(t, redis.Dial, nil, feed.ImportAfter) // the counters
}

// checkAccepted compares what was accepted with what is stored.
func (d *discussion) checkAccepted(raw *storetest.Redigo) {
	d.T.Helper()
	thread := raw.StringMap("HGETALL", "thread:comment:"+d.news[0])
	read := func(id int64) (stored struct {
		Body     string
		Del      int
		Up, Down []int64
	}) {
		if err := json.Unmarshal([]byte(thread[fmt.Sprint(id)]), &stored); err != nil {
			d.T.Errorf("comment %d is lost: %v", id, err)
		}
		return stored
	}
	for key, vote := range d.votes {
		var thing string
		var account, comment int64
		_, _ = fmt.Sscan(key, &thing, &account)
		n, c, isComment := strings.Cut(thing, "-")
		stored := raw.Do("ZSCORE", "news."+string(vote)+":"+n, account) != nil
		if isComment {
			_, _ = fmt.Sscan(c, &comment)
			found := read(comment)
			stored = slices.Contains(map[feed.Vote][]int64{feed.VoteUp: found.Up, feed.VoteDown: found.Down}[vote], account)
		}
		if !stored {
			d.T.Errorf("the vote %s of account %d on %s is lost", vote, account, thing)
		}
	}
	for id, body := range d.comments {
		if stored := read(id); stored.Body != body || stored.Del != 0 {
			d.T.Errorf("comment %d is %+v, want the body %q", id, stored, body)
		}
	}
	for _, id := range d.deleted {
		if stored := read(id); stored.Body != "" || stored.Del != 1 {
			d.T.Errorf("comment %d was deleted, and is %+v", id, stored)
		}
	}
}
