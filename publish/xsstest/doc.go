// Package xsstest judges markup for tests: is there anything in it that a browser would run, load as code or send
// somewhere? The judge shares nothing with the code that cleans markup: it parses what came out, in all the places where
// markup may end up, and walks the trees.
package xsstest
