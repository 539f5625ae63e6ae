package storetest

import "go.uber.org/goleak"

// IgnoreAnalysis lets goleak pass over the workers of bleve, which start with each program that contains it and never end.
func IgnoreAnalysis() goleak.Option {
	return goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker")
}
