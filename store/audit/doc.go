// Package audit stores who changed what: one log for all, and with each article the entries about it.
//
// # Keys
//
// All keys belong to the desk. <id> is the number of an account.
//
//	audit                  stream   changes by people: time, who, account (<id> of who or of the creator of its token; 0: none), action;
//	                                kind, id, name, feed, about (the object, and <id> of the account that it belongs to; 0: none);
//	                                before, after, reason (of a moderator), from; trimmed by age; the newest 200,000 or a few more. Entries of older versions
//	                                have no account and about; those of layout 1 have on instead of the object
//	audit:copy             stream   the audit log without removed accounts, while it is copied
//	article:<uuid>:deeds   list     the last 50 audit entries about an article, newest first, as JSON. Package article deletes it with
//	                                the article
package audit
