// Package body cleans the HTML of an entry for readers and consumers that take markup as it is: a fragment that is safe,
// balanced, of absolute addresses and bounded depth, in which nothing is shown that loads code.
//
// The walk is: writer (clean.go, nest.go, table.go) reads the tags of whatever a source wrote once and writes those that
// may stand, well nested; the policy of bluemonday (policy.go) goes over that as a second opinion; balance.go proves
// that an HTML parser reads the result as it is written. What a reader would miss is named in a warning.
package body
