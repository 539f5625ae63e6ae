package parser

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// personForm matches "before (inner)" and "before <inner> after".
var personForm = regexp.MustCompile(`(?s)^([^(]*)\((.*)\)$|^([^<]*)<([^>]*)>(.*)$`)

// personName returns the name of a person from the forms in feeds: "Ann", "ann@x.example (Ann)", "Ann (ann@x.example)",
// "Ann <ann@x.example>", elements name and email, "mailto:ann@x.example". Without a name it returns the address.
func personName(text string) string {
	text = strings.TrimSpace(text)
	if name := between(text, "<name>", "</name>"); name != "" {
		return name
	}
	if mail := between(text, "<email>", "</email>"); mail != "" {
		return mail
	}
	var parts []string
	if strings.ContainsAny(text, "(<") { // few do, and the expression is slow
		parts = personForm.FindStringSubmatch(text)
	}
	if parts == nil {
		return strings.TrimPrefix(text, "mailto:")
	}
	before, inner := strings.Trim(parts[1]+parts[3]+parts[5], " \t\r\n\"',"), strings.TrimSpace(parts[2]+parts[4])
	switch {
	case isAddress(before) && inner != "":
		return inner
	case before == "":
		return strings.TrimPrefix(inner, "mailto:")
	case isAddress(inner):
		return before
	}
	return text
}

// isAddress reports whether a text is an email address or a URL.
func isAddress(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \t\r\n") && (strings.Contains(text, "@") || strings.Contains(text, "://"))
}

// between returns the text between two marks.
func between(text, begin, end string) string {
	_, rest, _ := strings.Cut(text, begin)
	inner, _, found := strings.Cut(rest, end)
	if !found {
		return ""
	}
	return strings.TrimSpace(inner)
}

// personOf returns the person that a text names, in a form that personName reads.
func personOf(text string) feed.Person {
	person := feed.Person{Name: personName(text), Email: firstOf(between(text, "<email>", "</email>"), addressIn(text))}
	person.URL = firstOf(between(text, "<uri>", "</uri>"), between(text, "<url>", "</url>"))
	return person
}

// addressIn returns the first email address in a text, or "".
func addressIn(text string) string {
	if !strings.Contains(text, "@") { // as in most texts, and the expression is slow
		return ""
	}
	return mailAddress.FindString(text)
}

var mailAddress = regexp.MustCompile(`[^\s()<>"',;:@]+@[^\s()<>"',;:@]+\.[^\s()<>"',;:@]+`)

// atomPersons returns persons of Atom. A person without a name has their email or URI instead.
func atomPersons(people []*atom.Person) (all []feed.Person) {
	for _, p := range people {
		person := feed.Person{Name: firstOf(p.Name, p.Email, p.URI), Email: p.Email, URL: p.URI}
		if strings.TrimSpace(p.Name) != "" {
			person = personOf(p.Name)
			person.Email, person.URL = firstOf(p.Email, person.Email), firstOf(p.URI, person.URL)
		}
		all = append(all, person)
	}
	return all
}

// withAvatars sets the images of persons.
func withAvatars(people []feed.Person, avatars []string) []feed.Person {
	for i := range min(len(people), len(avatars)) {
		people[i].Image = avatars[i]
	}
	return people
}

// personsOf returns the person that a text names, or none if it is empty.
func personsOf(text string) []feed.Person {
	if text == "" {
		return nil
	}
	return []feed.Person{personOf(text)}
}

// personsIn returns the persons that elements name.
func personsIn(extensions []ext.Extension) (all []feed.Person) {
	for _, e := range extensions {
		all = append(all, personOf(e.Value))
	}
	return all
}

// atomPersonsIn returns the persons of Atom elements within RSS.
func atomPersonsIn(extensions []ext.Extension) (all []feed.Person) {
	for _, e := range extensions {
		email, uri := firstValue(e.Children["email"]), firstValue(e.Children["uri"])
		person := feed.Person{Name: firstOf(firstValue(e.Children["name"]), email, e.Value), Email: email, URL: uri}
		for _, image := range e.Children["image"] {
			person.Image = image.Attrs["src"]
		}
		all = append(all, person)
	}
	return all
}

// setAuthors sets the names of the authors, and their details if anything but names is known.
func (p *post) setAuthors() {
	all := p.cleanPersons(p.authors, maxAuthors, feed.FindingAuthors)
	for _, person := range all {
		p.entry.Authors = append(p.entry.Authors, person.Name)
	}
	if slices.ContainsFunc(all, func(person feed.Person) bool { return person != feed.Person{Name: person.Name} }) {
		setList(p, feed.FieldAuthorDetails, all)
	}
}

// cleanPersons returns up to limit persons with distinct names and roles, in plain text and with absolute URLs. A person who
// occurs twice gets all details.
func (p *post) cleanPersons(all []feed.Person, limit int, class feed.FindingClass) (clean []feed.Person) {
	for _, person := range all {
		person = feed.Person{
			Name: plainText(person.Name), Email: addressIn(person.Email), URL: p.address(person.URL), Image: p.address(person.Image),
			Role: p.bounded(mend.Line(person.Role)), Group: p.bounded(mend.Line(person.Group)),
		}
		at := slices.IndexFunc(clean, func(known feed.Person) bool { return known.Name == person.Name && known.Role == person.Role })
		switch {
		case at >= 0:
			known := &clean[at]
			known.Email, known.URL, known.Image = firstOf(known.Email, person.Email), firstOf(known.URL, person.URL), firstOf(known.Image, person.Image)
		case person.Name == "":
		case len(person.Name) > maxWord || len(clean) == limit:
			p.exceeds(class)
		default:
			clean = append(clean, person)
		}
	}
	return clean
}
