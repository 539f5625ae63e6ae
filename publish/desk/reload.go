package desk

import "time"

// Reload is what became of reading the configuration again.
type Reload struct {
	Time     time.Time       `json:"time"`
	OK       bool            `json:"ok"`       // what was read holds; else nothing has changed
	Problems []string        `json:"problems"` // each with its place, key, reason and way out
	Changes  []SettingChange `json:"changes"`  // between what was in force and what was read
}

// SettingChange is a setting that was read with another value than before.
type SettingChange struct {
	Key     string `json:"key"`
	From    string `json:"from"`    // secrets masked; empty: it was not there
	To      string `json:"to"`      // likewise; empty: it is there no more
	Restart bool   `json:"restart"` // it holds after a restart of the daemon only
}
