// Package mailtest runs an SMTP server (RFC 5321) for tests.
package mailtest

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
)

// Server accepts mail on 127.0.0.1.
type Server struct {
	Port  int
	Mails chan *Mail // accepted ones
	Close func()     // ends the server

	mu     sync.Mutex
	refuse string // reply to RCPT
	secure *tls.Config
	login  string          // user NUL password
	ctx    context.Context //nolint:containedctx // of the test
}

// Mail is an accepted mail.
type Mail struct {
	To     string
	Header netmail.Header
	Text   string
	TLS    bool
	Login  bool
}

// New starts a server that ends with the test. With a configuration of TLS it offers STARTTLS, and requires a user and a password.
func New(t testing.TB, secure *tls.Config, user, password string) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Port: l.Addr().(*net.TCPAddr).Port, Mails: make(chan *Mail, 100), secure: secure, login: user + "\x00" + password, ctx: t.Context()}
	var serving sync.WaitGroup
	var open sync.Map
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Store(c, true)
			serving.Go(func() {
				defer open.Delete(c)
				(&session{Server: s}).serve(c)
			})
		}
	})
	s.Close = func() {
		_ = l.Close()
		open.Range(func(c, _ any) bool { _ = c.(net.Conn).Close(); return true })
		serving.Wait()
	}
	t.Cleanup(s.Close)
	return s
}

// Refuse makes the server reply to recipients with a line like "550 no such mailbox"; "": it accepts them again.
func (s *Server) Refuse(reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = reply
}

// session is a connection of a client.
type session struct {
	*Server
	mail Mail
}

// serve talks to a client until it leaves.
func (s *session) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	in, say := bufio.NewReader(c), func(line string) { _, _ = io.WriteString(c, line+"\r\n") }
	say("220 mail.example ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		word, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(word) {
		case "EHLO":
			say("250-mail.example")
			if s.secure != nil && !s.mail.TLS {
				say("250-STARTTLS")
			} else if s.secure != nil {
				say("250-AUTH PLAIN LOGIN")
			}
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go ahead")
			secure := tls.Server(c, s.secure)
			if secure.HandshakeContext(s.ctx) != nil {
				return
			}
			c, s.mail.TLS = secure, true
			in = bufio.NewReader(c)
		case "AUTH":
			_, initial, _ := strings.Cut(rest, " ")
			text, _ := base64.StdEncoding.DecodeString(initial)
			if s.mail.Login = strings.TrimPrefix(string(text), "\x00") == s.login; !s.mail.Login {
				say("535 5.7.8 wrong password")
				continue
			}
			say("235 2.7.0 ok")
		case "RCPT":
			say(s.recipient(rest))
		case "DATA":
			say("354 end with a dot")
			if err := s.receive(in); err != nil {
				say("554 " + err.Error())
				continue
			}
			say("250 queued")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// recipient returns the reply to RCPT.
func (s *session) recipient(rest string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.refuse != "":
		return s.refuse
	case s.secure != nil && !s.mail.Login:
		return "530 5.7.0 sign in first"
	}
	s.mail.To = strings.Trim(rest[strings.IndexByte(rest, ':')+1:], "<> ")
	return "250 ok"
}

// receive reads a mail until a line with a dot.
func (s *session) receive(in *bufio.Reader) error {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	got, err := netmail.ReadMessage(strings.NewReader(text.String()))
	if err != nil {
		return err
	}
	if got.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
		return errors.New("the text has another encoding")
	}
	body, err := io.ReadAll(quotedprintable.NewReader(got.Body))
	if err != nil {
		return err
	}
	m := s.mail
	m.Header, m.Text = got.Header, string(body)
	s.Mails <- &m
	return nil
}
