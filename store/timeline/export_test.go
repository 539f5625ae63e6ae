package timeline

// Collect collects a page of places that a test chooses.
var Collect = collect
