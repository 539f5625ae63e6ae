// Package hypertext reads the HTML of sources: as a tree of bounded size, as plain text, and as values that are safe to write
// into another document.
//
// Parse builds its own tree instead of using html.Parse. The HTML5 algorithm refuses deeply nested documents and copies
// misnested formatting elements without limit, and callers only need to know which text is in which element.
package hypertext
