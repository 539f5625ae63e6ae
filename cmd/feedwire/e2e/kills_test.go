//go:build !faults

package e2e

// kills is how often a test kills the program at a random moment.
const kills = 5
