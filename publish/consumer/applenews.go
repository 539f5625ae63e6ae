package consumer

import (
	_ "embed" // apple-news.schema.json
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/html"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/feedwire/feedwire/publish/hypertext"
)

//go:embed apple-news.schema.json
var appleNewsSchema string

var appleNews = sync.OnceValue(func() *jsonschema.Schema {
	const name = "apple-news.schema.json"
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(appleNewsSchema))
	if err == nil {
		c := jsonschema.NewCompiler()
		if err = c.AddResource(name, schema); err == nil {
			return c.MustCompile(name)
		}
	}
	panic(fmt.Sprintf("%s: %v", name, err))
})

// appleRefused are the elements for which Apple News rejects an article, appleText those that texts may have, and appleTable
// those of a table.
const (
	appleRefused = "img video audio title meta script noscript style link applet object iframe noframes form select option optgroup"
	appleText    = "p strong b em i a ul ol li br sub sup del s pre code samp footer aside blockquote span div"
	appleTable   = "table caption thead tbody tfoot tr th td"
)

// appleArticles checks the articles of a feed against the reference of Apple News Format.
func (c *checker) appleArticles(articles []json.RawMessage) {
	seen := make(map[string]bool)
	for i, article := range articles {
		var read struct {
			Identifier, Title, Language string
			Components                  []struct{ Role, Text, Format, HTML string }
		}
		place := fmt.Sprintf("article %d", i+1)
		if err := json.Unmarshal(article, &read); err != nil {
			c.fault("%s is not Apple News Format: %v", place, err)
			continue
		}
		if read.Title != "" {
			place = fmt.Sprintf("%q", read.Title)
		}
		if seen[read.Identifier] {
			c.fault("two articles have the identifier %s", read.Identifier)
		}
		seen[read.Identifier] = true
		if read.Language == "" {
			c.fault("%s has no language; set the language of the feed", place)
		}
		c.schema(place, article)
		for _, part := range read.Components {
			if part.Format == "html" {
				c.appleHTML(place, part.Text, appleText)
			}
			c.appleHTML(place, part.HTML, appleText+" "+appleTable)
		}
	}
}

// schema reports each violation of the schema.
func (c *checker) schema(place string, article json.RawMessage) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(article)))
	if err == nil {
		err = appleNews().Validate(value)
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return
	}
	english := message.NewPrinter(language.English)
	var report func(e *jsonschema.ValidationError)
	report = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			c.fault("%s: /%s: %s", place, strings.Join(e.InstanceLocation, "/"), e.ErrorKind.LocalizedString(english))
		}
		for _, cause := range e.Causes {
			report(cause)
		}
	}
	report(invalid)
}

// appleHTML reports elements of a text that Apple News rejects or does not know.
func (c *checker) appleHTML(place, text, known string) {
	z := html.NewTokenizer(strings.NewReader(text))
	for z.Next() != html.ErrorToken {
		tag := z.Token()
		switch {
		case tag.Type != html.StartTagToken && tag.Type != html.SelfClosingTagToken:
		case hypertext.HasWord(appleRefused, tag.Data):
			c.fault("%s: Apple News rejects the element %s", place, tag.Data)
		case !hypertext.HasWord(known, tag.Data):
			c.fault("%s: Apple News does not know the element %s here", place, tag.Data)
		}
	}
}
