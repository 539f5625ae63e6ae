package parser

import (
	"html"
	"slices"
	"strconv"
	"strings"

	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// mediaScheme is the default scheme of categories in Media RSS 1.5.1.
const mediaScheme = "http://search.yahoo.com/mrss/category_schema"

// elements are the elements of a namespace, or the children of an element.
type elements = map[string][]ext.Extension

// readMedia adds categories, files and images from Media RSS, and a summary if the item has no text.
func (p *post) readMedia(media elements) {
	if len(media) == 0 {
		return
	}
	hadText := p.content+p.summary != ""
	for _, group := range groupsOf(media) {
		if p.content == "" && p.summary == "" && len(group["description"]) > 0 {
			description := group["description"][0]
			if p.summary = strings.TrimSpace(description.Value); description.Attrs["type"] != "html" {
				p.summary = html.EscapeString(p.summary)
			}
		}
		p.addMediaCategories(group)
		p.readFiles(group, p.sharedDetails(group, hadText))
	}
}

// groupsOf returns the elements of Media RSS in an item, and those in each of its groups.
func groupsOf(media elements) []elements {
	groups := []elements{media}
	for _, group := range media["group"] {
		groups = append(groups, group.Children)
	}
	return groups
}

// addMediaCategories adds the categories and keywords of Media RSS. A category without a scheme labels the category of the item
// with its term.
func (p *post) addMediaCategories(media elements) {
	for _, c := range media["category"] {
		scheme := c.Attrs["scheme"]
		if scheme == "" && !slices.Contains(p.categories, feed.Category{Term: plainText(c.Value)}) {
			scheme = mediaScheme
		}
		p.addCategory(feed.Category{Term: c.Value, Scheme: scheme, Label: c.Attrs["label"]})
	}
	for _, keywords := range media["keywords"] {
		for word := range strings.SplitSeq(keywords.Value, ",") {
			p.addCategory(feed.Category{Term: word})
		}
	}
}

// sharedDetails returns what a group says about each of its files. It omits the texts that are those of the entry.
func (p *post) sharedDetails(group elements, hadText bool) (d feed.FileDetails) {
	d = p.describe(group)
	if d.Title == plainText(p.title) {
		d.Title = ""
	}
	if !hadText {
		d.Description = ""
	}
	return d
}

// describe reads the elements that describe a file.
func (p *post) describe(of elements) (d feed.FileDetails) {
	d.Title, d.Description = mediaText(of["title"]), mediaText(of["description"])
	for _, c := range of["credit"] {
		d.Credits = append(d.Credits, feed.Person{Name: c.Value, Role: c.Attrs["role"]})
	}
	return d
}

// mediaText returns the first text as plain text. Many texts without a type are HTML, although the default is "plain".
func mediaText(all []ext.Extension) string {
	if len(all) > 0 && all[0].Attrs["type"] == "plain" {
		return mend.Line(all[0].Value)
	}
	return plainText(firstValue(all))
}

// readFiles adds the files of a group. They inherit the details of the group that they do not have.
func (p *post) readFiles(group elements, shared feed.FileDetails) {
	if len(group["content"]) == 0 && len(group["thumbnail"]) > 0 {
		p.readThumbnails(group["thumbnail"], shared)
	} else {
		p.readThumbnails(group["thumbnail"], feed.FileDetails{})
	}
	p.readPlayers(group["player"])
	for _, c := range group["content"] {
		p.addMediaCategories(c.Children)
		d := p.describe(c.Children)
		d.Title, d.Description = firstOf(d.Title, shared.Title), firstOf(d.Description, shared.Description)
		if len(d.Credits) == 0 {
			d.Credits = shared.Credits
		}
		d.Width, d.Height = positive(c.Attrs["width"]), positive(c.Attrs["height"])
		d.Duration, d.Language = secondsOf(c.Attrs["duration"]), c.Attrs["lang"]
		p.addEnclosure(enclosure{
			URL: c.Attrs["url"], Type: mediaType(c.Attrs), Length: c.Attrs["fileSize"], FileDetails: d,
		})
		p.readThumbnails(c.Children["thumbnail"], feed.FileDetails{})
		p.readPlayers(c.Children["player"])
	}
}

// mediaType returns the type of a file of Media RSS, which may only state its medium. Then the name of the file tells the type.
func mediaType(attrs map[string]string) string {
	named := feed.Enclosure{URL: attrs["url"]}
	if medium := strings.ToLower(attrs["medium"]); attrs["type"] == "" && medium != "" && named.Is(medium) {
		return named.MediaType()
	}
	return firstOf(attrs["type"], attrs["medium"])
}

func (p *post) readThumbnails(all []ext.Extension, d feed.FileDetails) {
	d.Rel = feed.RelThumbnail
	for _, t := range all {
		d.Width, d.Height = positive(t.Attrs["width"]), positive(t.Attrs["height"])
		p.addMedia(feed.Enclosure{URL: firstOf(t.Attrs["url"], t.Value), FileDetails: d})
	}
}

func (p *post) readPlayers(all []ext.Extension) {
	for _, player := range all {
		p.addMedia(feed.Enclosure{URL: player.Attrs["url"], FileDetails: feed.FileDetails{
			Rel: feed.RelPlayer, Width: positive(player.Attrs["width"]), Height: positive(player.Attrs["height"]),
		}})
	}
}

// readPodcast adds what the podcast namespace and Podlove say about an episode.
func (p *post) readPodcast(podcast, psc elements) {
	for _, person := range podcast["person"] {
		p.persons = append(p.persons, feed.Person{
			Name: person.Value, URL: person.Attrs["href"], Image: person.Attrs["img"], Role: person.Attrs["role"], Group: person.Attrs["group"],
		})
	}
	for _, t := range podcast["transcript"] {
		p.transcripts = append(p.transcripts, feed.Transcript{
			URL: t.Attrs["url"], Type: t.Attrs["type"], Language: t.Attrs["language"], Rel: t.Attrs["rel"],
		})
	}
	for _, a := range podcast["alternateEnclosure"] {
		for _, source := range a.Children["source"] {
			p.addMedia(feed.Enclosure{URL: source.Attrs["uri"], Type: a.Attrs["type"], Length: feed.Bytes(positive(a.Attrs["length"])),
				FileDetails: feed.FileDetails{
					Rel: feed.RelAlternate, Title: a.Attrs["title"], Language: a.Attrs["lang"], Height: positive(a.Attrs["height"]),
				}})
		}
	}
	for _, list := range psc["chapters"][:min(len(psc["chapters"]), 1)] { // an item has one list
		for _, c := range list.Children["chapter"] {
			p.chapters = append(p.chapters, feed.Chapter{
				Start: playTime(c.Attrs["start"]), Title: c.Attrs["title"], URL: c.Attrs["href"], Image: c.Attrs["image"],
			})
		}
	}
}

// playTime returns the seconds of "1:02:03.5" or "62.5".
func playTime(text string) (total float64) {
	for part := range strings.SplitSeq(text, ":") {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(n >= 0 && n < 1e6) {
			return 0
		}
		total = 60*total + n
	}
	return total
}

// addMedia adds a file that is no enclosure.
func (p *post) addMedia(m feed.Enclosure) {
	m.URL, m.Type = mend.Resolve(p.base, m.URL), mend.Line(m.Type)
	p.cleanDetails(&m.FileDetails)
	switch {
	case m.URL == "" || !slices.Contains([]string{feed.RelThumbnail, feed.RelPlayer, feed.RelAlternate}, m.Rel):
	case len(m.URL) > maxLink || len(m.Type) > maxWord || len(p.media) == maxEnclosures:
		p.exceeds(feed.FindingField)
	case !slices.ContainsFunc(p.media, func(known feed.Enclosure) bool { return known.URL == m.URL && known.Rel == m.Rel }):
		p.media = append(p.media, m)
	}
}

// addEnclosure adds an enclosure that the post does not have yet. An enclosure that is described twice gets all details.
func (p *post) addEnclosure(e enclosure) {
	e.URL, e.Type, e.Length = mend.Resolve(p.base, e.URL), mend.Line(e.Type), mend.Line(e.Length)
	if strings.Trim(e.Length, "0123456789") != "" || len(e.Length) > 19 || strings.Trim(e.Length, "0") == "" {
		e.Length = ""
	}
	p.cleanDetails(&e.FileDetails)
	at := slices.IndexFunc(p.enclosures, func(known enclosure) bool { return known.URL == e.URL })
	switch {
	case at >= 0:
		if known := &p.enclosures[at].FileDetails; !known.HasDetails() {
			*known = e.FileDetails
		}
	case e.URL == "":
	case len(e.URL) > maxLink || len(e.Type) > maxWord || len(p.enclosures) == maxEnclosures:
		p.exceeds(feed.FindingEnclosures)
	default:
		p.enclosures = append(p.enclosures, e)
	}
}

// cleanDetails makes texts plain and omits those that are too long.
func (p *post) cleanDetails(d *feed.FileDetails) {
	d.Title, d.Description, d.Language = p.bounded(mend.Line(d.Title)), p.bounded(mend.Line(d.Description)), feed.Language(mend.Line(d.Language))
	d.Duration, d.Width, d.Height = max(0, d.Duration), max(0, d.Width), max(0, d.Height)
	d.Credits = p.cleanPersons(d.Credits, maxCredits, feed.FindingField)
}

// mainImage returns the image of an entry that names none.
func (p *post) mainImage() string {
	files := make([]feed.Enclosure, len(p.enclosures))
	for i, e := range p.enclosures {
		files[i] = feed.Enclosure{URL: e.URL, Type: e.Type}
	}
	return feed.MainImage(files, p.media)
}

// bounded returns a text, or "" if it is too long.
func (p *post) bounded(text string) string {
	if len(text) > maxValue {
		p.exceeds(feed.FindingField)
		return ""
	}
	return text
}

// positive returns a number of pixels or bytes; 0 if it is unknown.
func positive(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return max(0, n)
}

// secondsOf returns a duration in seconds; 0 if it is unknown.
func secondsOf(text string) int64 {
	duration := feed.Field{Kind: feed.KindSeconds}
	return positive(duration.Normalise(text))
}
