package instant

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

// getter describes how a property finds its value. The exported fields are its JSON form.
type getter struct {
	Type, Prefix, Suffix, Format, Fragment string
	Selector, XPath                        string   // of the element to read; both empty for the rule's element
	Attribute                              names    // the first that exists is read; if empty, the text
	Value                                  any      // of a constant
	Children                               []getter // of multiple
	SiblingSelector                        string   `json:"sibling.selector"`

	at       *selector.Selector // Selector or XPath
	partial  bool               // the value is part of a longer one
	sibling  *selector.Selector // SiblingSelector
	value    string             // of a constant; the layout of a date; the markup of a fragment
	fragment []*html.Node       // Fragment
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

func parseGetter(data json.RawMessage) (*getter, error) {
	g := &getter{}
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("it is not a getter: %w", err)
	}
	return g, g.compile(0)
}

// compile parses the selectors, the date format and the fragment of a getter and of its children.
func (g *getter) compile(depth int) (err error) {
	if source := cmp.Or(g.Selector, g.XPath); source != "" {
		if g.at, err = selector.Parse(source); err != nil {
			return fmt.Errorf("selector %.100q: %w", source, err)
		}
		if g.at.Attribute != "" && len(g.Attribute) == 0 {
			g.Attribute = names{g.at.Attribute}
		}
	}
	g.Type, g.partial = strings.ToLower(g.Type), depth > 0 || g.Prefix != "" || g.Suffix != ""
	switch g.Type {
	case "string", "int", "children", "element", "sibling", "exists", "json", "xpath":
	case "constant":
		if g.Value != nil {
			g.value = strings.TrimSpace(fmt.Sprint(g.Value))
		}
	case "date":
		g.value, err = dateLayout(g.Format)
	case "fragment":
		g.value = g.Fragment
		g.fragment, err = parseFragment(g.Fragment)
	case "next-sibling-element-of":
		if g.SiblingSelector != "" {
			g.sibling, err = selector.Parse(g.SiblingSelector)
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
