package parser_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// The expectations of the corpus are Python expressions over what another parser returns. This is as much of Python as
// they need. Values are string, float64, bool, nil, []any, map[string]any, unmapped and missing.

// unmapped is what we have no field for. A comparison with it is not judged.
type unmapped struct{}

// missing is an item that a list of ours does not have. A comparison with it does not hold.
type missing struct{}

// expectation is an expression that is evaluated while it is read.
type expectation struct {
	rest   string
	names  map[string]any
	equal  func(got any, want any) bool
	failed []string // comparisons that do not hold
}

// evaluate reports whether an expression holds. judged is false where it asks for something we have no field for.
func (x *expectation) evaluate() (met, judged bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v at %.40q", p, x.rest)
		}
	}()
	v := x.or()
	if x.space(); x.rest != "" {
		panic("expression goes on")
	}
	if _, ok := v.(unmapped); ok {
		return false, false, nil
	}
	return truth(v), true, nil
}

func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case float64:
		return v != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

func (x *expectation) space() { x.rest = strings.TrimLeft(x.rest, " \t\r\n") }

// take reads a word or sign if it comes next.
func (x *expectation) take(word string) bool {
	x.space()
	rest, ok := strings.CutPrefix(x.rest, word)
	if !ok || word[0] >= 'a' && rest != "" && (rest[0] == '_' || rest[0] >= 'a' && rest[0] <= 'z') {
		return false
	}
	x.rest = rest
	return true
}

func (x *expectation) or() any {
	v := x.and()
	for x.take("or") {
		w := x.and()
		_, left := v.(unmapped)
		_, right := w.(unmapped)
		if left && right {
			continue
		}
		v = !left && truth(v) || !right && truth(w)
	}
	return v
}

// and omits what is unmapped: the rest can still be judged.
func (x *expectation) and() any {
	v := x.not()
	for x.take("and") {
		w := x.not()
		if _, ok := v.(unmapped); ok {
			v = w
		} else if _, ok := w.(unmapped); !ok {
			v = truth(v) && truth(w)
		}
	}
	return v
}

func (x *expectation) not() any {
	if x.take("not") {
		v := x.not()
		if _, ok := v.(unmapped); ok {
			return v
		}
		return !truth(v)
	}
	return x.compare()
}

func (x *expectation) compare() any {
	left := x.sum()
	var result any
	for {
		switch {
		case x.take("=="), x.take("is"):
			right := x.sum()
			_, a := left.(unmapped)
			_, b := right.(unmapped)
			if a || b {
				result, left = unmapped{}, right
				continue
			}
			_, lacks := left.(missing)
			ok := !lacks && x.equal(left, right)
			if !ok {
				x.failed = append(x.failed, fmt.Sprintf("got %.300q, want %.300q", fmt.Sprint(left), fmt.Sprint(right)))
			}
			if _, never := result.(unmapped); !never {
				result = ok && (result == nil || truth(result))
			}
			left = right
			continue
		case x.take("not in"), x.take("in"):
			x.sum()
			return unmapped{}
		case result != nil:
			return result
		}
		return left
	}
}

func (x *expectation) sum() any {
	v := x.postfix()
	for x.take("+") {
		v = fmt.Sprint(v) + fmt.Sprint(x.postfix())
	}
	return v
}

func (x *expectation) postfix() any {
	v := x.primary()
	for {
		switch {
		case strings.HasPrefix(x.rest, "["):
			x.take("[")
			v = index(v, x.or())
			x.must("]")
		case strings.HasPrefix(x.rest, "."):
			x.rest = x.rest[1:]
			v = index(v, x.word())
		case strings.HasPrefix(x.rest, "("): // methods and functions of other modules
			x.take("(")
			for !x.take(")") {
				x.or()
				x.take(",")
			}
			v = unmapped{}
		default:
			return v
		}
	}
}

func (x *expectation) must(sign string) {
	if !x.take(sign) {
		panic("want " + sign)
	}
}

func (x *expectation) word() string {
	n := 0
	for n < len(x.rest) && (x.rest[n] == '_' || x.rest[n] >= 'a' && x.rest[n] <= 'z' || x.rest[n] >= 'A' && x.rest[n] <= 'Z' ||
		n > 0 && x.rest[n] >= '0' && x.rest[n] <= '9') {
		n++
	}
	word := x.rest[:n]
	x.rest = x.rest[n:]
	return word
}

func index(v, key any) any {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := key.(string); ok {
			if value, ok := v[name]; ok {
				return value
			}
		}
		return unmapped{}
	case []any:
		n, ok := key.(float64)
		if i := int(n); ok && i < 0 && -i <= len(v) {
			return v[len(v)+i]
		} else if ok && i >= 0 && i < len(v) {
			return v[i]
		}
		return missing{}
	case nil, missing:
		return missing{}
	}
	return unmapped{}
}

func (x *expectation) primary() any {
	x.space()
	switch {
	case x.rest == "":
		panic("expression ends")
	case x.take("("):
		v := x.or()
		if x.take(")") {
			return v
		}
		list := []any{v}
		for x.take(",") {
			if strings.HasPrefix(strings.TrimSpace(x.rest), ")") {
				break
			}
			list = append(list, x.or())
		}
		x.must(")")
		return list
	case x.take("["):
		var list []any
		for !x.take("]") {
			list = append(list, x.or())
			x.take(",")
		}
		return list
	case x.take("{"):
		m := map[string]any{}
		for !x.take("}") {
			key, _ := x.or().(string)
			x.must(":")
			m[key] = x.or()
			x.take(",")
		}
		return m
	}
	c := x.rest[0]
	if c == '\'' || c == '"' || c == 'u' && len(x.rest) > 1 && (x.rest[1] == '\'' || x.rest[1] == '"') {
		x.rest = strings.TrimPrefix(x.rest, "u")
		return x.str()
	}
	if c == '-' || c >= '0' && c <= '9' {
		n := strings.IndexFunc(x.rest[1:], func(r rune) bool { return (r < '0' || r > '9') && r != '.' }) + 1
		if n == 0 {
			n = len(x.rest)
		}
		f, _ := strconv.ParseFloat(x.rest[:n], 64)
		x.rest = x.rest[n:]
		return f
	}
	switch word := x.word(); word {
	case "True":
		return true
	case "False":
		return false
	case "None":
		return nil
	case "len":
		x.must("(")
		v := x.or()
		x.must(")")
		if _, ok := v.(unmapped); ok || v == nil {
			return unmapped{}
		}
		return float64(reflect.ValueOf(v).Len())
	case "":
		panic("unknown sign")
	default:
		if v, ok := x.names[word]; ok {
			return v
		}
		return unmapped{}
	}
}

// str reads a string literal.
func (x *expectation) str() string {
	quote := x.rest[0]
	var out strings.Builder
	for i := 1; i < len(x.rest); i++ {
		switch c := x.rest[i]; {
		case c == quote:
			x.rest = x.rest[i+1:]
			return out.String()
		case c == '\\' && i+1 < len(x.rest):
			i++
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[x.rest[i]]
			if digits > 0 && i+digits < len(x.rest) {
				n, _ := strconv.ParseInt(x.rest[i+1:i+1+digits], 16, 32)
				out.WriteRune(rune(n))
				i += digits
				continue
			}
			escaped := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': `\`, '\'': "'", '"': `"`}[x.rest[i]]
			if escaped == "" {
				escaped = x.rest[i-1 : i+1]
			}
			out.WriteString(escaped)
		default:
			out.WriteByte(c)
		}
	}
	panic("string does not end")
}
