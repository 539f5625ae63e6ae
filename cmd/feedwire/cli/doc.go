// Package cli holds the commands of feedwire.
package cli
