package cli

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/config"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md")

const referenceHead = `# Commands

Commands talk to the running daemon over its [API](api.md). They find it by the configuration (` + "`--config`, `--listen`" + `) or by
` + "`--server`" + `, and use the token in the data directory or in ` + "`--api-token-file`" + `.

| exit code | meaning |
|---|---|
| 0 | ok |
| 1 | failed |
| 2 | wrong usage |
| 3 | unhealthy |

` + "`-o json`" + ` prints JSON instead of tables. ` + "`feedwire completion SHELL`" + ` prints a completion script.

This page is generated from the help texts: ` + "`go test ./cmd/feedwire/cli -run TestCommandReference -update`" + `.

`

// TestCommandReference compares docs/reference/commands.md with the help texts. Run it with -update to write the page.
func TestCommandReference(t *testing.T) {
	const path = "../../../docs/reference/commands.md"
	var b strings.Builder
	b.WriteString(referenceHead)
	root := (&Program{}).Command()
	root.InitDefaultHelpCmd()
	describeCommands(&b, root)
	want := strings.TrimSuffix(b.String(), "\n")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("run go test ./cmd/feedwire/cli -run TestCommandReference -update; %s differs (-help +page):\n%s", path, diff)
	}
}

// describeCommands writes a section for each command below cmd that does something.
func describeCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		if c.HasSubCommands() {
			describeCommands(b, c)
			continue
		}
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		fmt.Fprintf(b, "## %s\n\n%s\n\n```\n%s\n```\n\n", c.CommandPath(), strings.ReplaceAll(text, "<", "&lt;"), c.UseLine())
		if c.Example != "" {
			fmt.Fprintf(b, "```\n%s\n```\n\n", strings.ReplaceAll(c.Example, "  feedwire", "feedwire"))
		}
		describeFlags(b, c)
	}
}

// describeFlags writes a table of the flags of a command. Those of options are in the reference of the configuration.
func describeFlags(b *strings.Builder, c *cobra.Command) {
	options := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(options)
	head, configured := "| flag | description |\n|---|---|\n", false
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if options.Lookup(f.Name) != nil {
			configured = true
			return
		}
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, "%s| `%s` | %s |\n", head, strings.TrimSpace("--"+f.Name+" "+kind), strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(usage))
		head = ""
	})
	if head == "" {
		b.WriteString("\n")
	}
	if configured {
		b.WriteString("The command has a flag for each option of the [configuration](configuration.md).\n\n")
	}
}
