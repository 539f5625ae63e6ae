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

// getter describes how a property finds its value.
type getter struct {
	kind       string
	at         *selector.Selector // of the element to read; nil for the rule's element
	attributes []string           // the first that exists is read; if empty, the text
	prefix     string
	suffix     string
	value      string             // of a constant; the layout of a date; the markup of a fragment
	sibling    *selector.Selector // of next-sibling-element-of
	parts      []getter           // of multiple
	fragment   []*html.Node       // of a fragment
}

// getterFile is the JSON form of a getter.
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

func parseGetter(data json.RawMessage, depth int) (getter, error) {
	var f getterFile
	if err := json.Unmarshal(data, &f); err != nil {
		return getter{}, fmt.Errorf("it is not a getter: %w", err)
	}
	g := getter{kind: strings.ToLower(f.Type), attributes: f.Attribute, prefix: f.Prefix, suffix: f.Suffix}
	var err error
	if source := cmp.Or(f.Selector, f.XPath); source != "" {
		if g.at, err = selector.Parse(source); err != nil {
			return g, fmt.Errorf("selector %.100q: %w", source, err)
		}
		if attribute := g.at.Attribute(); attribute != "" && len(g.attributes) == 0 {
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
		g.value, err = dateLayout(f.Format)
	case "fragment":
		g.value = f.Fragment
		g.fragment, err = parseFragment(f.Fragment)
	case "next-sibling-element-of":
		if f.SiblingSelector != "" {
			g.sibling, err = selector.Parse(f.SiblingSelector)
		}
	case "multiple":
		if depth >= maxGetterDepth || len(f.Children) > maxGetterParts {
			return g, fmt.Errorf("it has more than %d children or %d levels", maxGetterParts, maxGetterDepth)
		}
		for _, c := range f.Children {
			part, err := parseGetter(c, depth+1)
			if err != nil {
				return g, err
			}
			g.parts = append(g.parts, part)
		}
	default:
		err = fmt.Errorf("unknown getter type %.40q", f.Type)
	}
	return g, err
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
