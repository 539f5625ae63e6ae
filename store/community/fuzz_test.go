package community_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/community"
)

// Another program may have written a comment.
func FuzzComment(f *testing.F) {
	f.Add("1", `{"score":0,"body":"x","parent_id":-1,"user_id":1,"ctime":1326105600,"up":[1],"down":[2],"del":1}`)
	f.Add("nextid", "5")
	f.Add("2", `{"up":{},"ctime":1e300}`)
	f.Fuzz(func(t *testing.T, field, text string) {
		if c, ok := community.DecodeComment(field, text, 1); ok && (c.ID <= 0 || c.Deleted && c.Body != "" || c.Up < 0) {
			t.Errorf("%q %q is %+v", field, text, c)
		}
	})
}
