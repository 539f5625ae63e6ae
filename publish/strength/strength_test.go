package strength_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/strength"
	"github.com/feedwire/feedwire/store/feed"
)

func TestWeakPasswordsAreRefusedWithAReason(t *testing.T) {
	for password, reason := range map[string]string{
		"":                        "at least 10 characters",
		"short":                   "at least 10 characters",
		strings.Repeat("abc", 25): "at most 72 bytes",

		"aaaaaaaaaaaa":                 "different characters",
		"abababababab":                 "different characters",
		"harbour1harbour1":             "repeats",
		"harbourharbourhar":            "repeats",
		"abcdefghijklm":                "neighbouring",
		"zyxwvuts987654":               "neighbouring",
		"19840512-7731":                "no letters",
		"password123":                  "common",
		"Password2026!":                "common",
		"P@ssw0rd!!!":                  "common",
		"1loveyou2026":                 "common",
		"qwertyuiop":                   "common",
		"QWERTY-asdfgh":                "common",
		"1q2w3e4r5t":                   "common",
		"dragon1234567":                "common",
		"letmein.letmein1":             "common",
		"Admin-Password-1":             "common",
		"Changeme!1":                   "common",
		"correct horse battery staple": "common",

		"anastasia-b":        "name of the account",
		"ANASTASIA-B":        "name of the account",
		"anastasia-b2026":    "name of the account",
		"anastasia-bqwerty1": "name of the account",

		"ferry to the isles":     "",
		"four words are fine":    "",
		"another harbour":        "",
		"anastasia-b rows home":  "",
		"kX9#vTq2!mLz":           "",
		"пароль порта":           "",
		"summer ferry timetable": "",
	} {
		err := strength.CheckPassword(password, "anastasia-b")
		switch {
		case reason == "" && err != nil, reason != "" && (!errors.Is(err, feed.ErrInvalid) || !strings.Contains(err.Error(), reason)):
			t.Errorf("%q: %v, want %q", password, err, reason)
		case reason != "" && password != "" && strings.Contains(err.Error(), password):
			t.Errorf("the error contains the password: %v", err)
		case err != nil && !strings.Contains(err.Error(), "use "):
			t.Errorf("%q: the error names no way out: %v", password, err)
		}
	}
}

func TestWeakTokensOfTheDaemonAreRefused(t *testing.T) {
	for token, reason := range map[string]string{
		"":                     "fewer than 16",
		"a-short-token":        "fewer than 16",
		"aaaaaaaaaaaaaaaaaaaa": "different characters",
		"token1234567890!":     "common",
		"admin-token-20260101": "common",
		"1234567890123456":     "neighbouring",

		"a-token-of-the-tests":             "",
		"4VZJ2Q7XKD3NRWMT5YB6HCLAEF":       "",
		"9f2c8e4b7a1d6053e8b4c7f2a9d1605e": "",
	} {
		if got := strength.WeakToken(token); (got == "") != (reason == "") || !strings.Contains(got, reason) {
			t.Errorf("%q: %q, want %q", token, got, reason)
		}
	}
}

func TestCommonPasswordsAreAShortSortedList(t *testing.T) {
	text, err := os.ReadFile("passwords.txt")
	if err != nil || len(text) > 16<<10 {
		t.Fatalf("the list has %d bytes, more than 16 KiB: %v", len(text), err)
	}
	words := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(words) < 500 || !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) {
		t.Errorf("the %d words are too few, not sorted, or twice in the list", len(words))
	}
	for _, word := range words {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || len(word) < 4 {
			t.Errorf("%q is too short or has other characters than lower-case letters and digits", word)
		}
	}
}
