package articles

import (
	"html/template"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/prose"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// textView is the data of text.html.
type textView struct {
	web.Frame
	UUID, Name, Direction string
	At                    time.Time
	Text                  template.HTML
}

// showText serves "/articles/{uuid}/text", an article as its source wrote it. Lists show it in place.
func (as *Articles) showText(w http.ResponseWriter, r *http.Request) error {
	a, err := as.article(r)
	if err != nil {
		return err
	}
	e := entryOf(&a)
	return as.web.Render(w, r, "text.html", &textView{
		Frame: web.Frame{Title: a.Name()}, UUID: a.UUID, Name: a.Name(), At: a.Published,
		Text: as.prose.Text(&e), Direction: prose.Direction(e.Extra[feed.FieldLanguage]),
	})
}
