package feed

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of lists that editors arrange.
const (
	MaxLists           = 200  // of a store
	MaxListed          = 1000 // entries of a list
	MaxListsOf         = 32   // of an entry
	MaxListTitle       = 200  // bytes
	MaxListDescription = 1000 // bytes
)

// ListNew is the version of a list that does not exist.
const ListNew = "new"

// Editable reports whether editors create, change and delete the list.
func (l *EntryList) Editable() bool { return l.Kind == ListArranged || l.Kind == ListSearch }

// CheckArranged returns nil if editors can have a list with this name, title, description and query. The error is ErrInvalid.
func (l *EntryList) CheckArranged() error {
	switch {
	case strings.TrimSpace(l.Title) == "" || len(l.Title) > MaxListTitle || !isOneLine(l.Title):
		return Invalid("title", fmt.Sprintf("use one line of up to %d bytes", MaxListTitle))
	case len(l.Description) > MaxListDescription || !isOneLine(l.Description):
		return Invalid("description", fmt.Sprintf("use one line of up to %d bytes", MaxListDescription))
	}
	if err := l.checkQuery(); err != nil {
		return err
	}
	return checkListName("list", l.Name)
}

// checkQuery returns nil if the list has no query, or one that selects some entries. The error is ErrInvalid.
func (l *EntryList) checkQuery() error {
	if l.Query == "" {
		return nil
	}
	s, err := ParseSearch(l.Query)
	invalid, _ := errors.AsType[FieldErrors](err)
	switch {
	case err != nil:
		return Invalid("query", invalid[0].Reason)
	case !isOneLine(l.Query):
		return Invalid("query", "use one line")
	case len(s.Terms) == 0 && s.From.IsZero() && s.Until.IsZero():
		return Invalid("query", "enter words to search for")
	}
	return nil
}

// isOneLine reports whether a text is valid UTF-8 on one line, without control characters and marks that change the direction of text.
func isOneLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
	})
}

// ListTarget is a place in a list that editors arrange. The zero value is the top for an entry that is added, and where it is for one that is
// in the list.
type ListTarget struct {
	Before   string `json:"before,omitempty"`   // number of the entry that is to follow; empty: see Position
	Position int    `json:"position,omitempty"` // from 1; beyond the end is the end
}

// Check returns nil if an entry can be placed there. The error is ErrInvalid.
func (t ListTarget) Check() error {
	switch {
	case t.Position < 0 || t.Position > MaxListed:
		return Invalid("position", fmt.Sprintf("use a number from 1 to %d", MaxListed))
	case t.Before != "" && t.Position != 0:
		return Invalid("before", "leave out before or position")
	case len(t.Before) > 19 || strings.Trim(t.Before, "0123456789") != "":
		return Invalid("before", "use the number of an entry, such as 5 for Entry:5")
	}
	return nil
}
