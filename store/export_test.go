package store

// NewBufferedConn gives a raw connection the buffers that the store's own have.
var NewBufferedConn = newBufferedConn
