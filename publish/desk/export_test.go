package desk

// NeedOf, Anyone and Oneself are for the test that walks all routes.
var (
	NeedOf  = needOf
	Anyone  = anyone
	Oneself = oneself
)
