package search

import (
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/no"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
)

// unstemmed is the language of texts in unknown languages, and in those without a stemmer.
const unstemmed = "und"

// stemmers are the stemmers by language.
var stemmers = map[string]string{
	"da": da.SnowballStemmerName, "de": de.SnowballStemmerName, "en": en.SnowballStemmerName, "es": es.SnowballStemmerName, "fi": fi.SnowballStemmerName,
	"fr": fr.SnowballStemmerName, "hu": hu.SnowballStemmerName, "it": it.SnowballStemmerName, "nb": no.SnowballStemmerName, "nl": nl.SnowballStemmerName,
	"nn": no.SnowballStemmerName, "no": no.SnowballStemmerName, "pt": pt.LightStemmerName, "ro": ro.SnowballStemmerName, "ru": ru.SnowballStemmerName,
	"sv": sv.SnowballStemmerName, "tr": tr.SnowballStemmerName,
}

// languages returns unstemmed and all languages of stemmers.
func languages() []string { return append(slices.Sorted(maps.Keys(stemmers)), unstemmed) }

// languageOf returns the language of stemmers, or unstemmed, for a language tag (BCP 47).
func languageOf(tag string) string {
	primary, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	if _, known := stemmers[primary]; known {
		return primary
	}
	return unstemmed
}

// fold removes the accents of words.
const fold = "feedwire_fold"

type folder struct{ analysis.CharFilter }

// Filter implements analysis.TokenFilter. Unlike the filter of characters, it leaves the places of the words in the text alone.
func (f folder) Filter(words analysis.TokenStream) analysis.TokenStream {
	for _, w := range words {
		w.Term = f.CharFilter.Filter(w.Term)
	}
	return words
}

func init() {
	err := registry.RegisterTokenFilter(fold, func(map[string]any, *registry.Cache) (analysis.TokenFilter, error) {
		return folder{asciifolding.New()}, nil
	})
	if err != nil {
		panic(err)
	}
}

// addAnalyzers adds the analyzer of each language, under its name, to a mapping.
func addAnalyzers(m *mapping.IndexMappingImpl) error {
	add := func(language string, stemmer ...string) error {
		filters := append([]string{lowercase.Name, fold}, stemmer...)
		return m.AddCustomAnalyzer("feedwire_"+language, map[string]any{"type": custom.Name, "tokenizer": unicode.Name, "token_filters": filters})
	}
	for language, stemmer := range stemmers {
		if err := add(language, stemmer); err != nil {
			return err
		}
	}
	return add(unstemmed)
}

// words returns the words of a text in a language, with their places.
func (x *Index) words(language, text string) analysis.TokenStream {
	return x.mapping.AnalyzerNamed("feedwire_" + language).Analyze([]byte(text))
}

// stems returns the words of a text as the index has them.
func (x *Index) stems(language, text string) (all []string) {
	for _, w := range x.words(language, text) {
		all = append(all, string(w.Term))
	}
	return all
}

// follow reports whether words follow one another in a text.
func follow(text analysis.TokenStream, words []string) bool {
	for i := range len(text) - len(words) + 1 {
		found := slices.EqualFunc(text[i:i+len(words)], words, func(t *analysis.Token, w string) bool { return string(t.Term) == w })
		if found {
			return true
		}
	}
	return false
}
