// Package instant transforms the HTML of an article into an Instant Articles document.
//
// The content is parsed into a tree (hypertext.Parse). The builder (blocks.go) walks the tree once, finds the rule for each
// element (apply.go) and lays the content out as a flat list of blocks, because the format does not nest blocks. document.go
// writes the blocks into the skeleton. No text or medium is dropped silently: a Warning names everything that is left out.
package instant
