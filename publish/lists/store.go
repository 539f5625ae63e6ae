package lists

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what lists need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now.
type Store interface {
	// Account returns the account with a name.
	Account(ctx context.Context, name string) (feed.Account, error)
	// Follows returns the follows of a user by feed URL; none for the user 0.
	Follows(ctx context.Context, user int64) ([]feed.Follow, error)
	// HeadlinesByID returns entries without content. Those that do not exist are left out.
	HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)

	// LabelsByID is HeadlinesByID with all authors, and with the categories.
	LabelsByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// NewestIDs returns the ids of up to limit entries of a source, newest first.
	NewestIDs(ctx context.Context, feedURL string, limit int) ([]string, error)
	// ListSources returns all sources.
	ListSources(ctx context.Context) ([]feed.Source, error)

	// CountVote counts a vote of a user. *feed.QuotaError: there were feed.MaxVotes in an hour.
	CountVote(ctx context.Context, user int64) error
	// Vote sets the vote of a user on an entry and returns the new score. feed.ErrInvalid: the vote; feed.ErrGone: the entry was taken down;
	// *feed.VotingClosedError: it is too old.
	Vote(ctx context.Context, e *feed.Entry, user int64, v feed.Vote) (feed.Score, error)
	// VoteAnonymously sets the vote of a network on an entry. feed.ErrForbidden: people do not vote without an account; feed.ErrConflict:
	// too many networks have voted on it; *feed.QuotaError: there were too many votes of the network; else as Vote.
	VoteAnonymously(ctx context.Context, e *feed.Entry, network string, v feed.Vote) (feed.Score, error)
	// VotingOpen reports whether users vote on an entry now.
	VotingOpen(e *feed.Entry) bool
	// SourcesByURL returns the sources with canonical URLs that exist.
	SourcesByURL(ctx context.Context, urls []string) ([]feed.Source, error)
	// Scores returns the scores of those of some entries that are in lists, by id, with the votes of a user; 0: no user.
	Scores(ctx context.Context, user int64, ids []string) (map[string]feed.Score, error)
	// VoteCounts returns the votes of all users on some entries, by id.
	VoteCounts(ctx context.Context, ids []string) (map[string]feed.VoteCounts, error)
	// WasTakenDown reports whether an entry was taken down.
	WasTakenDown(ctx context.Context, id string) (bool, error)

	// ListPlaces returns up to limit entries of a list after a cursor, best first, and whether more follow. The members are numbers of
	// entries. feed.ErrNotFound: there is no such list.
	ListPlaces(ctx context.Context, list string, after feed.Cursor, limit int) (places []feed.Cursor, more bool, err error)
	// ListedEntries reads up to limit places of a list after a cursor. It returns the entries at these places that exist, best first and without
	// content, the cursor of the last place, and whether more follow. feed.ErrNotFound: there is no such list.
	ListedEntries(ctx context.Context, list string, after feed.Cursor, limit int) (all []feed.Entry, last feed.Cursor, more bool, err error)
	// PublicEntries returns up to limit entries of a list after a cursor that anyone may see, best first and without content.
	// feed.ErrNotFound: there is no such list.
	PublicEntries(ctx context.Context, list string, after feed.Cursor, limit int) (feed.ListPage, error)
	// List returns the list with a name. feed.ErrNotFound: there is none.
	List(ctx context.Context, name string) (feed.EntryList, error)
	// ListsOf returns the names of the lists that editors arrange and that an entry is in.
	ListsOf(ctx context.Context, id string) ([]string, error)
	// SaveList creates a list that editors arrange, or changes its title and description, and reports whether something changed. Its Version is the
	// one that is replaced, feed.ListNew if the list must not exist, or empty for any. feed.ErrInvalid: the name, title or description;
	// feed.ErrChanged: the version is another one; feed.ErrConflict: a group has the name, or there are too many lists.
	SaveList(ctx context.Context, list feed.EntryList) (bool, error)
	// DeleteList deletes a list that editors arrange. An empty version stands for any, here and below. feed.ErrNotFound: there is no such
	// list; feed.ErrChanged: its version is another one.
	DeleteList(ctx context.Context, name, version string) error
	// PlaceInList adds an entry to a list that editors arrange, or moves it, and reports whether that changed something. feed.ErrInvalid: the
	// target; feed.ErrConflict: the list or the entry has too many, or the list does not have the entry that is to follow; feed.ErrGone: the
	// entry was taken down; else as DeleteList.
	PlaceInList(ctx context.Context, list string, e *feed.Entry, to feed.ListTarget, version string) (bool, error)
	// RemoveFromList removes an entry from a list that editors arrange, and reports whether it was in it. Errors as of DeleteList.
	RemoveFromList(ctx context.Context, list, id, version string) (bool, error)
	// Lists returns all lists, first those that are built in.
	Lists(ctx context.Context) ([]feed.EntryList, error)
	// Groups returns the names of all groups in alphabetical order.
	Groups(ctx context.Context) ([]string, error)
	// AddToGroup adds an entry to a group, which exists from then on. feed.ErrInvalid: the name; feed.ErrGone: the entry was taken down;
	// feed.ErrConflict: there are too many groups, or the entry has too many.
	AddToGroup(ctx context.Context, group string, e *feed.Entry) error
	// RemoveFromGroup reverts AddToGroup. It is a no-op if the entry is no member.
	RemoveFromGroup(ctx context.Context, group, id string) error
	// RemoveGroup removes a group. Its members stay in the other lists. feed.ErrNotFound: there is no such group.
	RemoveGroup(ctx context.Context, group string) error

	// FollowRules makes each entry a member of the groups whose rules select it, and removes it from those that it joined by rule and whose rules do
	// not select it now. What editors decided stays. It returns how many memberships there are too many groups for.
	FollowRules(ctx context.Context, all []feed.Selected) (refused int, err error)
	// RulesFollowed returns what SetRulesFollowed stored last; empty: nothing.
	RulesFollowed(ctx context.Context) (string, error)
	// SetRulesFollowed stores the digest of rules that all entries follow.
	SetRulesFollowed(ctx context.Context, digest string) error

	// RankEntry adds an entry to the lists by time and by score, unless it was taken down.
	RankEntry(ctx context.Context, e *feed.Entry) error
	// UpdateRanked stores the title and the link of an entry that was edited. It is a no-op if the entry is in no list.
	UpdateRanked(ctx context.Context, e *feed.Entry) error
	// RemoveRanked removes an entry that was taken down from all lists, with its votes, for ever.
	RemoveRanked(ctx context.Context, id string) error
	// ForgetRanked removes an entry that no longer exists from all lists, with its votes.
	ForgetRanked(ctx context.Context, id string) error

	// NextSignals returns up to limit signals without their posts for a consumer of a group. If there are none it waits for the first one.
	NextSignals(ctx context.Context, group, consumer string, limit int, wait time.Duration) ([]feed.Signal, error)
	// AckSignals acknowledges that a group has handled signals.
	AckSignals(ctx context.Context, group string, ids ...string) error
	// FailoverEpoch counts how often another server took over the data. It may not know the last writes.
	FailoverEpoch() uint64
}
