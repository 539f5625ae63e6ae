// Package doctor checks an installation and names the remedy for each problem.
package doctor
