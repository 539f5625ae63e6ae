package people

import (
	"embed"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "people"

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	keys    keys
	scripts core.Scripts
}

// New returns a Store. It does not connect.
func New(db *core.DB) *Store {
	s := &Store{db: db, keys: keys{db.Desk()}}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{core.AtDesk: {
		"users.count", "users.names", "users.removed", "users.invited", "staff", "members", "username.to.id:<name>", "user:<id>", "user:<id>:sessions", "user:<id>:known", "user:<id>:answers", "user:<id>:invited", "auth:<sum>",
		"auth:<sum>:session", "link:<hash>", "attempts:<whose>", "tokens", "tokens:used", "tokens:fever", "answer:<id>", "invitations", "invitation:<hash>",
		"limit:create_user:<ip>", "users.today", "mails", "limit:reset:<ip>", "limit:mail:<hash>",
	}})
	s.scripts.Once("add_account", "end_account", "forgive_attempt", "sign_up", "use_link", "claim_mail")
	return s
}
