package people

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/feedwire/feedwire/store/feed"
)

const defaultCost = 12 // of bcrypt: 0.2 s or more

// matches reports whether a password of a client has a hash. Without a hash it takes the same time.
func (p *People) matches(ctx context.Context, client, hash, password string) (bool, error) {
	done, err := p.opts.Work(ctx, client)
	if err != nil {
		return false, err
	}
	defer done()
	known := hash != ""
	if !known { // salt and sum of no password
		hash = fmt.Sprintf("$2a$%02d$%s", p.opts.Cost, strings.Repeat("a", 22)+strings.Repeat("b", 31))
	}
	tooLong := len(password) > feed.MaxPassword
	err = bcrypt.CompareHashAndPassword([]byte(hash), []byte(password[:min(feed.MaxPassword, len(password))]))
	switch {
	case err == nil:
		return known && !tooLong, nil
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword):
		return false, nil
	}
	return false, fmt.Errorf("compare a password: %w", err)
}

// hash returns the bcrypt hash of a password.
func (p *People) hash(ctx context.Context, password string) (string, error) {
	done, err := p.opts.Work(ctx, "")
	if err != nil {
		return "", err
	}
	defer done()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), p.opts.Cost)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return string(hash), nil
}

// choose checks a new password and its repetition and returns its hash.
func (p *People) choose(ctx context.Context, name, password, again string) (string, error) {
	if password != again {
		return "", feed.Invalid("again", "the two passwords differ")
	}
	if err := feed.CheckPassword(password, name); err != nil {
		return "", err
	}
	return p.hash(ctx, password)
}
