// Package demo runs a daemon with sources and a crawler of its own, and prints what happens.
package demo
