package feed

// Visitor is the person or program that sends a request.
type Visitor struct {
	Name    string // "ann", "token nightly", "the daemon's token"; empty: unknown
	Scopes  []Scope
	Account Account // without a name if the visitor has none
	Session Session // zero if the visitor has none
	ByToken bool    // a program; browsers never send a token on their own
	Open    bool    // unknown, but the pages are open to the request
}

// Known reports whether the visitor may see anything.
func (v *Visitor) Known() bool { return v.Name != "" }

// May reports whether the visitor has a scope.
func (v *Visitor) May(scope Scope) bool { return Allow(v.Scopes, scope) }
