package web

// Heights of a chart, in units of its view box.
const (
	chartHeight = 60
	chartRoom   = chartHeight - 12 // of the columns; marks of failures are above
)

// Bar is one rectangle of a chart.
type Bar struct {
	X, Y, Height int
	Class        string // counted, other, quiet, news or bad
}

// Column is a column of a chart: two stacked values, and failures.
type Column struct{ First, Second, Failed int }

// Columns returns the bars of columns at a distance, and the highest value: the first value filled, the second outlined on top, and a
// mark above for failures.
func Columns(columns []Column, distance int) (bars []Bar, most int) {
	for _, c := range columns {
		most = max(most, c.First+c.Second)
	}
	for i, c := range columns {
		x, low, high := i*distance, barHeight(c.First, most), barHeight(c.First+c.Second, most)
		if c.First > 0 {
			bars = append(bars, Bar{x, chartHeight - low, low, "counted"})
		}
		if c.Second > 0 {
			bars = append(bars, Bar{x, chartHeight - high, high - low, "other"})
		}
		if c.Failed > 0 {
			bars = append(bars, Bar{x, chartHeight - high - 10, 6, "bad"})
		}
	}
	return bars, most
}

// barHeight is at least 2 for a value above 0, so that one remains visible beside a thousand.
func barHeight(n, most int) int {
	if n == 0 {
		return 0
	}
	return max(2, n*chartRoom/most)
}
