package community

import (
	"context"
	"strconv"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// TreeMembers returns accounts in the tree of invitations by their ids, in this order, also removed ones.
func (s *Store) TreeMembers(ctx context.Context, ids []int64) ([]feed.TreeMember, error) {
	k, all := s.keys(), make([]feed.TreeMember, len(ids))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("HMGET", k.user(id), "username", "ctime", "karma", "disabled")
			b.Add("ZSCORE", k.banned(), id)
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "accounts in the tree of invitations")
	}
	for i := range all {
		words, banned := r.Texts(), r.Text() != ""
		all[i] = feed.TreeMember{AccountID: ids[i], State: feed.MemberRemoved}
		if len(words) == 4 && words[0] != "" {
			all[i] = treeMember(ids[i], words, banned)
		}
	}
	return all, nil
}

// treeMember returns an account by its username, ctime, karma and disabled.
func treeMember(id int64, words []string, banned bool) feed.TreeMember {
	m := feed.TreeMember{AccountID: id, Account: words[0], State: feed.MemberActive, Karma: 1, Since: feed.ParseTime(words[1])}
	if words[2] != "" {
		m.Karma, _ = strconv.Atoi(words[2])
	}
	switch {
	case words[3] == "1":
		m.State = feed.MemberDisabled
	case banned:
		m.State = feed.MemberBanned
	}
	return m
}
