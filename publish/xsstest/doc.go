// Package xsstest finds markup in tests that a browser would run, load as code or submit. It shares no code with the
// sanitisers: it parses their output in every context in which markup may be used, and checks the trees.
package xsstest
