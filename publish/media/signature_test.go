package media_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// signature checks the signatures of a request to S3 (Signature Version 4), and of its chunks, which are signed one after the other.
type signature struct {
	key         []byte
	date, scope string
	last        string // signature
}

var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=wire/((\d{8})/([a-z0-9-]+)/s3/aws4_request), ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$`)

// signatureOf returns the signature of a request; nil: it is not signed with a secret.
func signatureOf(r *http.Request, secret string) *signature {
	m := authorization.FindStringSubmatch(r.Header.Get("Authorization"))
	if m == nil {
		return nil
	}
	s := &signature{key: []byte("AWS4" + secret), date: r.Header.Get("X-Amz-Date"), scope: m[1]}
	for _, part := range []string{m[2], m[3], "s3", "aws4_request"} {
		s.key = keyed(s.key, part)
	}
	var canonical bytes.Buffer
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", r.Method, r.URL.EscapedPath(), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"))
	for name := range strings.SplitSeq(m[4], ";") {
		value := strings.Join(r.Header.Values(name), ",")
		if name == "host" {
			value = r.Host
		}
		fmt.Fprintf(&canonical, "%s:%s\n", name, strings.TrimSpace(value))
	}
	fmt.Fprintf(&canonical, "\n%s\n%s", m[4], r.Header.Get("X-Amz-Content-Sha256"))
	if !s.matches(m[5], "AWS4-HMAC-SHA256", digest(canonical.Bytes())) {
		return nil
	}
	return s
}

// chunk reports whether a chunk has the signature in its first line.
func (s *signature) chunk(line string, chunk []byte) bool {
	_, sent, _ := strings.Cut(strings.TrimSpace(line), ";chunk-signature=")
	return s.matches(sent, "AWS4-HMAC-SHA256-PAYLOAD", s.last, digest(nil), digest(chunk))
}

// matches reports whether a signature is that of some lines, and becomes the last one.
func (s *signature) matches(sent, algorithm string, lines ...string) bool {
	text := strings.Join(append([]string{algorithm, s.date, s.scope}, lines...), "\n")
	s.last = hex.EncodeToString(keyed(s.key, text))
	return s.last == sent
}

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
