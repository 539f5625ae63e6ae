package feed

import "cmp"

// Name returns the title of a source, or its URL before the first document.
func (s *Source) Name() string { return cmp.Or(s.About.Title, s.URL) }

// Name returns the title of an article, or a text that says that it has none.
func (a *Article) Name() string { return cmp.Or(a.Title, "(without title)") }

// StateIn returns the state of an article in an outgoing feed.
func (a *Article) StateIn(typ string) State { return cmp.Or(a.Feeds[typ].State, StateUnpublished) }
