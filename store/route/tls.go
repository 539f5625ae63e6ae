package route

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/feedwire/feedwire/store/address"
)

// tlsConfig returns the TLS configuration of clients. The client certificate is read for each connection, because it may be renewed
// while the daemon runs. The name of a server is the host that is dialled.
func tlsConfig(files address.TLSFiles) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if files.CA != "" {
		text, err := os.ReadFile(files.CA)
		if err != nil {
			return nil, fmt.Errorf("tls_ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, errors.New("tls_ca: " + files.CA + " holds no certificate in PEM")
		}
	}
	if files.Cert == "" {
		return config, nil
	}
	own := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
		if err != nil {
			return nil, fmt.Errorf("tls_cert %s with tls_key %s: %w", files.Cert, files.Key, err)
		}
		return &pair, nil
	}
	if _, err := own(nil); err != nil {
		return nil, err
	}
	config.GetClientCertificate = own
	return config, nil
}
