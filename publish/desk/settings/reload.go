package settings

import "time"

// Reload is the result of reading the configuration again.
type Reload struct {
	Time     time.Time       `json:"time"`
	OK       bool            `json:"ok"`       // the configuration is valid; false: nothing changed
	Problems []string        `json:"problems"` // each with place, key, reason and advice
	Changes  []SettingChange `json:"changes"`  // from the configuration in force to the one read
}

// SettingChange is a setting whose value changed with a reload.
type SettingChange struct {
	Key     string `json:"key"`
	From    string `json:"from"`    // secrets masked; empty: unset
	To      string `json:"to"`      // secrets masked; empty: unset
	Restart bool   `json:"restart"` // takes effect after a restart of the daemon
}
