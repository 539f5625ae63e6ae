package instant

import (
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/instant/validate"
)

// ordinals removes the suffixes of ordinals like 1st, for which Go's layouts have no form.
var ordinals = strings.NewReplacer("1st", "1", "2nd", "2", "3rd", "3", "0th", "0", "1th", "1", "2th", "2", "3th", "3",
	"4th", "4", "5th", "5", "6th", "6", "7th", "7", "8th", "8", "9th", "9")

// zone returns the time zone of dates that name none.
func (b *builder) zone() *time.Location {
	zone, err := time.LoadLocation(b.opts.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// setTime sets t to a date of ISO 8601. It returns false and changes nothing for anything else.
func (b *builder) setTime(t *time.Time, value string) bool {
	parsed, err := validate.Time(value)
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if err != nil {
			parsed, err = time.ParseInLocation(layout, value, b.zone())
		}
	}
	if err == nil {
		*t = parsed.UTC()
	}
	return err == nil
}
