package config

import (
	_ "embed" // example.yaml
	"slices"
)

// TestShippedFilesAreUpToDate generates the file from options.yaml.
//
//go:embed example.yaml
var example []byte

// Example returns a file that explains every option. The defaults are comments that change nothing if the # directly before a
// key is removed.
func Example() []byte { return slices.Clone(example) }
