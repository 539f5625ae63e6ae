package rulesfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// Getter describes how a property finds its value. The fields of the first paragraph are its JSON form.
type Getter struct {
	Type, Prefix, Suffix, Format, Fragment string
	Selector, XPath                        string   // of the element to read; both empty for the rule's element
	Attribute                              names    // the first that exists is read; if empty, the text
	Value                                  any      // of a constant
	Children                               []Getter // of multiple
	SiblingSelector                        string   `json:"sibling.selector"`

	At      *selector.Selector `json:"-"` // Selector or XPath
	Partial bool               `json:"-"` // the value is part of a longer one
	Sibling *selector.Selector `json:"-"` // SiblingSelector
	Text    string             `json:"-"` // of a constant; the layout of a date; the markup of a fragment
	Nodes   []*html.Node       `json:"-"` // Fragment
}

// names is a JSON string or a list of strings.
type names []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *names) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(l))
	}
	var one string
	err := json.Unmarshal(data, &one)
	if one != "" {
		*l = names{one}
	}
	return err
}

// The limits of a getter.
const (
	maxGetterDepth = 4
	maxGetterParts = 32
)

func parseGetter(data json.RawMessage) (*Getter, error) {
	g := &Getter{}
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("it is not a getter: %w", err)
	}
	return g, g.compile(0)
}

// compile parses the selectors, the date format and the fragment of a getter and of its children.
func (g *Getter) compile(depth int) (err error) {
	if source := cmp.Or(g.Selector, g.XPath); source != "" {
		if g.At, err = selector.Parse(source); err != nil {
			return fmt.Errorf("selector %.100q: %w", source, err)
		}
		if g.At.Attribute != "" && len(g.Attribute) == 0 {
			g.Attribute = names{g.At.Attribute}
		}
	}
	g.Type, g.Partial = strings.ToLower(g.Type), depth > 0 || g.Prefix != "" || g.Suffix != ""
	switch g.Type {
	case "string", "int", "children", "element", "sibling", "exists", "json", "xpath":
	case "constant":
		if g.Value != nil {
			g.Text = strings.TrimSpace(fmt.Sprint(g.Value))
		}
	case "date":
		g.Text, err = dateLayout(g.Format)
	case "fragment":
		g.Text = g.Fragment
		g.Nodes, err = parseFragment(g.Fragment)
	case "next-sibling-element-of":
		if g.SiblingSelector != "" {
			g.Sibling, err = selector.Parse(g.SiblingSelector)
		}
	case "multiple":
		if depth >= maxGetterDepth || len(g.Children) > maxGetterParts {
			return fmt.Errorf("it has more than %d children or %d levels", maxGetterParts, maxGetterDepth)
		}
		for i := range g.Children {
			if err := g.Children[i].compile(depth + 1); err != nil {
				return err
			}
		}
	default:
		err = fmt.Errorf("unknown getter type %.40q", g.Type)
	}
	return err
}

// parseFragment parses markup of a rules file. It is written into an iframe, which it must not end.
func parseFragment(source string) ([]*html.Node, error) {
	lower := strings.ToLower(source)
	if strings.Contains(lower, "</iframe") && !strings.Contains(lower, "<iframe") {
		return nil, errors.New("the fragment closes an iframe that it does not open")
	}
	p, err := hypertext.Parse(source)
	if err != nil {
		return nil, err
	}
	return slices.Collect(p.Root.ChildNodes()), nil
}
