package search

import (
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/feedwire/feedwire/store/feed"
)

// minPrefix is the length of a beginning that is looked up, in bytes. Shorter ones stand for themselves: too many words begin with them.
const minPrefix = 2

// plan is a feed.Search for the index.
type plan struct {
	query       query.Query // what the entries match, apart from phrases
	terms       []planned
	byRelevance bool
}

// planned is a term in the words of the index.
type planned struct {
	feed.SearchTerm
	words map[string][]string // by language
}

// adjacent reports whether words of the term follow one another, which the index does not know.
func (t *planned) adjacent() bool {
	for _, words := range t.words {
		if len(words) > 1 {
			return true
		}
	}
	return false
}

// verifies reports whether texts are needed to know what matches.
func (p *plan) verifies() bool {
	return slices.ContainsFunc(p.terms, func(t planned) bool { return t.adjacent() })
}

// plan makes a plan for entries in some languages.
func (x *Index) plan(s *feed.Search, languages []string) *plan {
	p := &plan{byRelevance: s.ByRelevance}
	var must, mustNot []query.Query
	for _, term := range s.Terms {
		t := planned{term, make(map[string][]string)}
		for _, language := range languages {
			t.words[language] = x.stems(language, term.Text)
		}
		p.terms = append(p.terms, t)
		switch q := x.lookup(&t); {
		case !t.Not:
			must = append(must, q)
		case !t.adjacent():
			mustNot = append(mustNot, q)
		}
	}
	if s.Feeds != nil {
		must = append(must, ofSources(s))
	}
	if !s.From.IsZero() || !s.Until.IsZero() {
		must = append(must, between(s))
	}
	switch {
	case len(mustNot) > 0:
		p.query = query.NewBooleanQuery(must, nil, mustNot)
	case len(must) > 0:
		p.query = query.NewConjunctionQuery(must)
	default:
		p.query = query.NewMatchAllQuery()
	}
	return p
}

// lookup returns the query for a term: its words in one of the languages.
func (x *Index) lookup(t *planned) query.Query {
	field := string(t.Field)
	if t.Field == feed.SearchAnywhere {
		field = everything
	}
	alternatives := make(map[string]query.Query)
	for _, words := range t.words {
		var all []query.Query
		for _, word := range words {
			all = append(all, wordQuery(field, word))
		}
		if len(all) > 0 {
			alternatives[strings.Join(words, " ")] = conjunction(all)
		}
	}
	if t.Prefix {
		words := x.stems(unstemmed, t.Text)
		if last := len(words) - 1; last >= 0 && len(words[last]) >= minPrefix {
			q := query.NewPrefixQuery(words[last])
			q.SetField(field)
			alternatives[strings.Join(words, " ")+"*"] = q
		}
	}
	each := slices.Collect(maps.Values(alternatives))
	if len(each) == 1 {
		return each[0]
	}
	return query.NewDisjunctionQuery(each)
}

func conjunction(all []query.Query) query.Query {
	if len(all) == 1 {
		return all[0]
	}
	return query.NewConjunctionQuery(all)
}

func wordQuery(field, word string) query.Query {
	q := query.NewTermQuery(word)
	q.SetField(field)
	return q
}

// ofSources returns the query for the sources of a search; nothing matches none.
func ofSources(s *feed.Search) query.Query {
	var all []query.Query
	for _, url := range s.Feeds {
		all = append(all, wordQuery(feedField, url))
	}
	if s.Posts {
		q := query.NewPrefixQuery(feed.MemberPrefix)
		q.SetField(feedField)
		all = append(all, q)
	}
	return query.NewDisjunctionQuery(all)
}

// between returns the query for the times of a search.
func between(s *feed.Search) query.Query {
	var from, until *float64
	if !s.From.IsZero() {
		from = new(float64)
		*from = float64(s.From.Unix())
	}
	if !s.Until.IsZero() {
		until = new(float64)
		*until = float64(s.Until.Unix())
	}
	q := query.NewNumericRangeQuery(from, until) // without until
	q.SetField(timeField)
	return q
}

// verify reports whether the text of an entry that the index returned matches a plan: whether it has the phrases, or lacks them.
func (x *Index) verify(p *plan, t *texts) bool {
	for i := range p.terms {
		term := &p.terms[i]
		if words := term.words[t.language]; len(words) > 1 && !term.Prefix && x.has(t, term.Field, words) == term.Not {
			return false
		}
	}
	return true
}

// has reports whether words follow one another in a field.
func (x *Index) has(t *texts, field feed.SearchField, words []string) bool {
	return slices.ContainsFunc(t.in(field), func(text string) bool { return follow(x.words(t.language, text), words) })
}
