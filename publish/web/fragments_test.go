package web_test

import (
	"fmt"
	"html/template"
	"testing"
	"testing/fstest"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
)

// counted is a view that counts how often it is rendered.
type counted struct {
	Text     string
	rendered *int
}

func (c counted) Render() string { *c.rendered++; return c.Text }

func TestViewsShareAFragmentIfTheyAreEqual(t *testing.T) {
	pages := webtest.New(webtest.Noon).Pages(fstest.MapFS{"templates/row.html": {Data: []byte(`{{define "row"}}<b>{{.Render}}</b>{{end}}`)}}, nil)
	rows, rendered := web.NewFragments[counted](pages, "row", 1<<20), 0
	for _, text := range []string{"a<", "b", "a<", "b"} {
		want := template.HTML("<b>" + template.HTMLEscapeString(text) + "</b>")
		if got, err := rows.Of(counted{text, &rendered}); got != want || err != nil {
			t.Errorf("the fragment of %q is %q, %v", text, got, err)
		}
	}
	if rendered != 2 {
		t.Errorf("2 views were rendered %d times", rendered)
	}
	for i := range 4000 {
		_, _ = rows.Of(counted{fmt.Sprint(i), &rendered})
	}
	rendered = 0
	if _, err := rows.Of(counted{"a<", &rendered}); rendered != 1 || err != nil {
		t.Error("the fragments exceed their size")
	}
}
