package readers

// FeverIDs is for tests.
var FeverIDs = feverIDs
