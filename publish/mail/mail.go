// Package mail sends mail to people by an SMTP server.
//
// wneessen/go-mail speaks SMTP and writes the messages. This package bounds each exchange, and closes the connection in every case, which
// go-mail does not after a failed handshake. It connects only to the server that the operator names, which may be on a private network.
package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/feedwire/feedwire/store/feed"
)

// TLS is how the connection to a server is encrypted.
type TLS string

// Modes of TLS. A server without it is refused in the first two.
const (
	StartTLS TLS = "starttls" // after a greeting in plain text
	Implicit TLS = "tls"      // from the first byte
	NoTLS    TLS = "none"
)

// Options configure a Sender. Host, Port, From and TLS are required.
type Options struct {
	Host           string
	Port           int
	User, Password string // empty: without signing in
	From           string // "Harbour Talk <talk@example.org>"
	TLS            TLS
	Roots          *x509.CertPool // nil: those of the system
}

// Sender sends mail. It is safe for concurrent use. Create it with New.
type Sender struct {
	opts   Options
	domain string // of From
}

// exchangeTime bounds a connection, from dialling to its end. It is shorter than feed.MailRetry.
const exchangeTime = 30 * time.Second

// New returns a Sender. It does not connect. feed.ErrInvalid: From is no address.
func New(opts Options) (*Sender, error) {
	from, err := netmail.ParseAddress(opts.From)
	if err != nil {
		return nil, feed.Invalid("from", "use an address like talk@example.org")
	}
	return &Sender{opts, from.Address[strings.LastIndexByte(from.Address, '@')+1:]}, nil
}

// Send sends a plain text. feed.ErrMailRefused: the server refuses it for good. The error contains neither the text nor the address.
func (s *Sender) Send(ctx context.Context, to, subject, text string) error {
	m, err := s.message(to, subject, text)
	if err != nil {
		return fmt.Errorf("%w: %w", feed.ErrMailRefused, err)
	}
	return s.exchange(ctx, func(client *gomail.Client, server *smtp.Client) error {
		err := client.SendWithSMTPClient(server, m)
		failed, ok := errors.AsType[*gomail.SendError](err)
		switch {
		case !ok:
			return err
		case failed.ErrorCode() >= 500:
			return fmt.Errorf("%w: %s, status %d", feed.ErrMailRefused, failed.Reason, failed.ErrorCode())
		}
		return fmt.Errorf("%s, status %d", failed.Reason, failed.ErrorCode()) // its text names the recipient
	})
}

// Check connects to the server and signs in, as Send does.
func (s *Sender) Check(ctx context.Context) error {
	return s.exchange(ctx, func(*gomail.Client, *smtp.Client) error { return nil })
}

// message returns a message. The domain of From names it: the name of this machine concerns no one.
func (s *Sender) message(to, subject, text string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := errors.Join(m.From(s.opts.From), m.To(to)); err != nil {
		return nil, errors.New("an address cannot be used")
	}
	m.Subject(subject)
	m.SetDate()
	m.SetMessageIDWithValue(rand.Text() + "@" + s.domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic reply
	m.SetBodyString(gomail.TypeTextPlain, text)
	return m, nil
}

// exchange connects, signs in, and calls do.
func (s *Sender) exchange(ctx context.Context, do func(*gomail.Client, *smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, exchangeTime)
	defer cancel() // closes the connection
	client, err := gomail.NewClient(s.opts.Host, s.options(ctx)...)
	if err != nil {
		return err
	}
	server, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", client.ServerAddr(), err)
	}
	if err := do(client, server); err != nil {
		return err
	}
	_ = server.Quit() // the server has accepted everything
	return nil
}

// options returns the options of a client whose connection is closed when ctx ends.
func (s *Sender) options(ctx context.Context) []gomail.Option {
	secure := &tls.Config{ServerName: s.opts.Host, RootCAs: s.opts.Roots, MinVersion: tls.VersionTLS12}
	policy := gomail.NoTLS
	if s.opts.TLS == StartTLS {
		policy = gomail.TLSMandatory
	}
	all := []gomail.Option{
		gomail.WithPort(s.opts.Port), gomail.WithHELO(s.domain), gomail.WithTimeout(exchangeTime), gomail.WithTLSConfig(secure), gomail.WithTLSPolicy(policy),
		gomail.WithDialContextFunc(func(_ context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, func() { _ = c.Close() })
			if s.opts.TLS == Implicit {
				return tls.Client(c, secure), nil
			}
			return c, nil
		}),
	}
	if s.opts.User != "" {
		all = append(all, gomail.WithUsername(s.opts.User), gomail.WithPassword(s.opts.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return all
}
