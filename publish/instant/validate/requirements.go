package validate

import (
	_ "embed" // requirements.txt
	"slices"
	"strings"
)

// Requirement is one condition that the format imposes on a document.
type Requirement struct {
	ID       string // stable; the Rule of a Finding
	Severity Severity
	Text     string // the condition
	Remedy   string // what to do if it is violated
}

// CanonicalQuery is the requirement that sites with URLs like ?p=12 violate.
const CanonicalQuery = "canonical-query"

// table has a line for each requirement: id, severity, text and remedy, separated by " | ".
//
//go:embed requirements.txt
var table string

var requirements = parseTable()

func parseTable() (all []Requirement) {
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		all = append(all, Requirement{cells[0], Severity(cells[1]), cells[2], cells[3]})
	}
	return all
}

// Requirements returns everything that Document checks, errors first.
func Requirements() []Requirement { return requirements }

// requirement returns the requirement with an id. The id is a constant of this package.
func requirement(id string) Requirement {
	return requirements[slices.IndexFunc(requirements, func(r Requirement) bool { return r.ID == id })]
}
