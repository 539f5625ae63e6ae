// Package client calls the API of a feedwire daemon.
package client
