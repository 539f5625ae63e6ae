package config

import (
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

func groupKey(name string) string { return "groups." + name }

// groupOption returns the option with the rules of a group.
func groupOption(name string) *option {
	o := &option{Key: groupKey(name), Field: "rules", list: true}
	o.kind = o.value(&feed.RuledGroup{}).kind
	return o
}

// decodeGroups reads the rules of groups.
func (l *loader) decodeGroups(n node) {
	if !l.isOf(mapping, n, "groups", "a block of groups", "write the name of each group, like sport: [category:sport]") {
		return
	}
	if len(n.pairs) > feed.MaxRuledGroups {
		l.problem(n.at, "groups", fmt.Sprintf("there are %d groups with rules", len(n.pairs)), fmt.Sprintf("use at most %d", feed.MaxRuledGroups))
		return
	}
	for _, p := range n.pairs {
		l.decodeGroup(p)
	}
}

func (l *loader) decodeGroup(p pair) {
	if err := feed.CheckGroup(p.key); err != nil {
		l.problem(p.at, "groups", quote(p.key)+" cannot be the name of a group", strings.TrimPrefix(invalidReason(err), "group: "))
		return
	}
	if len(p.value.items) > feed.MaxGroupRules {
		l.problem(p.value.at, groupKey(p.key), fmt.Sprintf("there are %d rules", len(p.value.items)), fmt.Sprintf("use at most %d", feed.MaxGroupRules))
		return
	}
	made := feed.RuledGroup{Name: p.key}
	l.decodeValue(&made, groupOption(p.key), "", p)
	l.config.Groups = append(l.config.Groups, made)
}

// groupRule parses "category:sport".
func groupRule(s string) (rule feed.GroupRule, problem *Problem) {
	const example = "write prefix:value, like category:sport"
	rule, err := feed.ParseGroupRule(s)
	if prefix, _, ok := strings.Cut(s, ":"); err != nil && ok && rule.Value != "" {
		return rule, wrong("there is no prefix "+quote(prefix), didYouMean(prefix, feed.GroupPrefixes(), "use one of "+strings.Join(feed.GroupPrefixes(), ", ")))
	}
	if err != nil {
		return rule, wrong(quote(s)+" is not a rule", example)
	}
	if rule.Prefix == "source" {
		rule.Value, problem = sourceURL(rule.Value)
	}
	return rule, problem
}
