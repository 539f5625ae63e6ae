package feed

import (
	"errors"
	"time"
)

// MailKind is what a mail to the owner of an account is about.
type MailKind string

// Kinds of mail.
const (
	MailReset   MailKind = "reset"   // a link to choose another password
	MailChanged MailKind = "changed" // the password was changed
)

// Times of mails.
const (
	MailLife   = time.Hour      // a mail that no server has accepted until then is given up
	MailRetry  = time.Minute    // after which a mail is sent again, unless a server accepted it
	ResetPause = 24 * time.Hour // between two requests of an account for a link
)

// MailsADay is how many mails an address gets in a day. Anyone can enter the address of someone else.
const MailsADay = 10

// Mail is a mail that waits to be sent.
type Mail struct {
	Kind      MailKind
	AccountID int64
	Requested time.Time
}

// ErrMailRefused reports that a mail server refuses a mail for good.
var ErrMailRefused = errors.New("the mail server refuses the mail")
