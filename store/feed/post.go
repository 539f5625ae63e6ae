package feed

import (
	"strconv"
	"strings"
)

// Bounds of posts.
const (
	MaxPostMedia = 10
	MaxCaption   = 2200 // bytes
)

// MemberPrefix begins the URLs of the local sources of members. The rest is the number of the account.
const MemberPrefix = localPrefix + "member-"

// MemberURL returns the URL of the local source that has the posts of an account. It does not contain the name of the account, which
// would outlive the account in signals and tombstones.
func MemberURL(account int64) string { return MemberPrefix + strconv.FormatInt(account, 10) }

// OfMember reports whether the source has the posts of an account, which no one else writes.
func (s *Source) OfMember() bool { return MemberOf(s.URL) != 0 }

// MemberOf returns the number of the account whose posts a source has; 0: it has no posts.
func MemberOf(feedURL string) int64 {
	number, ok := strings.CutPrefix(feedURL, MemberPrefix)
	if !ok {
		return 0
	}
	account, err := strconv.ParseInt(number, 10, 64)
	if err != nil || account <= 0 || MemberURL(account) != feedURL {
		return 0
	}
	return account
}
