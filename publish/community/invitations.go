package community

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// invitationsPage is the data of invitations.html.
type invitationsPage struct {
	moderationPage
	Name    string
	Above   []feed.TreeMember // who invited the member, who invited that one and so on
	Invited []feed.TreeMember
	Cut     bool // there may be more above
	Pager   web.Pager
}

// treeMember is an account with the address of its invitations.
type treeMember struct {
	feed.TreeMember
	Href string
}

// InTree returns an account as the page shows it.
func (p *invitationsPage) InTree(m feed.TreeMember) treeMember {
	return treeMember{m, p.At(invitationsPath(m.Account))}
}

func invitationsPath(name string) string { return "/moderation/invitations/" + name }

// invitedShown is how many invited members a page shows.
const invitedShown = 100

// showInvitations serves GET /moderation/invitations/{name}.
func (c *Community) showInvitations(w http.ResponseWriter, r *http.Request) error {
	query := web.QueryOf(r)
	after := query.Position()
	if query.Err != nil {
		return query.Err
	}
	tree, err := c.opts.Moderator.InvitationTree(r.Context(), r.PathValue("name"), after, invitedShown)
	if err != nil {
		return err
	}
	name := tree.Member.Account
	p, err := c.moderationPage(r, "Invitations of "+name, "")
	if err != nil {
		return err
	}
	return c.pages.Render(w, r, "invitations.html", &invitationsPage{
		p, name, tree.Above, tree.Invited.Items, len(tree.Above) == feed.MaxInviters, web.PagerOf(r, tree.Invited.Next),
	})
}
