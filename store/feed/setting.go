package feed

// Setting is the value of an option of the configuration.
type Setting struct {
	Key    string `json:"key"`    // "fetch.interval", "sources[0].url"
	Value  string `json:"value"`  // as in the file, secrets masked
	Origin string `json:"origin"` // "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN" or "flag --listen"
}

// SettingChange is a difference between two configurations: an option, or a source, webhook, profile or feed that one of
// them does not contain.
type SettingChange struct {
	Key     string `json:"key"`     // "fetch.interval", "feeds.production.window", "feeds.production"
	From    string `json:"from"`    // as in the file, secrets masked; empty: unset or added
	To      string `json:"to"`      // likewise; empty: unset or removed
	Restart bool   `json:"restart"` // takes effect after a restart of the daemon
}
