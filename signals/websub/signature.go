package websub

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // section 8.3: hubs sign with it still, and collisions do not break an HMAC
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"strings"
)

// SignatureHeader is the header field with the signature of a delivery (section 7.1).
const SignatureHeader = "X-Hub-Signature"

// MaxSecret is the longest secret, in bytes (section 5.1: less than 200).
const MaxSecret = 199

// The methods of signatures (section 7.1.1), which are hash functions.
const (
	SHA1   = "sha1"
	SHA256 = "sha256"
	SHA384 = "sha384"
	SHA512 = "sha512"
)

// Errors of Verify.
var (
	// ErrUnsigned: the signature is missing.
	ErrUnsigned = errors.New("the delivery is not signed")
	// ErrSignature: the signature does not match the body and the secret, or its method is unknown.
	ErrSignature = errors.New("the delivery's signature is wrong")
)

var hashes = map[string]func() hash.Hash{SHA1: sha1.New, SHA256: sha256.New, SHA384: sha512.New384, SHA512: sha512.New}

// IsMethod reports whether the method exists.
func IsMethod(name string) bool { return hashes[name] != nil }

// Sign returns the value of SignatureHeader for a body, "sha256=…". It panics if the method is unknown.
func Sign(method, secret string, body []byte) string {
	return method + "=" + hex.EncodeToString(sum(method, secret, body))
}

// Verify checks the signature of a delivery in constant time. The error is ErrUnsigned or ErrSignature.
func Verify(header http.Header, secret string, body []byte) error {
	values := header.Values(SignatureHeader)
	if len(values) == 0 || values[0] == "" {
		return ErrUnsigned
	}
	name, digits, _ := strings.Cut(strings.TrimSpace(values[0]), "=")
	method := strings.ToLower(name)
	if len(values) > 1 || !IsMethod(method) {
		return fmt.Errorf("%w: it must be one of sha1, sha256, sha384, sha512", ErrSignature)
	}
	got, err := hex.DecodeString(digits)
	if err != nil || !hmac.Equal(got, sum(method, secret, body)) {
		return ErrSignature
	}
	return nil
}

func sum(method, secret string, body []byte) []byte {
	mac := hmac.New(hashes[method], []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}
