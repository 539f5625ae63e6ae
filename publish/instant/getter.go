package instant

import (
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// getter is how a property of a rule finds its value in an element.
type getter struct {
	kind       string
	at         *selector // of the element looked at: the first in document order, the rule's own included; nil: that one
	attributes []string  // the first of them that is there; none: the text
	prefix     string
	suffix     string
	value      string       // of a constant; of a date its layout; of a fragment its markup
	sibling    *selector    // of next-sibling-element-of
	parts      []getter     // of multiple
	fragment   []*html.Node // of a fragment
}

// getterFile is the form of a getter in a rules file.
type getterFile struct {
	Type            string            `json:"type"`
	Selector        string            `json:"selector"`
	XPath           string            `json:"xpath"`
	Attribute       names             `json:"attribute"`
	Prefix          string            `json:"prefix"`
	Suffix          string            `json:"suffix"`
	Value           any               `json:"value"`
	Format          string            `json:"format"`
	Fragment        string            `json:"fragment"`
	SiblingSelector string            `json:"sibling.selector"`
	Children        []json.RawMessage `json:"children"`
}

// names is one name or a list of them.
type names []string

// UnmarshalJSON reads both forms.
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

// The bounds of one getter.
const (
	maxGetterDepth = 4
	maxGetterParts = 32
)

func parseGetter(data json.RawMessage, depth int) (getter, error) {
	var f getterFile
	if err := json.Unmarshal(data, &f); err != nil {
		return getter{}, fmt.Errorf("it is not a getter: %w", err)
	}
	g := getter{kind: strings.ToLower(f.Type), attributes: f.Attribute, prefix: f.Prefix, suffix: f.Suffix}
	if f.Selector == "" {
		f.Selector = f.XPath
	}
	var err error
	if f.Selector != "" {
		if g.at, err = parseSelector(f.Selector); err != nil {
			return g, fmt.Errorf("selector %.100q: %w", f.Selector, err)
		}
		if attribute := g.at.leaf.attribute; attribute != "" && len(g.attributes) == 0 {
			g.attributes = []string{attribute}
		}
	}
	switch g.kind {
	case "string", "int", "children", "element", "sibling", "exists", "json", "xpath":
	case "constant":
		if f.Value != nil {
			g.value = strings.TrimSpace(fmt.Sprint(f.Value))
		}
	case "date":
		g.value, err = goLayout(f.Format)
	case "fragment":
		g.value = f.Fragment
		g.fragment, err = parseFragment(f.Fragment)
	case "next-sibling-element-of":
		if f.SiblingSelector != "" {
			g.sibling, err = parseSelector(f.SiblingSelector)
		}
	case "multiple":
		if depth >= maxGetterDepth || len(f.Children) > maxGetterParts {
			return g, fmt.Errorf("more than %d parts, or %d levels of them", maxGetterParts, maxGetterDepth)
		}
		for _, c := range f.Children {
			part, err := parseGetter(c, depth+1)
			if err != nil {
				return g, err
			}
			g.parts = append(g.parts, part)
		}
	default:
		err = fmt.Errorf("the getter type %.40q is unknown", f.Type)
	}
	return g, err
}

// parseFragment reads markup that a rules file holds. It ends up in a frame, which it must not end.
func parseFragment(markup string) ([]*html.Node, error) {
	if strings.Contains(strings.ToLower(markup), "</iframe") && !strings.Contains(strings.ToLower(markup), "<iframe") {
		return nil, fmt.Errorf("its fragment closes a frame that it does not open")
	}
	p, err := parse(markup)
	if err != nil {
		return nil, err
	}
	return children(p.root), nil
}
