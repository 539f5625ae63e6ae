package rulesfile

import (
	"fmt"
	"strings"
	"time"
)

// dateLayout converts a format of PHP's date function to a Go layout.
func dateLayout(format string) (string, error) {
	letters := map[rune]string{'d': "02", 'j': "2", 'm': "01", 'n': "1", 'M': "Jan", 'F': "January", 'Y': "2006", 'y': "06",
		'H': "15", 'G': "15", 'h': "03", 'g': "3", 'i': "04", 's': "05", 'A': "PM", 'a': "pm", 'D': "Mon", 'l': "Monday",
		'T': "MST", 'e': "MST", 'P': "-07:00", 'O': "-0700", 'S': "", 'c': time.RFC3339}
	var sb strings.Builder
	escaped := false
	for _, r := range format {
		part, known := letters[r]
		switch {
		case r == '\\' && !escaped:
			escaped = true
			continue
		case escaped || !known && strings.ContainsRune(" ,.:;/-()|", r):
			sb.WriteRune(r)
		case !known:
			return "", fmt.Errorf("unknown letter %q in the date format", r)
		default:
			sb.WriteString(part)
		}
		escaped = false
	}
	if sb.Len() == 0 {
		return time.RFC3339, nil
	}
	return sb.String(), nil
}
