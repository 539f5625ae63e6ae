//go:build !faults

package e2e

// kills is how often a test kills the program at a random moment.
const kills = 5

// outages is how often a test cuts the program off from Redis, and lets Redis hang.
const outages = 1
