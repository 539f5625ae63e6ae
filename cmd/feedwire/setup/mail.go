package setup

import (
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/mail"
)

// Mail returns the sender of mail that a configuration names; nil: people get no mail.
func Mail(cfg *config.Config) (*mail.Sender, error) {
	m := &cfg.Mail
	if m.Host == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	return mail.New(mail.Options{
		Host: m.Host, Port: m.Port, User: m.User, Password: m.Password.Reveal(), From: m.From, TLS: mail.TLS(m.TLS),
	})
}
