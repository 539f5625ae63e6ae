package people

import "testing"

func TestClientNetworkHasOneForm(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "::ffff:c000:201": "192.0.2.1",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:0DB8:1:2::9": "2001:db8:1:2::", "2001:db8:1:2::": "2001:db8:1:2::",
		"fe80::1%eth0": "fe80::", "::1": "::", "@": "@", "": "",
	} {
		if got := networkOf(address); got != want {
			t.Errorf("%s became %s, want %s", address, got, want)
		}
	}
}
