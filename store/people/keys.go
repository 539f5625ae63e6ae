package people

import (
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) lastID() string                   { return k.Key("users.count") }
func (k keys) removed() string                  { return k.Key("users.removed") }
func (k keys) inviters() string                 { return k.Key("users.invited") }
func (k keys) names() string                    { return k.Key("users.names") }
func (k keys) staff() string                    { return k.Key("staff") }
func (k keys) members() string                  { return k.Key("members") }
func (k keys) invitations() string              { return k.Key("invitations") }
func (k keys) invitation(hash string) string    { return k.Key("invitation:" + hash) }
func (k keys) signUps() string                  { return k.Key("users.today") }
func (k keys) idOf(name string) string          { return k.Key("username.to.id:" + name) }
func (k keys) users() string                    { return k.Key("user:") } // beginning of the keys of accounts
func (k keys) user(id int64) string             { return k.users() + strconv.FormatInt(id, 10) }
func (k keys) sessions(id int64) string         { return k.user(id) + ":sessions" }
func (k keys) known(id int64) string            { return k.user(id) + ":known" }
func (k keys) invited(id int64) string          { return k.user(id) + ":invited" }
func (k keys) auths() string                    { return k.Key("auth:") } // beginning of the keys of sessions
func (k keys) auth(sum string) string           { return k.auths() + sum }
func (k keys) session(sum string) string        { return k.auth(sum) + ":session" }
func (k keys) link(hash string) string          { return k.Key("link:" + hash) }
func (k keys) tokens() string                   { return k.Key("tokens") }
func (k keys) tokensUsed() string               { return k.Key("tokens:used") }
func (k keys) tokensFever() string              { return k.Key("tokens:fever") }
func (k keys) response(id string) string        { return k.Key("answer:" + id) }
func (k keys) responsesOf(id int64) string      { return k.user(id) + ":answers" }
func (k keys) attemptsAs(account string) string { return k.Key("attempts:as " + account) }

// listOf returns the set of the accounts that have a role.
func (k keys) listOf(role feed.Role) string {
	if role == feed.RoleMember {
		return k.members()
	}
	return k.staff()
}

func (k keys) attemptsFrom(addr string) string {
	return k.Key("attempts:from " + colonless(addr))
}
func (k keys) mails() string { return k.Key("mails") }
func (k keys) mailsTo(email string) string {
	return k.Key("limit:mail:" + feed.HashSecret(strings.ToLower(email)))
}
func (k keys) resetsFrom(network string) string {
	return k.Key("limit:reset:" + colonless(network))
}
func (k keys) signUpsFrom(network string) string {
	return k.Key("limit:create_user:" + colonless(network))
}

// colonless returns an address without the colons that separate the parts of a key.
func colonless(addr string) string { return strings.ReplaceAll(addr, ":", "-") }
