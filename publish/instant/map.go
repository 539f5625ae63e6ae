package instant

import (
	"bytes"
	"encoding/json"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/instant/rules"
)

// geotag lays out the place of the figure around n.
func (b *builder) geotag(r *rules.Rule, n *html.Node, _ style) bool {
	data := b.textOf(n)
	b.replace(&data, r, "map.geotag", n)
	var compact, safe bytes.Buffer
	if json.Compact(&compact, []byte(data)) != nil {
		return false
	}
	json.HTMLEscape(&safe, compact.Bytes())
	b.hoist(figure{kind: geotagKind,
		geotag: `<script type="application/json" class="op-geotag">` + safe.String() + "</script>"})
	return true
}

// mapFigure lays out a map.
func (b *builder) mapFigure(_ *rules.Rule, n *html.Node, _ style) {
	found := joinCompanions(b.collect(func() {
		b.hoist(figure{kind: mapKind})
		b.flow(n, style{tag: paragraph, in: rules.InBody | rules.InFigure})
	}))
	if found[0].figure.geotag == "" {
		b.warn(codeLeftOut, "left out: the map has no geotag", n)
		found = found[1:]
	}
	b.blocks = append(b.blocks, moveCaptions(found)...)
}
