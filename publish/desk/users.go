package desk

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// User is an account as the API answers it.
type User struct {
	feed.Account
	Link        string    `json:"link,omitempty"`        // by which a password is chosen, once; only where one was just made
	LinkExpires time.Time `json:"link_expires,omitzero"` // when it ends
}

// FirstLink makes a one-time link by which the first admin chooses name and password; empty: there are accounts.
func (d *Desk) FirstLink(ctx context.Context) (string, error) {
	accounts, err := d.signs.Accounts(ctx)
	if err != nil || len(accounts) > 0 {
		return "", err
	}
	return d.newLink(ctx, "")
}

// newLink makes a one-time link for an account, or for the first one.
func (d *Desk) newLink(ctx context.Context, account string) (string, error) {
	secret := newSecret()
	if err := d.signs.AddLink(ctx, feed.SecretSum(secret), account); err != nil {
		return "", err
	}
	return d.opts.PublicURL + "/welcome?once=" + secret, nil
}

// newUser adds an account without a password, and a link by which that is chosen.
func (d *Desk) newUser(r *http.Request, name string, role feed.Role) (User, error) {
	var u User
	name, err := feed.CheckName(name)
	if err != nil {
		return u, wrong("name", err.Error())
	}
	if err := checkRole(role); err != nil {
		return u, err
	}
	u.Account = feed.Account{Name: name, Role: role, Created: d.opts.Now().UTC()}
	if err := d.signs.AddAccount(r.Context(), u.Account); err != nil {
		return u, err
	}
	about(r, name, "", string(role))
	return d.withLink(r.Context(), u)
}

func checkRole(role feed.Role) error {
	if !slices.Contains(feed.Roles(), role) {
		return wrong("role", "use reader, editor or admin")
	}
	return nil
}

func (d *Desk) withLink(ctx context.Context, u User) (User, error) {
	link, err := d.newLink(ctx, u.Name)
	u.Link, u.LinkExpires = link, d.opts.Now().UTC().Add(feed.LinkLife)
	return u, err
}

// changeUser changes the account of the path, but never the last admin into somebody who is none.
func (d *Desk) changeUser(r *http.Request, change feed.AccountChange) (User, error) {
	a, err := d.signs.Account(r.Context(), r.PathValue("name"))
	if err != nil {
		return User{}, err
	}
	after := a
	if change.Role != nil {
		after.Role = *change.Role
	}
	if change.Disabled != nil {
		after.Disabled = *change.Disabled
	}
	if isAdmin(&a) && !isAdmin(&after) {
		all, err := d.signs.Accounts(r.Context())
		if err != nil {
			return User{}, err
		}
		if !slices.ContainsFunc(all, func(o feed.Account) bool { return o.Name != a.Name && isAdmin(&o) }) {
			return User{}, fmt.Errorf("%s is the last admin; make another one first: %w", a.Name, feed.ErrConflict)
		}
	}
	if err := d.signs.ChangeAccount(r.Context(), a.Name, change); err != nil {
		return User{}, err
	}
	about(r, a.Name, standing(&a), standing(&after))
	return User{Account: after}, nil
}

func isAdmin(a *feed.Account) bool { return a.Role == feed.RoleAdmin && !a.Disabled }

// standing is what an account may do, for the audit log.
func standing(a *feed.Account) string {
	if a.Disabled {
		return string(a.Role) + ", disabled"
	}
	return string(a.Role)
}

func (d *Desk) listUsers(w http.ResponseWriter, r *http.Request) error {
	accounts, err := d.signs.Accounts(r.Context())
	if err != nil {
		return err
	}
	page, err := pieceOf(r, accounts, func(a feed.Account) string { return a.Name })
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, page)
	return nil
}

func (d *Desk) addUser(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name string    `json:"name"`
		Role feed.Role `json:"role"`
	}
	if err := decode(w, r, &body); err != nil {
		return err
	}
	u, err := d.newUser(r, body.Name, body.Role)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, u)
	return nil
}

func (d *Desk) changeRole(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Role feed.Role `json:"role"`
	}
	if err := decode(w, r, &body); err != nil {
		return err
	}
	return d.answerUser(w, r, body.Role, d.setRole)
}

func (d *Desk) setRole(r *http.Request, role feed.Role) (User, error) {
	if err := checkRole(role); err != nil {
		return User{}, err
	}
	return d.changeUser(r, feed.AccountChange{Role: &role})
}

func (d *Desk) disableUser(w http.ResponseWriter, r *http.Request) error {
	return d.answerUser(w, r, "", d.disable)
}

// disable also ends the sessions, lest they come to life again with the account.
func (d *Desk) disable(r *http.Request, _ feed.Role) (User, error) {
	yes := true
	return d.changeUser(r, feed.AccountChange{Disabled: &yes, EndSessions: true})
}

func (d *Desk) enableUser(w http.ResponseWriter, r *http.Request) error {
	return d.answerUser(w, r, "", d.enable)
}

func (d *Desk) enable(r *http.Request, _ feed.Role) (User, error) {
	no := false
	return d.changeUser(r, feed.AccountChange{Disabled: &no})
}

func (d *Desk) resetUser(w http.ResponseWriter, r *http.Request) error {
	return d.answerUser(w, r, "", d.reset)
}

// reset makes a link by which a new password is chosen. Until that is done the old one holds.
func (d *Desk) reset(r *http.Request, _ feed.Role) (User, error) {
	a, err := d.signs.Account(r.Context(), r.PathValue("name"))
	if err != nil {
		return User{}, err
	}
	about(r, a.Name, "", "")
	return d.withLink(r.Context(), User{Account: a})
}

// answerUser does something with the account of the path, and answers with it.
func (d *Desk) answerUser(
	w http.ResponseWriter, r *http.Request, role feed.Role, do func(*http.Request, feed.Role) (User, error),
) error {
	u, err := do(r, role)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, u)
	return nil
}
