package people

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of requests for a link by mail.
const (
	resetsFrom = 10 // a network
	resetsTTL  = time.Hour
	mailsTTL   = 2 * feed.MailLife
	mailDay    = 24 * time.Hour
)

// RequestReset queues a mail with a link to choose another password, if an account has this name and this address of mail, is not disabled, and
// has not requested one for feed.ResetPause. It does not tell whether that is so. *feed.QuotaError: too many requests came from the network.
func (s *Store) RequestReset(ctx context.Context, name, email, network string) error {
	k := s.keys
	wait, err := redis.Int64(s.db.Run(ctx, s.scripts["request_reset"], []any{k.idOf(name), k.mails(), k.resetsFrom(network)}, []any{
		k.users(), strings.ToLower(email), s.db.Seconds(), int(feed.ResetPause / time.Second), int(mailsTTL / time.Second),
		resetsFrom, int(resetsTTL / time.Second),
	}))
	if err == nil && wait > 0 {
		err = &feed.QuotaError{
			Reason: fmt.Sprintf("your network has requested %d links in an hour", resetsFrom), Wait: time.Duration(wait) * time.Second,
		}
	}
	return core.Wrap(err, "request a link by mail")
}

// noticeTTL returns the TTL of the queue for a script that changes a password; 0: no notice is queued.
func noticeTTL(notify bool) int {
	if !notify {
		return 0
	}
	return int(mailsTTL / time.Second)
}

// ClaimMail returns a mail to send, or false if none is due. It is due again after feed.MailRetry, unless FinishMail is called.
func (s *Store) ClaimMail(ctx context.Context) (m feed.Mail, ok bool, err error) {
	text, err := redis.String(s.db.Run(ctx, s.scripts["claim_mail"], []any{s.keys.mails()},
		[]any{s.db.Seconds(), int(feed.MailRetry / time.Second)}))
	if err != nil || text == "" {
		return m, false, core.Wrap(err, "claim a mail")
	}
	kind, rest, _ := strings.Cut(text, ":")
	id, requested, _ := strings.Cut(rest, ":")
	m.Kind = feed.MailKind(kind)
	m.AccountID, _ = strconv.ParseInt(id, 10, 64) // 0: another program wrote it, and no account has it
	m.Requested = feed.ParseTime(requested)
	return m, true, nil
}

// MailsTo returns how many mails were sent to an address in a day.
func (s *Store) MailsTo(ctx context.Context, email string) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "GET", s.keys.mailsTo(email)))
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return n, core.Wrap(err, "count mails")
}

// CountMail counts a mail that was sent to an address.
func (s *Store) CountMail(ctx context.Context, email string) error {
	_, err := s.db.Run(ctx, s.scripts["count_mail"], []any{s.keys.mailsTo(email)}, []any{int(mailDay / time.Second)})
	return core.Wrap(err, "count a mail")
}

// FinishMail removes a mail from the queue. If a request for a link is given up, the account may request another one at once.
func (s *Store) FinishMail(ctx context.Context, m feed.Mail, givenUp bool) error {
	requested := feed.FormatTime(m.Requested)
	_, err := s.db.Run(ctx, s.scripts["finish_mail"], []any{s.keys.mails(), s.keys.user(m.AccountID)},
		[]any{fmt.Sprintf("%s:%d:%s", m.Kind, m.AccountID, requested), core.Bit(givenUp && m.Kind == feed.MailReset), requested})
	return core.Wrap(err, "finish a mail")
}
