package main

import (
	"os"
	"path/filepath"
	"testing"
)

// readDoc reads a file by its path from the top of the checkout.
func readDoc(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
