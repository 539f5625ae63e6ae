package profile

import (
	"html/template"
	"strings"
)

// Snippet returns HTML that a publisher adds to each article, such as the script of a counter. text is a template of
// html/template with {{.Title}} and {{.Link}}, which it escapes for the place where they stand.
func Snippet(text, title, link string) (string, error) {
	t, err := template.New("snippet").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, struct{ Title, Link string }{title, link})
	return b.String(), err
}
