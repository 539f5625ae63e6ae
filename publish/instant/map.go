package instant

import (
	"bytes"
	"encoding/json"

	"golang.org/x/net/html"
)

// geotag is the place that the figure around it shows.
func (b *builder) geotag(r *rule, n *html.Node, _ style) bool {
	data := b.textOf(n)
	if r.props["map.geotag"] != nil {
		data, _ = b.value(r, "map.geotag", n)
	}
	var compact, safe bytes.Buffer
	if json.Compact(&compact, []byte(data)) != nil {
		return false
	}
	json.HTMLEscape(&safe, compact.Bytes())
	b.hoist(figure{kind: geotagKind,
		geotag: `<script type="application/json" class="op-geotag">` + safe.String() + "</script>"})
	return true
}

// mapFigure shows a map of the place that it names.
func (b *builder) mapFigure(_ *rule, n *html.Node, _ style) bool {
	found := joined(b.gather(func() {
		b.hoist(figure{kind: mapKind})
		b.flow(n, style{tag: paragraph, in: inBody | inFigure})
	}))
	if found[0].figure.geotag == "" {
		b.warn(codeLeftOut, "left out: a map without a place", n)
		found = found[1:]
	}
	b.blocks = append(b.blocks, captioned(found)...)
	return true
}
