package mail_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/mail"
	"github.com/feedwire/feedwire/publish/mail/mailtest"
	"github.com/feedwire/feedwire/store/feed"
)

const secret = "s3cret-words"

// certified returns the configuration of a server with a certificate for 127.0.0.1, and the options of its clients.
func certified(t *testing.T) (*tls.Config, mail.Options) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server.TLS, mail.Options{
		Host: "127.0.0.1", TLS: mail.StartTLS, Roots: roots, User: "wire", Password: secret, From: "Harbour Talk <talk@example.org>",
	}
}

func sender(t *testing.T, opts mail.Options, s *mailtest.Server) *mail.Sender {
	t.Helper()
	opts.Port = s.Port
	sender, err := mail.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func TestMailIsSentEncryptedAndSignedIn(t *testing.T) {
	secure, opts := certified(t)
	s := mailtest.New(t, secure, "wire", secret)
	const text = "Grüße.\n.\nhttps://wire.example/welcome?once=abc-def=\n"
	if err := sender(t, opts, s).Send(t.Context(), "ann@example.org", "Hæfen", text); err != nil {
		t.Fatal(err)
	}
	got := <-s.Mails
	if got.To != "ann@example.org" || !got.TLS || !got.Login || strings.ReplaceAll(got.Text, "\r\n", "\n") != text {
		t.Errorf("got %+v", got)
	}
	for name, want := range map[string]string{"From": `"Harbour Talk" <talk@example.org>`, "To": "<ann@example.org>", "Auto-Submitted": "auto-generated"} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s is %s", name, value)
		}
	}
	if id := got.Header.Get("Message-ID"); !strings.HasSuffix(id, "@example.org>") {
		t.Errorf("the message is %s", id)
	}
}

func TestFailuresOfTheServerAreToldApart(t *testing.T) {
	secure, opts := certified(t)
	s := mailtest.New(t, secure, "wire", secret)
	plain := mailtest.New(t, nil, "", "")
	unknown, wrong := opts, opts
	unknown.Roots, wrong.Password = nil, "other"
	for _, tt := range []struct {
		what, reply string
		opts        mail.Options
		server      *mailtest.Server
		refused     bool
	}{
		{"for good", "550 no mailbox of ann@example.org", opts, s, true},
		{"for now", "451 ann@example.org later", opts, s, false},
		{"wrong password", "", wrong, s, false},
		{"unknown certificate", "", unknown, s, false},
		{"a server without TLS", "", opts, plain, false},
	} {
		s.Refuse(tt.reply)
		err := sender(t, tt.opts, tt.server).Send(t.Context(), "ann@example.org", "subject", "words")
		if err == nil || errors.Is(err, feed.ErrMailRefused) != tt.refused {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		for _, private := range []string{"ann@", "words", secret} {
			if strings.Contains(err.Error(), private) {
				t.Errorf("%s: the error contains %s: %v", tt.what, private, err)
			}
		}
	}
	if len(s.Mails)+len(plain.Mails) > 0 {
		t.Error("a mail was accepted")
	}
}

func TestMailGoesToAServerInEachModeOfTLS(t *testing.T) {
	secure, opts := certified(t)
	opts.User, opts.Password = "", ""
	plain := mailtest.New(t, nil, "", "")
	opts.TLS = mail.NoTLS
	if err := sender(t, opts, plain).Send(t.Context(), "ann@example.org", "subject", "words"); err != nil {
		t.Error(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", secure)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	greeted := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			err = c.(*tls.Conn).Handshake()
			_ = c.Close()
		}
		greeted <- err
	}()
	opts.TLS, opts.Port = mail.Implicit, l.Addr().(*net.TCPAddr).Port
	implicit, err := mail.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := implicit.Check(t.Context()); err == nil {
		t.Error("a server that closed the connection passes")
	}
	if err := <-greeted; err != nil {
		t.Errorf("the connection was not encrypted from the first byte: %v", err)
	}
	if _, err := mail.New(mail.Options{From: "nobody"}); !errors.Is(err, feed.ErrInvalid) {
		t.Errorf("a sender without an address: %v", err)
	}
}
