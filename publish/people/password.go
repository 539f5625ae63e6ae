package people

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // to recognise passwords of Lamer News, which are stored anew when they are right
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/feedwire/feedwire/publish/strength"
	"github.com/feedwire/feedwire/store/feed"
)

// MinPassword is the least number of characters of a password.
const MinPassword = strength.MinPassword

// defaultRounds of PBKDF2-HMAC-SHA256: what OWASP's Password Storage Cheat Sheet asks for.
const defaultRounds = 600_000

// Passwords of Lamer News are PBKDF2-HMAC-SHA1 with these parameters.
const (
	lamerRounds = 1000
	lamerSum    = 20 // bytes
)

// matches reports whether a password of a client has a hash. Without a hash it takes the same time. current is false for a hash in
// the form of an older version or of Lamer News: the caller stores it anew.
func (p *People) matches(ctx context.Context, client string, stored feed.PasswordHash, password string) (ok, current bool, err error) {
	done, err := p.opts.Work(ctx, client)
	if err != nil {
		return false, false, err
	}
	defer done()
	tooLong := len(password) > strength.MaxPassword
	password = password[:min(strength.MaxPassword, len(password))]
	if strings.HasPrefix(stored.Sum, "$2") {
		err = bcrypt.CompareHashAndPassword([]byte(stored.Sum), []byte(password))
		if err != nil && !errors.Is(err, bcrypt.ErrMismatchedHashAndPassword) {
			return false, false, fmt.Errorf("compare a password: %w", err)
		}
		return err == nil && !tooLong, false, nil
	}
	sum := derive(sha256.New, password, stored.Salt, p.opts.Rounds, sha256.Size)
	current = len(stored.Sum) != 2*lamerSum
	if !current { // after the slow one, so that it takes no less time than others
		sum = derive(sha1.New, password, stored.Salt, lamerRounds, lamerSum)
	}
	return subtle.ConstantTimeCompare([]byte(sum), []byte(stored.Sum)) == 1 && !tooLong, current, nil
}

// derive returns the key that PBKDF2 (RFC 8018 section 5.2) derives from a password, in hexadecimal. The text of the salt is the salt.
func derive[H hash.Hash](h func() H, password, salt string, rounds, size int) string {
	key, err := pbkdf2.Key(h, password, []byte(salt), rounds, size)
	if err != nil {
		panic(err) // the parameters are our own
	}
	return hex.EncodeToString(key)
}

// hash returns what is stored of a password of a client, which is empty for people who are signed in.
func (p *People) hash(ctx context.Context, client, password string) (feed.PasswordHash, error) {
	done, err := p.opts.Work(ctx, client)
	if err != nil {
		return feed.PasswordHash{}, err
	}
	defer done()
	salt := rand.Text()
	return feed.PasswordHash{Sum: derive(sha256.New, password, salt, p.opts.Rounds, sha256.Size), Salt: salt}, nil
}

// choose checks a new password and its repetition and returns what is stored of it.
func (p *People) choose(ctx context.Context, name, password, again string) (feed.PasswordHash, error) {
	if err := checkChoice(name, password, again); err != nil {
		return feed.PasswordHash{}, err
	}
	return p.hash(ctx, "", password)
}

// checkChoice checks a new password of an account and its repetition.
func checkChoice(name, password, again string) error {
	if password != again {
		return feed.Invalid("again", "the two passwords differ")
	}
	return strength.CheckPassword(password, name)
}
