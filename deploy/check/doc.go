// Package check holds the files below deploy against the programs that read them: the parsers and linters of Docker, Compose
// and Kubernetes, systemd-analyze, dpkg and Grafana. It is a module of its own, so that their dependencies are not those of feedwire.
package check
