package users

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// forgotView is the data of forgot.html.
type forgotView struct {
	web.Frame
	Mail        bool // people get mail here
	Name, Email string
	LinkLasts   string
}

// showForgot serves GET /reset-password.
func (us *Users) showForgot(w http.ResponseWriter, r *http.Request) error {
	page := forgotView{
		Frame: web.Frame{Title: "Forgot your password?"}, Mail: us.people.SendsMail(), LinkLasts: web.Span(feed.LinkLife),
		Name: web.Cut(r.PostFormValue("name"), feed.MaxName), Email: web.Cut(r.PostFormValue("email"), feed.MaxEmail),
	}
	if !page.Mail {
		page.Status = http.StatusNotFound
	}
	return us.web.Render(w, r, "forgot.html", &page)
}

// requestReset serves POST /reset-password. The response is the same whether a mail is sent or not.
func (us *Users) requestReset(r *http.Request) (web.Next, error) {
	return web.Next{Page: "/login", Did: "requested"}, us.people.RequestReset(r, r.PostFormValue("name"), r.PostFormValue("email"))
}
