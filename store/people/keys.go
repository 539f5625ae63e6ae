package people

import (
	"strings"

	"github.com/feedwire/feedwire/store/core"
)

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) accounts() string                 { return k.Key("accounts") }
func (k keys) account(name string) string       { return k.Key("account:" + name) }
func (k keys) sessions(name string) string      { return k.Key("account:" + name + ":sessions") }
func (k keys) known(name string) string         { return k.Key("account:" + name + ":known") }
func (k keys) session(hash string) string       { return k.Key("session:" + hash) }
func (k keys) link(hash string) string          { return k.Key("link:" + hash) }
func (k keys) tokens() string                   { return k.Key("tokens") }
func (k keys) tokensUsed() string               { return k.Key("tokens:used") }
func (k keys) audit() string                    { return k.Key("audit") }
func (k keys) articleAudit(uuid string) string  { return k.Key("article:" + uuid + ":deeds") }
func (k keys) response(id string) string        { return k.Key("answer:" + id) }
func (k keys) attemptsAs(account string) string { return k.Key("attempts:as " + account) }
func (k keys) attemptsFrom(addr string) string {
	return k.Key("attempts:from " + strings.ReplaceAll(addr, ":", "-"))
}
