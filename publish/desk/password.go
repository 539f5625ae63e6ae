package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	defaultCost = 12              // of bcrypt: a fifth of a second and more
	maxHashing  = 2               // at a time, so that sign-ins leave the daemon room for its work
	hashingWait = 5 * time.Second // for others, before a sign-in is turned away
)

// hashSlot waits for its turn to compare or hash a password. feed.ErrUnavailable: too many are under way.
func (d *Desk) hashSlot(ctx context.Context) (done func(), err error) {
	wait := time.NewTimer(hashingWait)
	defer wait.Stop()
	select {
	case d.hashing <- struct{}{}:
		return func() { <-d.hashing }, nil
	case <-wait.C:
		return nil, fmt.Errorf("too many passwords are compared at a time: %w", feed.ErrUnavailable)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// matches reports whether a password is that of a hash. Where there is no hash it takes as long.
func (d *Desk) matches(ctx context.Context, hash, password string) (bool, error) {
	done, err := d.hashSlot(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	known := hash != ""
	if !known { // salt and sum of nothing
		hash = fmt.Sprintf("$2a$%02d$%s", d.opts.SignIn.Cost, strings.Repeat("a", 22)+strings.Repeat("b", 31))
	}
	tooLong := len(password) > feed.MaxPassword
	err = bcrypt.CompareHashAndPassword([]byte(hash), []byte(cutTo(password, feed.MaxPassword)))
	switch {
	case err == nil:
		return known && !tooLong, nil
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword):
		return false, nil
	}
	return false, fmt.Errorf("compare a password: %w", err)
}

// hash is what is kept of a password that was chosen.
func (d *Desk) hash(ctx context.Context, password string) (string, error) {
	done, err := d.hashSlot(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), d.opts.SignIn.Cost)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return string(hash), nil
}

// chosen checks a password that was chosen, given twice, and hashes it.
func (d *Desk) chosen(ctx context.Context, name, password, again string) (string, error) {
	if password != again {
		return "", wrong("again", "the two passwords differ")
	}
	if err := feed.CheckPassword(password, name); err != nil {
		return "", err
	}
	return d.hash(ctx, password)
}
