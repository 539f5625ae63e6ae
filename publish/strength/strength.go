// Package strength checks that secrets that people choose are hard to guess.
package strength

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of passwords and of the daemon's token.
const (
	MinPassword = 10 // characters
	MaxPassword = 72 // bytes, the limit of bcrypt
	minToken    = 16 // characters
)

const (
	minDistinct = 5 // different characters
	minSteps    = 6 // characters that neither repeat nor continue the one before
)

// CheckPassword checks a new password of an account. The error is feed.ErrInvalid, names the reason, and does not contain the password.
func CheckPassword(password, name string) error {
	const advice = "use a phrase of several words that only you would choose"
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return fmt.Errorf("%w password: use at least %d characters", feed.ErrInvalid, MinPassword)
	case len(password) > MaxPassword:
		return fmt.Errorf("%w password: use at most %d bytes", feed.ErrInvalid, MaxPassword)
	}
	if reason := guessable(password); reason != "" {
		return fmt.Errorf("%w password: %s; %s", feed.ErrInvalid, reason, advice)
	}
	if rest := strings.ReplaceAll(strings.ToLower(password), name, ""); name != "" && len(rest) < len(password) &&
		(utf8.RuneCountInString(rest) < minSteps || guessable(rest) != "") {
		return fmt.Errorf("%w password: it is little more than the name of the account; %s", feed.ErrInvalid, advice)
	}
	return nil
}

// StrongToken says how to choose a token of the daemon.
const StrongToken = "use the output of: openssl rand -hex 24"

// WeakToken returns why a token of the daemon, which a person may have chosen, is refused; "": it is not.
func WeakToken(token string) string {
	if utf8.RuneCountInString(token) < minToken {
		return fmt.Sprintf("it has fewer than %d characters", minToken)
	}
	return guessable(token)
}

// guessable returns why a secret is among the first that an attacker tries; "": it is not.
func guessable(secret string) string {
	folded := []rune(strings.ToLower(secret))
	switch {
	case distinct(folded) < minDistinct:
		return fmt.Sprintf("it has fewer than %d different characters", minDistinct)
	case repeats(folded):
		return "it repeats a short text"
	case steps(folded) < minSteps:
		return "it is a sequence of neighbouring characters"
	case !slices.ContainsFunc(folded, unicode.IsLetter):
		return "it has no letters"
	case isCommon(folded):
		return "it is a common password, or one with digits or signs added"
	}
	return ""
}

func distinct(s []rune) int {
	seen := make(map[rune]bool)
	for _, c := range s {
		seen[c] = true
	}
	return len(seen)
}

// repeats reports whether a text shorter than a password is repeated, the last time perhaps in part.
func repeats(s []rune) bool {
	for n := 1; n < MinPassword && 2*n <= len(s); n++ {
		if slices.Equal(s[n:], s[:len(s)-n]) {
			return true
		}
	}
	return false
}

// steps counts the characters that differ by more than one from the character before, so "abcdcba" counts as one.
func steps(s []rune) (n int) {
	for i := range s {
		if i == 0 || s[i]-s[i-1] < -1 || s[i]-s[i-1] > 1 {
			n++
		}
	}
	return n
}

//go:embed passwords.txt
var passwordList string

// commonPasswords are the common passwords and the words of which others are made: lower case, letters and digits only.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(passwordList) {
		all[word] = true
	}
	return all
})

// unLeet replaces the digits and signs that commonly stand for letters.
var unLeet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// isCommon reports whether a lower-case secret consists of one or two common words, apart from signs, digits around them, and digits
// instead of letters.
func isCommon(s []rune) bool {
	notLetter := func(c rune) bool { return !unicode.IsLetter(c) }
	sign := func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}
	whole := string(s)
	core := strings.TrimFunc(whole, notLetter)
	for _, text := range []string{whole, core, unLeet.Replace(whole), unLeet.Replace(core), strings.TrimFunc(unLeet.Replace(whole), notLetter)} {
		text = strings.Map(sign, text)
		if text == "" || oneOrTwo(text) || oneOrTwo(strings.TrimFunc(text, unicode.IsDigit)) {
			return true
		}
	}
	return false
}

// oneOrTwo reports whether a text is a common password or two of them, with digits between them.
func oneOrTwo(text string) bool {
	common := commonPasswords()
	if common[text] {
		return true
	}
	for i := range text {
		if common[text[:i]] && common[strings.TrimLeftFunc(text[i:], unicode.IsDigit)] {
			return true
		}
	}
	return false
}
