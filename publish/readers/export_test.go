package readers

// Names of the package for tests.
var (
	FeverIDs  = feverIDs
	FeverHash = feverHash
)
