// Package web serves the pages and the JSON API of the rooms. A room describes everything it serves as rows of Route. Access
// control, cross-site request checks, idempotency, the audit log, metrics, errors and entity tags follow from the row.
//
// A handler reads its request, calls its store, and answers with JSON or Pages.Render, or returns an error. The Kit turns the
// error into a problem document (RFC 9457) below /api/ and into a page elsewhere.
package web
