package websub_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/signals/websub"
)

func header(values ...string) http.Header {
	return http.Header{http.CanonicalHeaderKey(websub.SignatureHeader): values}
}

func TestSignIsTheHMACOfTheBody(t *testing.T) {
	t.Parallel()
	// RFC 4231 section 4.3 (test case 2), and RFC 2202 section 3 for SHA-1.
	const secret, body = "Jefe", "what do ya want for nothing?"
	for method, want := range map[string]string{
		websub.SHA1:   "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
		websub.SHA256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		websub.SHA384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
		websub.SHA512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
	} {
		if got := websub.Sign(method, secret, []byte(body)); got != method+"="+want {
			t.Errorf("%s: got %s", method, got)
		}
		if err := websub.Verify(header(strings.ToUpper(method)+"="+strings.ToUpper(want)), secret, []byte(body)); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestVerifyRejectsInvalidSignatures(t *testing.T) {
	t.Parallel()
	const secret = "s"
	body := []byte("body")
	good := websub.Sign(websub.SHA256, secret, body)
	for name, c := range map[string]struct {
		header http.Header
		want   error
	}{
		"none":            {http.Header{}, websub.ErrUnsigned},
		"empty":           {header(""), websub.ErrUnsigned},
		"two":             {header(good, good), websub.ErrSignature},
		"other body":      {header(websub.Sign(websub.SHA256, secret, []byte("bodY"))), websub.ErrSignature},
		"other secret":    {header(websub.Sign(websub.SHA256, "S", body)), websub.ErrSignature},
		"empty secret":    {header(websub.Sign(websub.SHA256, "", body)), websub.ErrSignature},
		"more digits":     {header(good + "00"), websub.ErrSignature},
		"fewer digits":    {header(good[:len(good)-2]), websub.ErrSignature},
		"no digits":       {header("sha256="), websub.ErrSignature},
		"no hex":          {header("sha256=zz"), websub.ErrSignature},
		"no method":       {header(strings.TrimPrefix(good, "sha256=")), websub.ErrSignature},
		"method none":     {header("none="), websub.ErrSignature},
		"method md5":      {header("md5=841a2d689ad86bd1611447453c22c6fc"), websub.ErrSignature},
		"method mistaken": {header(strings.Replace(good, "sha256", "sha512", 1)), websub.ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			if err := websub.Verify(c.header, secret, body); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("sha256=00", []byte("body"))
	f.Add("sha1", []byte(""))
	f.Add("=", []byte("x"))
	f.Fuzz(func(t *testing.T, value string, body []byte) {
		const secret = "a secret that no input knows"
		if websub.Verify(header(value), secret, body) == nil {
			t.Errorf("%q passes for the signature of %q", value, body)
		}
		if err := websub.Verify(header(websub.Sign(websub.SHA512, secret, body)), secret, body); err != nil {
			t.Error(err)
		}
	})
}
