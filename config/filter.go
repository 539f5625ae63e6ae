package config

import (
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// filters is a list of expressions over parts of an entry: "title=ferry".
func filters(p *[]feed.Filter) value {
	v := listOf(p, "field=expression", func(s string) (feed.Filter, *Problem) {
		f, err := feed.ParseFilter(s)
		if err == nil {
			_, err = feed.Filters{Keep: []feed.Filter{f}}.Compile()
		}
		if err != nil {
			return f, wrong(reasonOf(err), "write it like 'title=(?i)ferry', in single quotes")
		}
		return f, nil
	}, feed.Filter.String)
	set := v.set
	v.set = func(texts []string) *Problem {
		before := *p
		if problem := set(texts); problem != nil {
			return problem
		}
		if _, err := (feed.Filters{Keep: *p}).Compile(); err != nil { // too many
			*p = before
			return wrong(reasonOf(err), "leave some out, or join them with |")
		}
		if len(*p) == 0 {
			*p = nil
		}
		return nil
	}
	return v
}

// reasonOf is what is wrong, without the words for a place that the problem has itself.
func reasonOf(err error) string {
	text := strings.TrimPrefix(err.Error(), feed.ErrInvalid.Error()+" ")
	return strings.TrimPrefix(text, "keep filter 1: ")
}
