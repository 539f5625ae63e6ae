package users_test

import (
	"crypto/pbkdf2"
	"crypto/sha1"
	"encoding/hex"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestPasswordInAnOldFormIsStoredAnewAtSignIn(t *testing.T) {
	ofBcrypt, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	ofLamer, err := pbkdf2.Key(sha1.New, password, []byte("9f3a"), 1000, 20)
	if err != nil {
		t.Fatal(err)
	}
	for form, stored := range map[string]feed.PasswordHash{
		"bcrypt":     {Sum: string(ofBcrypt)},
		"Lamer News": {Sum: hex.EncodeToString(ofLamer), Salt: "9f3a"},
		"current":    webtest.PasswordHash(password),
	} {
		t.Run(form, func(t *testing.T) {
			o := newOffice(t)
			o.addAccount(feed.Account{Name: "ann", Role: feed.RoleAdmin, Password: stored})
			o.browser().signIn("ann", password+"!")
			if got := o.account("ann").Password; got != stored || len(o.sessions("ann")) != 0 {
				t.Errorf("after a wrong password %+v is stored", got)
			}
			for range 2 {
				o.browser().signIn("ann", password)
				if got := o.account("ann").Password; len(got.Sum) != 64 || got.Salt == "" || (got == stored) != (form == "current") {
					t.Errorf("stored is %+v", got)
				}
			}
			if n := len(o.sessions("ann")); n != 2 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}
