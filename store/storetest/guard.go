package storetest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Who comes to a guarded server: an operator, who may do everything, and feedwire, at Redis as one user and at Sentinels as
// another, with the rights of docs/how-to/connect-redis.md.
const (
	operatorPassword = "of the operator"
	userPassword     = "p@ss/word"
	watcherPassword  = "of_the_watcher"
)

// The rights of feedwire's users, but for keys.
const (
	userRights    = "resetchannels +@all -@admin -@dangerous +info +role +config|get +acl|dryrun +cluster|slots +client|pause +client|unpause +restore"
	watcherRights = "+sentinel|master +sentinel|get-master-addr-by-name"
)

// Guard is what servers of a test ask of clients: a certificate of the test's own authority, which has signed theirs, too,
// and a user with a password.
type Guard struct {
	query string // of URLs: where our certificates are
	own   *tls.Config
	files []string // arguments of a server
	keys  string   // which feedwire may use
}

// NewGuard makes certificates that hold for an hour, and a user that may use keys of a pattern.
func NewGuard(tb testing.TB, keys string) *Guard {
	tb.Helper()
	dir := tb.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	member := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "member of a test"},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	sign := func(template *x509.Certificate, key, by *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, template, authority, &key.PublicKey, by)
		if err != nil {
			tb.Fatal(err)
		}
		return der
	}
	authorityKey, memberKey := newKey(tb), newKey(tb)
	ca := write("ca.pem", "CERTIFICATE", sign(authority, authorityKey, authorityKey))
	cert := write("cert.pem", "CERTIFICATE", sign(member, memberKey, authorityKey))
	secret, err := x509.MarshalPKCS8PrivateKey(memberKey)
	if err != nil {
		tb.Fatal(err)
	}
	key := write("key.pem", "PRIVATE KEY", secret)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		tb.Fatal(err)
	}
	return &Guard{
		query: url.Values{"tls_ca": {ca}, "tls_cert": {cert}, "tls_key": {key}}.Encode(),
		own:   &tls.Config{Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true}, //nolint:gosec // the test's own way in; that of feedwire verifies
		files: []string{"--tls-ca-cert-file", ca, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-replication", "yes", "--tls-cluster", "yes"},
		keys:  keys,
	}
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// arguments are what a redis-server is started with in addition.
func (g *Guard) arguments() []string {
	if g == nil {
		return nil
	}
	user := append([]string{"--user", "feedwire", "on", ">" + userPassword, "~" + g.keys}, strings.Fields(userRights)...)
	return slices.Concat(g.files, []string{"--requirepass", operatorPassword, "--masterauth", operatorPassword}, user)
}

// sentinelLogin is the end of the URL of guarded Sentinels.
const sentinelLogin = "&sentinel_user=watcher&sentinel_password=" + watcherPassword

// sentinel is what a Sentinel has in its configuration in addition.
func (g *Guard) sentinel() string {
	if g == nil {
		return ""
	}
	text := fmt.Sprintf("requirepass %q\nsentinel sentinel-pass %[1]q\nsentinel auth-pass feedwire %[1]q\nuser watcher on >%s %s\n",
		operatorPassword, watcherPassword, watcherRights)
	for i := 0; i < len(g.files); i += 2 {
		text += strings.TrimPrefix(g.files[i], "--") + " " + g.files[i+1] + "\n"
	}
	return text
}

// enter makes a connection one of the operator.
func (g *Guard) enter(ctx context.Context, plain net.Conn) (net.Conn, error) {
	conn := tls.Client(plain, g.own)
	err := conn.HandshakeContext(ctx)
	if err == nil {
		_, err = fmt.Fprintf(conn, "AUTH \"%s\"\r\n", operatorPassword)
	}
	answer := make([]byte, len("+OK\r\n"))
	if err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	if err == nil && string(answer) != "+OK\r\n" {
		err = fmt.Errorf("AUTH was answered %q …", answer)
	}
	if err != nil {
		_ = plain.Close() // of no use
		return nil, err
	}
	return conn, nil
}

// address is a URL with what feedwire needs to come in; nothing is needed where there is no guard.
func (g *Guard) address(scheme, hosts, path, query string) string {
	if g == nil {
		return "redis" + scheme + "://" + hosts + path
	}
	return "rediss" + scheme + "://" + url.UserPassword("feedwire", userPassword).String() + "@" + hosts + path + "?" + g.query + query
}
