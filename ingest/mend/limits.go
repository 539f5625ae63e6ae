package mend

import "github.com/feedwire/feedwire/store/feed"

// The bounds of a document. They are far above what feeds have. Beyond them the parser would need seconds or gigabytes,
// or overflow its stack, which a process cannot recover from.
const (
	maxDepth      = 256
	maxElements   = 200_000
	maxAttributes = 256 // of one element
	maxNamespaces = 64  // declared by one element
	maxToken      = 2 << 20
	maxBase       = 2048 // bytes of a resolved xml:base: nested ones add up
	maxFaults     = 200_000
	maxJSONDepth  = 64

	// The parser concatenates the text of an element piece by piece and copies the namespaces in scope for each element.
	// These bound what it copies for one document, in bytes and in namespaces.
	maxTextCopied       = 256 << 20
	maxNamespacesCopied = 4 << 20

	// An entity of the DOCTYPE may be much longer than the reference to it.
	maxDefined  = 256     // entities
	maxExpanded = 1 << 20 // bytes inserted for references to entities
)

// MaxBases is the number of xml:base attributes that are honoured in one document.
const MaxBases = 10_000

// checkToken refuses a text, attribute or comment that is too long.
func checkToken(size int) error {
	if size > maxToken {
		return feed.Failf(feed.FailureLimits, "one text or attribute has more than %d bytes", maxToken)
	}
	return nil
}

// CheckJSON refuses JSON that exceeds a bound. It does not check the syntax. If the root object has no end, complete is the
// position after the last complete list or object in one of its lists; otherwise it is 0.
func CheckJSON(text []byte) (complete int, err error) {
	depth, values := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 2 {
				complete = i + 1
			}
		case ',', ':':
			values++
		case '"':
			begin := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if err := checkToken(i - begin); err != nil {
				return 0, err
			}
		}
		switch {
		case depth > maxJSONDepth:
			return 0, feed.Failf(feed.FailureLimits, "values are nested more than %d deep", maxJSONDepth)
		case values > maxElements:
			return 0, feed.Failf(feed.FailureLimits, "the document has more than %d values", maxElements)
		}
	}
	if depth <= 0 {
		complete = 0
	}
	return complete, nil
}
