//go:build race

package main

// raceEnabled: the race detector makes everything several times slower, so that times say nothing.
const raceEnabled = true
