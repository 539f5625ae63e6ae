package images

import "net/http"

// SetTransport replaces the network.
func (i *Images) SetTransport(rt http.RoundTripper) { i.client.Transport = rt }
