// Package terminal formats text for people at a terminal.
package terminal
