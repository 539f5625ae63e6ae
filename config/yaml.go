package config

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a file. The parser recurses for each level of nesting, and its time grows with the square of the keys in a block.
const (
	maxFile          = 1 << 20 // bytes
	maxFlowDepth     = 16      // of [ and {
	maxTokensPerLine = 2000
	maxKeys          = 20_000
)

// node is one value of a YAML document with its place.
type node struct {
	kind  kind
	at    place
	text  string // of a scalar, without quotes and escapes
	items []node // of a list
	pairs []pair // of a block of keys
}

// pair is a key and its value.
type pair struct {
	key   string
	at    place // of the key
	value node
}

// child returns the value of a key of a block, or nil.
func (n *node) child(key string) *node {
	for i := range n.pairs {
		if n.pairs[i].key == key {
			return &n.pairs[i].value
		}
	}
	return nil
}

type kind int

const (
	nothing kind = iota // null or empty
	scalar
	sequence
	mapping
)

// String returns the kind for people.
func (k kind) String() string {
	return [...]string{"nothing", "a single value", "a list", "a block of keys"}[k]
}

// parse parses the file. It rejects anchors, aliases, merge keys and tags, because they hide where a value comes from.
// Problems repeat no content of the file except names of keys, because it may be a secret.
func (l *loader) parse(src []byte) (root node) {
	defer func() {
		if r := recover(); r != nil {
			root = node{}
			l.refuse(nil, "the file cannot be read as YAML", "look for unusual syntax")
		}
	}()
	switch {
	case len(src) > maxFile:
		l.refuse(nil, "the file is larger than "+spellSize(maxFile), "add sources to the running daemon instead")
		return node{}
	case !utf8.Valid(src):
		l.refuse(nil, "the file is not UTF-8", "save it as UTF-8")
		return node{}
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) // the parser counts CRLF as two lines behind a comment
	src = bytes.ReplaceAll(src, []byte("\r"), []byte("\n"))
	tokens := lexer.Tokenize(string(src))
	if l.isTooMuch(tokens) {
		return node{}
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // pairs reports duplicates
	if err != nil {
		l.syntax(err)
		return node{}
	}
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root.kind == nothing:
			root = l.node(doc.Body)
		default:
			l.refuse(doc.Body.GetToken(), "a second document begins here", "remove the line ---")
		}
	}
	return root
}

func (l *loader) at(tk *token.Token) place {
	if tk == nil || tk.Position == nil {
		return place{File: l.file}
	}
	return place{l.file, tk.Position.Line, tk.Position.Column}
}

// refuse reports a problem at a token.
func (l *loader) refuse(tk *token.Token, reason, hint string) { l.problem(l.at(tk), "", reason, hint) }

// isTooMuch rejects documents that the parser would need too much time or stack for.
func (l *loader) isTooMuch(tokens token.Tokens) bool {
	var depth, keys, line, inLine int
	for _, tk := range tokens {
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.MappingKeyType, token.MappingValueType:
			keys++
		}
		if tk.Position.Line != line {
			line, inLine = tk.Position.Line, 0
		}
		inLine++
		if depth > maxFlowDepth || inLine > maxTokensPerLine {
			l.refuse(tk, "the line is too long or nested too deeply", "write one item in a line")
			return true
		}
		if keys > maxKeys {
			l.refuse(tk, fmt.Sprintf("the file contains more than %d keys", maxKeys),
				"write sources as URLs alone, or add them to the running daemon")
			return true
		}
	}
	return false
}

// syntax reports an error of the parser.
func (l *loader) syntax(err error) {
	reason := "the file is not YAML"
	var tk *token.Token
	if syntax, ok := errors.AsType[*yaml.SyntaxError](err); ok {
		reason, tk = "this is not YAML: "+syntax.Message, syntax.Token
	}
	l.refuse(tk, reason, "check indentation, colons and quotes here and in the lines around it")
}

func (l *loader) node(n ast.Node) node {
	tk := n.GetToken()
	made := node{at: l.at(tk)}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		made.kind = mapping
		made.pairs = l.pairs(n.Values)
	case *ast.MappingValueNode:
		made.kind = mapping
		made.pairs = l.pairs([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		made.kind = sequence
		for _, item := range n.Values {
			made.items = append(made.items, l.node(item))
		}
	case *ast.StringNode:
		made.kind, made.text = scalar, n.Value
	case *ast.LiteralNode:
		made.kind, made.text = scalar, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		made.kind, made.text = scalar, tk.Value
	default:
		l.refuse(tk, "anchors, aliases and tags are not supported",
			"write the value out, in quotes if it begins with & * or !")
	}
	if len(made.pairs) > 0 {
		made.at = made.pairs[0].at // the parser returns the place of the first colon
	}
	return made
}

func (l *loader) pairs(values []*ast.MappingValueNode) []pair {
	var pairs []pair
	seen := make(map[string]place, len(values))
	for _, v := range values {
		before := len(l.problems)
		key := l.node(v.Key)
		if len(l.problems) > before {
			continue
		}
		if key.kind != scalar {
			l.refuse(v.Key.GetToken(), "this is not a key", "write key: value")
			continue
		}
		if first, twice := seen[key.text]; twice {
			l.refuse(v.Key.GetToken(), "the key "+quote(key.text)+" appears twice",
				fmt.Sprintf("remove one; the first is in line %d", first.Line))
			continue
		}
		seen[key.text] = key.at
		pairs = append(pairs, pair{key.text, key.at, l.node(v.Value)})
	}
	return pairs
}
