// Package instant turns the HTML of an entry into a complete Instant Articles document.
//
// The walk is: parse (tree.go) makes a bounded tree of whatever a source wrote; builder (blocks.go) walks it once, asks
// for each element the rules (rules.go, rules.json) what it becomes, and lays it out as the flat list of blocks that the
// format knows; document (document.go) writes those into the skeleton. Text and media are never dropped in silence:
// whatever has no place in the format is unwrapped or named in a Warning.
package instant
