package people

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// mailPoll is how often People looks for mails that another daemon left, or that a server did not accept.
const mailPoll = 10 * time.Second

// SendsMail reports whether people get mail here.
func (p *People) SendsMail() bool { return p.opts.Mail != nil }

// RequestReset makes a mail with a link to choose another password go to an account that has this name and this address, within its limits.
// Response and duration are the same for all others: RunMails does the rest. feed.ErrConflict: no mail is sent here. *feed.QuotaError: too many
// requests came from the network of the client.
func (p *People) RequestReset(r *http.Request, name, email string) error {
	if !p.SendsMail() {
		return fmt.Errorf("no mail is sent here; ask an admin for a one-time link: %w", feed.ErrConflict)
	}
	name, _ = feed.CheckName(name) // empty: no account has it
	err := p.store.RequestReset(r.Context(), name, email[:min(len(email), feed.MaxEmail)], feed.ClientNetwork(p.client(r)))
	if err == nil {
		p.wakeMails()
	}
	return err
}

// wakeMails makes RunMails look for a mail.
func (p *People) wakeMails() {
	select {
	case p.mailDue <- struct{}{}:
	default:
	}
}

// RunMails calls SendMails when a mail is due, until ctx ends.
func (p *People) RunMails(ctx context.Context) error {
	if !p.SendsMail() {
		return nil
	}
	tick := time.NewTicker(mailPoll)
	defer tick.Stop()
	for {
		if err := p.SendMails(ctx); err != nil && ctx.Err() == nil {
			p.opts.Logger.Warn("mails wait for the store", "err", err)
		}
		select {
		case <-p.mailDue:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// SendMails sends the mails that are due. A mail that was sent before the daemon was killed may be sent again, with another link. The error is that of
// the store.
func (p *People) SendMails(ctx context.Context) error {
	for {
		if found, err := p.sendMail(ctx); err != nil || !found {
			return err
		}
	}
}

// sendMail sends the mail that is due first, and reports whether there was one. The error is that of the store.
func (p *People) sendMail(ctx context.Context) (found bool, err error) {
	m, ok, err := p.store.ClaimMail(ctx)
	if err != nil || !ok {
		return false, err
	}
	a, err := p.store.AccountByID(ctx, m.AccountID)
	if errors.Is(err, feed.ErrNotFound) || err == nil && a.Disabled {
		return true, p.store.FinishMail(ctx, m, false)
	}
	if err != nil {
		return true, err
	}
	profile, err := p.store.Profile(ctx, a.ID)
	if err != nil {
		return true, err
	}
	sending, err := p.deliver(ctx, &m, &a, profile.Email)
	if err != nil {
		return true, err
	}
	return true, p.finishMail(ctx, m, &a, sending)
}

// deliver sends a mail to an address, and returns why it was not sent. The error is that of the store.
func (p *People) deliver(ctx context.Context, m *feed.Mail, a *feed.Account, email string) (failed, err error) {
	if email == "" {
		return fmt.Errorf("%w: the account has no address", feed.ErrMailRefused), nil
	}
	sent, err := p.store.MailsTo(ctx, email)
	if err != nil {
		return nil, err
	}
	if sent >= feed.MailsADay {
		return fmt.Errorf("%w: the address got %d mails in a day", feed.ErrMailRefused, sent), nil
	}
	subject, text, err := p.compose(ctx, m, a)
	if err != nil {
		return nil, err
	}
	if failed := p.opts.Mail(ctx, email, subject, text); failed != nil {
		return failed, nil
	}
	return nil, p.store.CountMail(ctx, email)
}

// finishMail counts the result of sending a mail. A mail that failed stays in the queue until it is too old.
func (p *People) finishMail(ctx context.Context, m feed.Mail, a *feed.Account, sending error) error {
	late := p.opts.Now().Sub(m.Requested) >= feed.MailLife
	result := mailFailed
	switch {
	case sending == nil:
		result = mailSent
	case errors.Is(sending, feed.ErrMailRefused):
		result = mailRefused
	}
	p.mails.WithLabelValues(string(m.Kind), result).Inc()
	if sending != nil {
		p.opts.Logger.Warn("mail not sent", "kind", m.Kind, "account", a.ID, "given_up", late || result == mailRefused, "err", sending)
	}
	if result == mailFailed && !late {
		return nil
	}
	return p.store.FinishMail(ctx, m, result == mailFailed)
}

// compose returns the subject and the text of a mail. A link is made for it.
func (p *People) compose(ctx context.Context, m *feed.Mail, a *feed.Account) (subject, text string, err error) {
	if m.Kind == feed.MailChanged {
		return "Your password was changed", fmt.Sprintf(changedText, a.Name, p.opts.PublicURL, m.Requested.Format("2 January 2006 at 15:04 MST")), nil
	}
	link, err := p.newLink(ctx, a.Name)
	return "Choose another password", fmt.Sprintf(resetText, a.Name, p.opts.PublicURL, link), err
}

const resetText = `Hello %s,

someone requested a link to choose another password for your account at
%s

The link works once, within an hour:

%s

Your password does not change before you use the link. If you did not request
it, ignore this mail.
`

const changedText = `Hello %[1]s,

the password of your account at
%[2]s
was changed on %[3]s. All its sessions have ended. Your app
passwords and API tokens are still valid; revoke those that you do not know:

%[2]s/account

If you did not change the password, request another one, or tell an admin:

%[2]s/reset-password
`
