package web

// Columns of a chart, in units of its view box.
const (
	chartHeight = 60
	chartRoom   = chartHeight - 12 // of the columns; marks of failures are above
)

// Bar is one rectangle of a chart.
type Bar struct {
	X, Y, Height int
	Class        string // counted, other, quiet, news or bad
}

// Column returns a column of two stacked values in a chart whose highest column is most: first filled, second outlined on top. top is the
// upper end of the column.
func Column(x, first, second, most int) (bars []Bar, top int) {
	low, high := barHeight(first, most), barHeight(first+second, most)
	if first > 0 {
		bars = append(bars, Bar{x, chartHeight - low, low, "counted"})
	}
	if second > 0 {
		bars = append(bars, Bar{x, chartHeight - high, high - low, "other"})
	}
	return bars, chartHeight - high
}

// FailureMark returns the mark of a failure above a column.
func FailureMark(x, top int) Bar { return Bar{x, top - 10, 6, "bad"} }

// barHeight is at least 2 for a value above 0, so that one remains visible beside a thousand.
func barHeight(n, most int) int {
	if n == 0 || most == 0 {
		return 0
	}
	return max(2, n*chartRoom/most)
}
