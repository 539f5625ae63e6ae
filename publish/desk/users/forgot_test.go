package users_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

// post is where the mails of an office go.
type post struct {
	*office
	reg   *prometheus.Registry
	sent  chan string // address, subject and text
	fails chan error  // of the next mails
	stop  func()      // ends the sending, after the mail that is being sent
}

// newPost returns an office with two accounts that sends mail.
func newPost(t *testing.T) *post {
	t.Helper()
	p := &post{reg: prometheus.NewRegistry(), sent: make(chan string, 10), fails: make(chan error, 10)}
	p.office = newOffice(t, func(opts *people.Options) {
		opts.Registerer = p.reg
		opts.Mail = func(_ context.Context, to, subject, text string) error {
			select {
			case err := <-p.fails:
				p.sent <- "failed"
				return err
			default:
				p.sent <- to + "\n" + subject + "\n" + text
				return nil
			}
		}
	})
	p.add("ann", feed.RoleMember)
	p.add("bob", feed.RoleMember)
	if err := p.ChangeProfile(t.Context(), p.account("ann").ID, feed.ProfileChange{Email: new("ann@example.org")}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := p.people.RunMails(ctx); err != nil {
			t.Error(err)
		}
	})
	p.stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(p.stop)
	return p
}

// request requests a link, and returns the response as a browser sees it.
func (p *post) request(name, email string) string {
	p.t.Helper()
	rec := p.browser().Send(http.MethodPost, "/reset-password", url.Values{"name": {name}, "email": {email}})
	return fmt.Sprint(rec.Code, rec.Header(), rec.Body)
}

// 003-13, and show 5 of the community: no response tells whether an account or its address exists, and the mail is sent after it.
func TestForgottenPasswordIsReplacedByAMail(t *testing.T) {
	p := newPost(t)
	phone := p.browser()
	phone.signIn("ann", password)
	want := p.request("nobody", "ann@example.org")
	if !strings.HasPrefix(want, "303 ") || !strings.Contains(want, "/login?did=requested") {
		t.Fatalf("got %s", want)
	}
	for _, who := range [][2]string{{"ann", "other@example.org"}, {"bob", "bob@example.org"}, {"bob", ""}, {"no name", "x"}, {"ann", "ANN@example.org"}, {" Ann ", "ann@example.org"}} {
		if got := p.request(who[0], who[1]); got != want {
			t.Errorf("%v got %s, want %s", who, got, want)
		}
	}
	mail := <-p.sent
	link := regexp.MustCompile(`http://wire.example(/welcome\?once=([\w-]{43}))\n`).FindStringSubmatch(mail)
	if !strings.HasPrefix(mail, "ann@example.org\n") || link == nil {
		t.Fatalf("the mail is\n%s", mail)
	}
	thief := p.browser()
	thief.Cookie = &http.Cookie{Name: "feedwire", Value: fmt.Sprint(p.account("ann").ID, ".", link[2])}
	thief.Get("/account", http.StatusSeeOther) // defect (i): the link is no session
	if page := p.browser().Get(link[1], 200); !strings.Contains(page, "App passwords and API tokens stay valid") {
		t.Errorf("the page is\n%s", page)
	}
	if data := phone.Get("/account/export", 200); !strings.Contains(data, `"link_requested"`) || !strings.Contains(data, `"email":"ann@example.org"`) {
		t.Errorf("exported %s", data)
	}
	use := url.Values{"once": {link[2]}, "password": {"other words are fine"}, "again": {"other words are fine"}}
	if rec := p.browser().Send(http.MethodPost, "/welcome", use); rec.Code != http.StatusSeeOther {
		t.Fatalf("the link got %d:\n%s", rec.Code, rec.Body)
	}
	phone.Get("/account", http.StatusSeeOther)
	if rec := p.browser().Send(http.MethodPost, "/welcome", use); rec.Code != http.StatusNotFound {
		t.Errorf("the link used twice got %d", rec.Code)
	}
	if notice := <-p.sent; !strings.HasPrefix(notice, "ann@example.org\nYour password was changed\n") || strings.Contains(notice, "once=") {
		t.Errorf("the notice is\n%s", notice)
	}
	if page := p.browser().Get("/login?did=requested", 200); !strings.Contains(page, `href="/reset-password"`) || !strings.Contains(page, "If an account has this name") {
		t.Errorf("the sign-in page is\n%s", page)
	}
}

// A mail that fails is sent again with another link, until it is refused for good or too old.
func TestMailThatFailsIsSentAgain(t *testing.T) {
	p := newPost(t)
	guest := p.browser()
	guest.From = "192.0.2.77:1"
	wake := func() {
		guest.Send(http.MethodPost, "/reset-password", url.Values{"name": {"nobody"}, "email": {"x@example.org"}})
	}
	p.fails <- errors.New("connection refused")
	p.request("ann", "ann@example.org")
	if got := <-p.sent; got != "failed" {
		t.Fatalf("sent %s", got)
	}
	p.Clock.Advance(feed.MailRetry)
	wake()
	if got := <-p.sent; !strings.Contains(got, "/welcome?once=") {
		t.Errorf("sent %s", got)
	}
	p.Clock.Advance(feed.ResetPause)
	p.fails <- fmt.Errorf("%w: status 550", feed.ErrMailRefused)
	p.request("ann", "ann@example.org")
	<-p.sent
	p.Clock.Advance(feed.ResetPause)
	p.fails <- errors.New("connection refused")
	p.request("ann", "ann@example.org")
	<-p.sent
	p.Clock.Advance(feed.MailLife)
	p.fails <- errors.New("connection refused")
	wake()
	<-p.sent
	p.Clock.Advance(feed.MailRetry)
	p.request("ann", "ann@example.org") // given up: she may request another one
	if got := <-p.sent; !strings.Contains(got, "/welcome?once=") {
		t.Errorf("sent %s", got)
	}
	for range feed.MailsADay { // by other accounts with the address
		if err := p.CountMail(t.Context(), "ann@example.org"); err != nil {
			t.Fatal(err)
		}
	}
	p.Clock.Advance(feed.ResetPause)
	p.request("ann", "ann@example.org")
	for p.Raw.Int("ZCARD", "mails") > 0 {
		time.Sleep(time.Millisecond) // until the mail is given up
	}
	want := `# HELP feedwire_mails_total Attempts to send a mail to the owner of an account, by kind and result.
# TYPE feedwire_mails_total counter
feedwire_mails_total{kind="changed",result="failed"} 0
feedwire_mails_total{kind="changed",result="refused"} 0
feedwire_mails_total{kind="changed",result="sent"} 0
feedwire_mails_total{kind="reset",result="failed"} 3
feedwire_mails_total{kind="reset",result="refused"} 2
feedwire_mails_total{kind="reset",result="sent"} 2
`
	p.stop()
	if err := testutil.GatherAndCompare(p.reg, strings.NewReader(want), "feedwire_mails_total"); err != nil {
		t.Error(err)
	}
}

func TestWithoutMailAdminsMakeLinks(t *testing.T) {
	o := newOffice(t)
	b := o.browser()
	if page := b.Get("/reset-password", http.StatusNotFound); !strings.Contains(page, "feedwire user reset NAME") || strings.Contains(page, "<form") {
		t.Errorf("the page is\n%s", page)
	}
	if rec := b.Send(http.MethodPost, "/reset-password", url.Values{"name": {"ann"}}); rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "o mail is sent here") {
		t.Errorf("got %d", rec.Code)
	}
	if page := b.Get("/login", 200); strings.Contains(page, "/reset-password") {
		t.Error("the sign-in page leads to a page without use")
	}
}
