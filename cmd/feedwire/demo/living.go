package demo

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Timetable of a living origin: two days of history, new posts and corrections for ever, and a feed that fails and recovers.
const (
	historyPosts = 8 // of each feed
	historyEvery = 6 * time.Hour
	quickPosts   = 4                // that follow after postEvery each, so that a person sees news at once
	calmEvery    = 30 * time.Second // between all later posts
	listedPosts  = 30               // newest ones in a document
	correctEvery = 3                // which posts get a correction
	correctAfter = 45 * time.Second // from the post to its correction
	failEvery    = 3 * time.Minute  // garden answers 503 then, for failFor
	failFor      = 20 * time.Second
)

// slowness is how much rarer than harbour a feed posts.
var slowness = map[string]time.Duration{"harbour": 1, "garden": 2, "observatory": 3}

// followUps are the titles of the later posts that repeat a story.
var followUps = []string{"%s: what happened next", "Readers write: %s", "%s, revisited", "One more time: %s"}

// NewLivingOrigin returns an origin with two days of history, in which every post has a picture, that goes on for ever.
func NewLivingOrigin(now func() time.Time) *demoOrigin {
	o := NewOrigin(now)
	o.living = true
	return o
}

// livingTime returns when a feed publishes its post n, since the start.
func livingTime(feed string, n int) time.Duration {
	if n -= historyPosts; n < 0 {
		return time.Duration(n) * historyEvery
	}
	if n < quickPosts {
		return time.Duration(n+1) * postEvery * slowness[feed]
	}
	return (quickPosts*postEvery + time.Duration(n-quickPosts+1)*calmEvery) * slowness[feed]
}

// livingPosts returns the newest posts of a feed, oldest first.
func (o *demoOrigin) livingPosts(feed string) (posts []story) {
	var own []story
	for _, s := range o.stories {
		if s.Feed == feed {
			own = append(own, s)
		}
	}
	for n := 0; livingTime(feed, n) <= o.elapsed(); n++ {
		s, at := own[n%len(own)].again(n/len(own)), livingTime(feed, n)
		s.Published = o.started.Add(at)
		s.Updated = s.Published
		if corrected := max(at, 0) + correctAfter; n%correctEvery == correctEvery-1 && corrected <= o.elapsed() {
			s.Title, s.Updated = s.Title+" (corrected)", o.started.Add(corrected)
		}
		posts = append(posts, s)
	}
	return posts[max(0, len(posts)-listedPosts):]
}

// again returns a story as its later posts repeat it, with a picture.
func (s story) again(times int) story {
	if times > 0 {
		s.Title = fmt.Sprintf(followUps[(times-1)%len(followUps)], s.Title)
		s.Slug = fmt.Sprintf("%s-%d", s.Slug, times+1)
	}
	if round := (times - 1) / len(followUps); round > 0 {
		s.Title = fmt.Sprintf("%s (%d)", s.Title, round+1)
	}
	if !strings.Contains(s.Body.XML, "<img") {
		s.Body.XML = fmt.Sprintf("<figure><img src=\"/img/%s.png\" alt=\"Hills below the sun\" width=\"640\" height=\"360\"/></figure>\n", s.Slug) + s.Body.XML
	}
	return s
}

// fails answers for a living feed that is in trouble.
func (o *demoOrigin) fails(w http.ResponseWriter) bool {
	if e := o.elapsed(); !o.living || e < failEvery || e%failEvery >= failFor {
		return false
	}
	http.Error(w, "the gardeners are at lunch", http.StatusServiceUnavailable)
	return true
}

// find returns the story with a slug, also a repeated one.
func (o *demoOrigin) find(slug string) (story, bool) {
	for _, s := range o.stories {
		var times int
		if s.Slug == slug {
			return s, true
		}
		if _, err := fmt.Sscanf(strings.TrimPrefix(slug, s.Slug), "-%d", &times); err == nil && o.living && strings.HasPrefix(slug, s.Slug) {
			return s.again(times - 1), true
		}
	}
	return story{}, false
}
