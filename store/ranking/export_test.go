package ranking

// OrderSome is orderSome, for tests of what happens between two steps.
var OrderSome = (*Store).orderSome
