package users_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
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
	reg  *prometheus.Registry
	fail error    // of the next mail
	sent []string // address, subject and text
}

// newPost returns an office with two accounts that sends mail.
func newPost(t *testing.T) *post {
	t.Helper()
	p := &post{reg: prometheus.NewRegistry()}
	p.office = newOffice(t, func(opts *people.Options) {
		opts.Registerer = p.reg
		opts.Mail = func(_ context.Context, to, subject, text string) (err error) {
			if err, p.fail = p.fail, nil; err == nil {
				p.sent = append(p.sent, to+"\n"+subject+"\n"+text)
			}
			return err
		}
	})
	p.add("ann", feed.RoleMember)
	p.add("bob", feed.RoleMember)
	if err := p.ChangeProfile(t.Context(), p.account("ann").ID, feed.ProfileChange{Email: new("ann@example.org")}); err != nil {
		t.Fatal(err)
	}
	return p
}

// sends sends the mails that are due, and returns them.
func (p *post) sends() []string {
	p.t.Helper()
	p.sent = nil
	if err := p.people.SendMails(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return p.sent
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
	if len(p.sent) > 0 {
		t.Error("a response waited for a mail")
	}
	mails := p.sends()
	if len(mails) != 1 {
		t.Fatalf("%d mails were sent", len(mails))
	}
	mail := mails[0]
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
	if notices := p.sends(); len(notices) != 1 || !strings.HasPrefix(notices[0], "ann@example.org\nYour password was changed\n") || strings.Contains(notices[0], "once=") {
		t.Errorf("the notices are %q", notices)
	}
	if page := p.browser().Get("/login?did=requested", 200); !strings.Contains(page, `href="/reset-password"`) || !strings.Contains(page, "If an account has this name") {
		t.Errorf("the sign-in page is\n%s", page)
	}
}

// A mail that fails is sent again with another link, until it is refused for good or too old.
func TestMailThatFailsIsSentAgain(t *testing.T) {
	p := newPost(t)
	away, refused := errors.New("connection refused"), fmt.Errorf("%w: status 550", feed.ErrMailRefused)
	check := func(what string, fail error, want int) {
		t.Helper()
		p.fail = fail
		if sent := p.sends(); len(sent) != want || want > 0 && !strings.Contains(sent[0], "/welcome?once=") {
			t.Errorf("%s: sent %q", what, sent)
		}
	}
	p.request("ann", "ann@example.org")
	check("no server", away, 0)
	p.Clock.Advance(feed.MailRetry - time.Second)
	check("too early", nil, 0)
	p.Clock.Advance(time.Second)
	check("a minute later", nil, 1)
	p.Clock.Advance(feed.ResetPause)
	p.request("ann", "ann@example.org")
	check("refused", refused, 0)
	p.Clock.Advance(feed.MailRetry)
	p.request("ann", "ann@example.org")
	check("after it was refused", nil, 0)
	p.Clock.Advance(feed.ResetPause)
	p.request("ann", "ann@example.org")
	check("no server on the next day", away, 0)
	p.Clock.Advance(feed.MailLife)
	check("an hour later", away, 0)
	p.request("ann", "ann@example.org")
	check("requested again after it was given up", nil, 1)
	for range feed.MailsADay { // to other accounts with the address
		if err := p.CountMail(t.Context(), "ann@example.org"); err != nil {
			t.Fatal(err)
		}
	}
	p.Clock.Advance(feed.ResetPause)
	p.request("ann", "ann@example.org")
	check("the address got enough", nil, 0)
	if p.Raw.Int("ZCARD", "mails") > 0 {
		t.Error("a mail waits")
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
