package feed

import (
	"cmp"
	"time"
)

// AuditEntry is one change by a person or by a program.
type AuditEntry struct {
	ID   string    `json:"id"` // rising with time
	Time time.Time `json:"time" redis:"time"`
	Who  string    `json:"who" redis:"who"` // "ann", "token nightly", "the daemon's token", "removed account 5"
	// Account is the number of the account of Who, or of the creator of its token; 0: there is none, or the entry is of an older version.
	Account int64  `json:"account,omitempty" redis:"account"`
	Action  string `json:"action" redis:"action"` // "article_publish"
	Object  Object `json:"object,omitzero"`
	Before  string `json:"before,omitempty" redis:"before"`
	After   string `json:"after,omitempty" redis:"after"`
	Reason  string `json:"reason,omitempty" redis:"reason"` // that a moderator gave for a decision
	From    string `json:"from" redis:"from"`               // address of the client
}

// Object is what a change was about.
type Object struct {
	Kind string `json:"kind,omitempty" redis:"kind"` // one of the Object constants; empty in entries of older versions
	ID   string `json:"id,omitempty" redis:"id"`
	Name string `json:"name,omitempty" redis:"name"` // for people; empty: the ID is its name
	Feed string `json:"feed,omitempty" redis:"feed"` // outgoing feed in which an article changed
	// Account is the number of the account that the object is, or that it belongs to; 0: to none.
	Account int64 `json:"account,omitempty" redis:"about"`
}

// Kinds of objects.
const (
	ObjectArticle      = "article"
	ObjectSource       = "source"
	ObjectImport       = "import"
	ObjectSubscription = "subscription"
	ObjectDeadLetter   = "dead_letter"
	ObjectAccount      = "account"
	ObjectToken        = "token"
	ObjectEntry        = "entry"
	ObjectInvitation   = "invitation"
	ObjectSubmission   = "submission"
	ObjectComment      = "comment"
	ObjectList         = "list"
)

// String returns the object as people read it.
func (o Object) String() string {
	text := cmp.Or(o.Name, o.ID)
	if o.Feed != "" {
		text += " in " + o.Feed
	}
	return text
}

// ArticleObject returns an article in one outgoing feed.
func ArticleObject(uuid, typ string) Object { return Object{Kind: ObjectArticle, ID: uuid, Feed: typ} }

// SourceObject returns a source.
func SourceObject(s *Source) Object { return Object{Kind: ObjectSource, ID: s.ID, Name: s.URL} }

// EntryObject returns an entry.
func EntryObject(e *Entry) Object {
	return Object{Kind: ObjectEntry, ID: e.Number(), Name: cmp.Or(e.Title, e.GUID) + " in " + e.FeedURL, Account: MemberOf(e.FeedURL)}
}

// ReportedObject returns a submission or a comment on it.
func ReportedObject(o Reported) Object {
	if o.Comment == 0 {
		return Object{Kind: ObjectSubmission, ID: o.String(), Name: "submission " + o.String()}
	}
	return Object{Kind: ObjectComment, ID: o.String(), Name: "comment " + o.String()}
}

// ListObject returns a list.
func ListObject(name string) Object { return Object{Kind: ObjectList, ID: name} }

// SubscriptionObject returns a subscription without its callback.
func SubscriptionObject(s *Subscription) Object {
	return Object{Kind: ObjectSubscription, ID: s.ID, Name: s.Hint() + " to " + s.Topic}
}

// AccountObject returns an account.
func AccountObject(a *Account) Object {
	return Object{Kind: ObjectAccount, ID: a.Name, Account: a.ID}
}

// TokenObject returns a token of an account without its secret.
func TokenObject(t *Token, account int64) Object {
	return Object{Kind: ObjectToken, ID: t.ID, Name: t.Name, Account: account}
}

// InvitationObject returns an invitation without its secret.
func InvitationObject(i *Invitation) Object { return Object{Kind: ObjectInvitation, ID: i.ID} }
