package desk_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// fakeSign keeps the promises of desk.SignStore in memory, sign-ins waiting after five. err, when set, is what every method
// returns.
type fakeSign struct {
	mu       sync.Mutex
	err      error
	now      func() time.Time
	accounts map[string]feed.Account
	links    map[string]string
	sessions map[string]feed.Session
	kept     map[string]feed.Token
	attempts map[string]int
	log      []feed.AuditEntry // oldest first
}

func newFakeSign() *fakeSign {
	return &fakeSign{
		now: func() time.Time { return noon }, accounts: map[string]feed.Account{}, links: map[string]string{}, sessions: map[string]feed.Session{},
		kept: map[string]feed.Token{}, attempts: map[string]int{},
	}
}

func (f *fakeSign) lock() func() { f.mu.Lock(); return f.mu.Unlock }

func (f *fakeSign) Accounts(context.Context) ([]feed.Account, error) {
	defer f.lock()()
	return slices.SortedFunc(maps.Values(f.accounts), func(a, b feed.Account) int { return cmp.Compare(a.Name, b.Name) }), f.err
}

func (f *fakeSign) Account(_ context.Context, name string) (feed.Account, error) {
	defer f.lock()()
	return found(f, f.accounts, name)
}

// found is what a map holds, or the error of a store that does not.
func found[T any](f *fakeSign, all map[string]T, key string) (T, error) {
	v, ok := all[key]
	if f.err == nil && !ok {
		return v, fmt.Errorf("%q: %w", key, feed.ErrNotFound)
	}
	return v, f.err
}

func (f *fakeSign) AddAccount(_ context.Context, a feed.Account) error {
	defer f.lock()()
	if _, ok := f.accounts[a.Name]; ok {
		return fmt.Errorf("account %s: %w", a.Name, feed.ErrExists)
	}
	f.accounts[a.Name] = a
	return f.err
}

func (f *fakeSign) ChangeAccount(_ context.Context, name string, c feed.AccountChange) error {
	defer f.lock()()
	a, err := found(f, f.accounts, name)
	if err != nil {
		return err
	}
	if c.Role != nil {
		a.Role = *c.Role
	}
	if c.Disabled != nil {
		a.Disabled = *c.Disabled
	}
	if c.Password != nil {
		a.Password = *c.Password
	}
	if c.LastSignIn != nil {
		a.LastSignIn = *c.LastSignIn
	}
	if c.EndSessions {
		a.Generation++
	}
	f.accounts[name] = a
	return nil
}

func (f *fakeSign) AddLink(_ context.Context, sum, account string) error {
	defer f.lock()()
	f.links[sum] = account
	return f.err
}

func (f *fakeSign) Link(_ context.Context, sum string) (string, error) {
	defer f.lock()()
	name, err := found(f, f.links, sum)
	if err == nil && name == "" && len(f.accounts) > 0 {
		err = feed.ErrNotFound
	}
	return name, err
}

func (f *fakeSign) UseLink(_ context.Context, sum, name, password string) error {
	defer f.lock()()
	whose, err := found(f, f.links, sum)
	a, known := f.accounts[name]
	switch {
	case err != nil:
		return err
	case whose == "" && len(f.accounts) == 0:
		a = feed.Account{Name: name, Role: feed.RoleAdmin, Created: f.now()}
	case whose != name || !known:
		return feed.ErrNotFound
	}
	a.Password = password
	a.Generation++
	f.accounts[name] = a
	delete(f.links, sum)
	return nil
}

func (f *fakeSign) CountAttempt(_ context.Context, address, _ string) (time.Duration, error) {
	defer f.lock()()
	if f.attempts[address] >= 5 {
		return 90 * time.Second, f.err
	}
	f.attempts[address]++
	return 0, f.err
}

func (f *fakeSign) ForgiveAttempt(_ context.Context, address, _ string) error {
	defer f.lock()()
	f.attempts[address]--
	return f.err
}

func (f *fakeSign) AddSession(_ context.Context, s feed.Session) error {
	defer f.lock()()
	f.sessions[s.Sum] = s
	return f.err
}

func (f *fakeSign) Session(_ context.Context, sum, account string) (feed.Session, feed.Account, error) {
	defer f.lock()()
	s, err := found(f, f.sessions, sum)
	if err != nil {
		return s, feed.Account{}, err
	}
	a, err := found(f, f.accounts, account)
	return s, a, err
}

func (f *fakeSign) TouchSession(_ context.Context, sum string) error {
	defer f.lock()()
	if s, ok := f.sessions[sum]; ok {
		s.Seen = f.now()
		f.sessions[sum] = s
	}
	return f.err
}

func (f *fakeSign) EndSession(_ context.Context, sum, _ string) error {
	defer f.lock()()
	delete(f.sessions, sum)
	return f.err
}

func (f *fakeSign) Sessions(_ context.Context, account string) (all []feed.Session, err error) {
	defer f.lock()()
	a := f.accounts[account]
	for _, s := range f.sessions {
		if s.Valid(&a, f.now()) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b feed.Session) int { return strings.Compare(a.Sum, b.Sum) })
	return all, f.err
}

func (f *fakeSign) AddToken(_ context.Context, t feed.Token) error {
	defer f.lock()()
	f.kept[t.ID] = t
	return f.err
}

func (f *fakeSign) Token(_ context.Context, id string) (feed.Token, error) {
	defer f.lock()()
	return found(f, f.kept, id)
}

func (f *fakeSign) Tokens(context.Context) ([]feed.Token, error) {
	defer f.lock()()
	return slices.SortedFunc(maps.Values(f.kept), func(a, b feed.Token) int { return cmp.Compare(a.ID, b.ID) }), f.err
}

func (f *fakeSign) UsedToken(_ context.Context, id string) error {
	defer f.lock()()
	t := f.kept[id]
	t.LastUsed = f.now()
	f.kept[id] = t
	return f.err
}

func (f *fakeSign) RemoveToken(_ context.Context, id string) error {
	defer f.lock()()
	delete(f.kept, id)
	return f.err
}

func (f *fakeSign) AddAudit(_ context.Context, entries ...feed.AuditEntry) error {
	defer f.lock()()
	for _, e := range entries {
		e.ID = fmt.Sprintf("%d-0", len(f.log)+1)
		f.log = append(f.log, e)
	}
	return f.err
}

func (f *fakeSign) Audit(_ context.Context, before string, limit int) (all []feed.AuditEntry, err error) {
	defer f.lock()()
	for _, e := range slices.Backward(f.log) {
		if (before == "" || len(e.ID) < len(before) || len(e.ID) == len(before) && e.ID < before) && len(all) < limit {
			all = append(all, e)
		}
	}
	return all, f.err
}
