package ingest

// The bounds of a document. They are far above what feeds have, and below what makes the parser need seconds or
// gigabytes, or overflow its stack, which nothing can recover from.
const (
	maxDepth      = 256
	maxElements   = 200_000
	maxAttributes = 256 // of one element
	maxNamespaces = 64  // declared by one element
	maxToken      = 2 << 20
	maxBase       = 2048 // of a resolved xml:base, in bytes: nested ones add up
	maxBases      = 10_000
	// The parser adds up the text of an element piece by piece, copying what it has each time, and copies the
	// namespaces in scope for each element. These bound what is copied in a document, in bytes and in namespaces.
	maxTextCopied       = 256 << 20
	maxNamespacesCopied = 4 << 20
	maxFaults           = 200_000 // places to mend; what is mended may grow
	// What a DOCTYPE defines may stand for much more text than the reference to it.
	maxDefinition = 256     // bytes of one entity's text
	maxDefined    = 256     // entities
	maxExpanded   = 1 << 20 // bytes put in for references to them
	// What may be nested in JSON.
	maxJSONDepth = 64
)

// Limits bound what is taken from one document. The zero value works.
type Limits struct {
	Entries int // default 2000
}

// checkToken refuses one text, attribute or comment that is too long.
func checkToken(size int) error {
	if size > maxToken {
		return failf(ClassLimits, "one text or attribute has more than %d bytes", maxToken)
	}
	return nil
}
