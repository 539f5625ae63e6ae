package audit

import (
	"context"
	"embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics, together with those of package people: they are too few for series of their own.
const group = "people"

// maxEntries bounds the audit log.
const maxEntries = 200_000

// maxOfArticle bounds the audit entries that are stored with an article.
const maxOfArticle = 50

var fields = core.FieldsOf[feed.AuditEntry]()

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) log() string                  { return k.Key("audit") }
func (k keys) copied() string               { return k.Key("audit:copy") }
func (k keys) articles() string             { return k.Key("article:") } // beginning of ofArticle
func (k keys) ofArticle(uuid string) string { return k.Key("article:" + uuid + ":deeds") }

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	keys    keys
	scripts core.Scripts
}

// New returns a Store. It does not connect.
func New(db *core.DB) *Store {
	s := &Store{db: db, keys: keys{db.Desk()}}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{core.AtDesk: {"audit", "audit:copy", "article:<uuid>:deeds"}})
	return s
}

// AddAudit appends entries to the audit log, which gives them their IDs. An entry about an article is also stored with it.
func (s *Store) AddAudit(ctx context.Context, entries ...feed.AuditEntry) error {
	_, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range entries {
			e := &entries[i]
			b.Add("XADD", s.keys.log(), "MAXLEN", "~", maxEntries, "*", "time", core.Stamp(e.Time), "who", e.Who, "account", e.Account, "action", e.Action,
				"kind", e.Object.Kind, "id", e.Object.ID, "name", e.Object.Name, "feed", e.Object.Feed, "about", e.Object.Account,
				"before", e.Before, "after", e.After, "reason", e.Reason, "from", e.From)
			if e.Object.Kind == feed.ObjectArticle {
				line, _ := json.Marshal(e) // strings and a time always encode
				b.Add("LPUSH", s.keys.ofArticle(e.Object.ID), line)
				b.Add("LTRIM", s.keys.ofArticle(e.Object.ID), 0, maxOfArticle-1)
			}
		}
	})
	return core.Wrap(err, "audit %s", entries[0].Action)
}

// QueryArticleAudit adds the command that reads the audit entries about an article.
func (s *Store) QueryArticleAudit(b *core.Batch, uuid string) {
	b.Add("LRANGE", s.keys.ofArticle(uuid), 0, -1)
}

// ReadArticleAudit takes the reply to the command of QueryArticleAudit. Entries are newest first; damaged ones are left out.
func (s *Store) ReadArticleAudit(r *core.Replies) (all []feed.AuditEntry) {
	for _, line := range r.Texts() {
		if e, err := articleEntryFrom(line); err == nil {
			all = append(all, e)
		}
	}
	return all
}

// articleEntryFrom decodes an audit entry that is stored with its article.
func articleEntryFrom(line string) (feed.AuditEntry, error) {
	var e struct {
		feed.AuditEntry
		On string `json:"on"`
	}
	err := json.Unmarshal([]byte(line), &e)
	if e.On != "" {
		e.Object = objectFrom(e.On)
	}
	e.Before, e.After = currentState(e.Before), currentState(e.After)
	return e.AuditEntry, err
}

const uuidLen = 36

// objectFrom returns the object of an entry of layout 1, which has it as text: articles as "<uuid> in <type>".
func objectFrom(on string) feed.Object {
	if uuid, typ, ok := strings.Cut(on, " in "); ok && len(uuid) == uuidLen {
		return feed.ArticleObject(uuid, typ)
	}
	return feed.Object{Name: on}
}

// Audit returns up to limit entries before the one with the id before ("" for the newest), newest first.
func (s *Store) Audit(ctx context.Context, before string, limit int) ([]feed.AuditEntry, error) {
	records, err := core.Records(s.db.Do(ctx, group, "XREVRANGE", s.keys.log(), core.Before(before), "-", "COUNT", limit))
	all := make([]feed.AuditEntry, len(records))
	for i, r := range records {
		e := &all[i]
		e.ID = r.ID
		fields.Read(r.Fields, e)
		e.Before, e.After = currentState(e.Before), currentState(e.After)
		if on := r.Fields["on"]; on != "" {
			e.Object = objectFrom(on)
		}
	}
	return all, core.Wrap(err, "read the audit log")
}

// Bounds of a search of Decisions.
const (
	searchedAtOnce = 1000  // entries that are read together
	searchedMost   = 20000 // entries
)

// Decisions returns up to limit entries of some actions before the one with the id before ("" for the newest), newest first, and where older
// ones follow; "": there are none. It returns fewer if they are rare, because it searches a part of the log.
func (s *Store) Decisions(ctx context.Context, actions []string, before string, limit int) (all []feed.AuditEntry, next string, err error) {
	for range searchedMost / searchedAtOnce {
		entries, err := s.Audit(ctx, before, searchedAtOnce)
		if err != nil {
			return nil, "", err
		}
		for i := range entries {
			if before = entries[i].ID; !slices.Contains(actions, entries[i].Action) {
				continue
			}
			if all = append(all, entries[i]); len(all) == limit {
				return all, before, nil
			}
		}
		if len(entries) < searchedAtOnce {
			return all, "", nil
		}
	}
	return all, before, nil
}

// erasedAtOnce bounds how many entries EraseFromAudit copies in one script.
const erasedAtOnce = 200

// EraseFromAudit replaces the names of removed accounts by their numbers, in the audit log and in the histories of the articles that it
// names. It removes their addresses, and the names of their tokens and posts. It is safe to repeat.
func (s *Store) EraseFromAudit(ctx context.Context, accounts []int64) error {
	if len(accounts) == 0 {
		return nil
	}
	args := []any{s.keys.articles(), erasedAtOnce}
	for _, id := range accounts {
		args = append(args, id)
	}
	for done := false; !done; {
		var err error
		done, err = redis.Bool(s.db.Run(ctx, s.scripts["erase_audit"], []any{s.keys.log(), s.keys.copied()}, args))
		if err != nil {
			return core.Wrap(err, "erase accounts from the audit log")
		}
	}
	return nil
}

// TrimAudit removes entries older than keep, and returns how many.
func (s *Store) TrimAudit(ctx context.Context, keep time.Duration) (int, error) {
	floor := strconv.FormatInt(s.db.Now().Add(-keep).UnixMilli(), 10) + "-0"
	n, err := redis.Int(s.db.Do(ctx, group, "XTRIM", s.keys.log(), "MINID", floor))
	return n, core.Wrap(err, "trim the audit log")
}

// currentState is the present name of an article state that an entry of layout 1 may have.
func currentState(word string) string {
	switch word {
	case "known":
		return string(feed.StateUnpublished)
	case "taken_back":
		return string(feed.StateWithdrawn)
	}
	return word
}
