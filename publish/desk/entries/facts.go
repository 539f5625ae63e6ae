package entries

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// mostElements is how many elements of a list the page of an entry shows.
const mostElements = 20

// factsOf returns what the page of an entry shows besides its title and text.
func factsOf(e *feed.Entry, now time.Time) (all web.Facts) {
	all.Text("GUID", e.GUID)
	all.Link("Link", e.Link)
	if details := feed.List[feed.Person](e, feed.FieldAuthorDetails); len(details) > 0 {
		addList(&all, "Author", details, personFact)
	} else {
		all.Text("Authors", strings.Join(e.Authors, ", "))
	}
	all.Text("Categories", strings.Join(e.Categories(), ", "))
	all.Time("Published", web.Ago(e.Published, now))
	all.Time("Updated", web.Ago(e.Updated, now))
	addList(&all, "Enclosure", e.Enclosures(), fileFact)
	addList(&all, "Media", e.Media(), fileFact)
	for _, f := range feed.Scalars() {
		switch value := e.Extra[f.Name]; f.Kind {
		case feed.KindURL:
			all.Link(label(f.Name), value)
		case feed.KindBool:
			all.Text(label(f.Name), map[string]string{"true": "yes", "false": "no"}[value])
		case feed.KindSeconds:
			seconds, _ := strconv.ParseInt(value, 10, 32)
			all.Text(label(f.Name), playTime(seconds))
		default:
			all.Text(label(f.Name), value)
		}
	}
	addList(&all, "Contributor", feed.List[feed.Person](e, feed.FieldContributors), personFact)
	addList(&all, "Person", feed.List[feed.Person](e, feed.FieldPersons), personFact)
	addList(&all, "Chapter", feed.List[feed.Chapter](e, feed.FieldChapters), func(c feed.Chapter) web.Fact {
		return web.Fact{Text: cmp.Or(playTime(int64(c.Start)), "0:00") + " " + c.Title, Link: c.URL}
	})
	addList(&all, "Transcript", feed.List[feed.Transcript](e, feed.FieldTranscripts), func(t feed.Transcript) web.Fact {
		return web.Fact{Text: t.URL, Link: t.URL, Note: listed(t.Type, t.Language, t.Rel)}
	})
	return all
}

// addList adds a fact for each element of a list.
func addList[T any](all *web.Facts, name string, list []T, fact func(T) web.Fact) {
	for i, element := range list {
		if i == mostElements {
			all.Text(name, fmt.Sprintf("and %d more", len(list)-i))
			return
		}
		f := fact(element)
		f.Name = name
		*all = append(*all, f)
	}
}

func personFact(p feed.Person) web.Fact {
	return web.Fact{Text: p.Name, Link: p.URL, Note: listed(p.Role, p.Email)}
}

func fileFact(f feed.Enclosure) web.Fact {
	details := []string{f.Rel, f.Title, f.Type}
	if f.Length > 0 {
		details = append(details, fmt.Sprintf("%.1f MB", float64(f.Length)/1e6))
	}
	if f.Width > 0 && f.Height > 0 {
		details = append(details, fmt.Sprintf("%d × %d", f.Width, f.Height))
	}
	details = append(details, playTime(f.Duration), f.Language, f.Description)
	for _, c := range f.Credits {
		details = append(details, strings.TrimSpace(c.Role+" "+c.Name))
	}
	return web.Fact{Text: f.URL, Link: f.URL, Note: listed(details...)}
}

// listed joins the details that are not empty.
func listed(details ...string) string {
	return strings.Join(slices.DeleteFunc(details, func(d string) bool { return d == "" }), ", ")
}

// playTime formats seconds like "1:02:03"; 0 is empty.
func playTime(seconds int64) string {
	switch {
	case seconds <= 0:
		return ""
	case seconds < 3600:
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// label returns the name of a field on pages: "Comment feed" for comment_feed.
func label(name string) string {
	words := strings.NewReplacer("_", " ", "youtube", "YouTube", "url", "URL", "api", "API").Replace(name)
	return strings.ToUpper(words[:1]) + words[1:]
}
