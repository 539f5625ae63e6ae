// Package daemon connects the rooms of feedwire to one process: wiring, URL map, jobs, reload and metrics.
package daemon
