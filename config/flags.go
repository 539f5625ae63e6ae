package config

import (
	"strings"

	"github.com/spf13/pflag"
)

// Flags adds one flag for each option to a set. They only keep what they are given; Load reads it, so that what is wrong
// with them is told together with all else.
func Flags(fs *pflag.FlagSet) {
	for _, o := range options() {
		var c Config
		v := o.value(&c)
		short, _, _ := strings.Cut(o.doc, ". ")
		kind, _, _ := strings.Cut(v.kind, ",")
		f := fs.VarPF(&flagText{kind: kind, list: v.list}, o.flag(), "", strings.TrimSuffix(short, "."))
		f.DefValue = o.def
		if o.def == "false" {
			f.NoOptDefVal = "true"
		}
	}
}

// readFlags reads the flags that were given.
func (l *loader) readFlags(fs *pflag.FlagSet) {
	for _, o := range options() {
		if f := fs.Lookup(o.flag()); f != nil && f.Changed {
			l.setFlat(o, place{name: "--" + o.flag()}, f.Value.String())
		}
	}
}

// flagText is a pflag.Value that keeps the text it is given. A list may be given in several flags.
type flagText struct {
	kind string
	list bool
	text string
}

func (f *flagText) String() string { return f.text }
func (f *flagText) Type() string   { return f.kind }

func (f *flagText) Set(s string) error {
	if f.list && f.text != "" {
		s = f.text + "," + s
	}
	f.text = s
	return nil
}
