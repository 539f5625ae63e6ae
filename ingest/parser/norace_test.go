//go:build !race

package parser_test

const raceEnabled = false
