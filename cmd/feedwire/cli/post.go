package cli

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store/feed"
)

const maxImage = 5 << 20 // bytes

func newPost() *cobra.Command {
	var user reader
	var caption string
	add := &cobra.Command{
		Use: "add IMAGE...", Short: "Write a post of 1 to 10 images",
		Long:    "Write a post of 1 to 10 images: URLs, or files of up to 5 MiB (- for standard input), which are uploaded. It prints the number of the post.",
		Example: `  feedwire post add ferry.jpg --caption "The ferry" --user ann`,
		RunE: func(cmd *cobra.Command, args []string) error {
			form, err := postForm(cmd.InOrStdin(), caption, args)
			if err != nil {
				return err
			}
			e, err := request[feed.Entry](cmd, http.MethodPost, user.of("me/posts"), form)
			if err != nil {
				return err
			}
			return show(cmd, e, func(w io.Writer) { row(w, "post", e.Number()) })
		},
	}
	add.Flags().StringVar(&caption, "caption", "", "text of the post")
	all := group("post", "Write and remove posts of an account",
		add,
		list[feed.Entry]{
			use: "list", short: "List the posts of an account, newest first", path: "me/posts", query: user.query,
			columns: []string{"POST", "WHEN", "CAPTION"},
			print: func(w io.Writer, e *feed.Entry) {
				row(w, e.Number(), terminal.Ago(e.Timestamp), terminal.Cut(e.Title, 60))
			},
		}.command(),
		&cobra.Command{Use: "remove POST", Short: "Remove a post and the images that no other post has", RunE: func(cmd *cobra.Command, args []string) error {
			return echo(cmd, http.MethodDelete, user.of("me/posts/%s"), args, "removed", "removed")
		}},
	)
	user.addFlag(all)
	return withServer(all)
}

// postForm returns a post with images, which are URLs or names of files; "-" is stdin.
func postForm(stdin io.Reader, caption string, images []string) (client.Form, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body) // a buffer takes everything
	_ = form.WriteField("caption", caption)
	for _, image := range images {
		if strings.Contains(image, "://") {
			_ = form.WriteField("media", image)
			continue
		}
		text, err := readFile(stdin, image, maxImage)
		if err != nil {
			return client.Form{}, err
		}
		part, _ := form.CreateFormFile("media", filepath.Base(image))
		_, _ = part.Write(text)
	}
	_ = form.Close()
	return client.Form{MediaType: form.FormDataContentType(), Body: body.Bytes()}, nil
}

func newApp() *cobra.Command {
	var user reader
	var posts bool
	create := &cobra.Command{
		Use: "create NAME", Short: "Create an app password and print it once",
		Long: `Create an app password, with which an app reads what an account follows, and print it. NAME describes the app. See
https://github.com/feedwire/feedwire/blob/main/docs/how-to/read-in-an-app.md.`,
		Example: `  feedwire app create "NetNewsWire on the phone" --user ann`,
		RunE: func(cmd *cobra.Command, args []string) error {
			scopes := []feed.Scope{feed.ScopeFollows}
			if posts {
				scopes = append(scopes, feed.ScopePosts)
			}
			t, err := request[users.NewToken](cmd, http.MethodPost, user.of("me/apps"), map[string]any{"name": args[0], "scopes": scopes})
			if err != nil {
				return err
			}
			return show(cmd, t, func(w io.Writer) {
				row(w, "id", t.ID)
				row(w, "app password", t.Text)
			})
		},
	}
	create.Flags().BoolVar(&posts, "posts", false, "the app may also write posts")
	all := group("app", "Manage the app passwords of an account",
		create,
		list[feed.Token]{
			use: "list", short: "List the app passwords without their secrets", path: "me/apps", query: user.query, unpaged: true,
			columns: []string{"ID", "NAME", "MAY", "LAST USED"},
			print:   func(w io.Writer, t *feed.Token) { row(w, t.ID, t.Name, scopesText(t.Scopes), terminal.Ago(t.LastUsed)) },
		}.command(),
		&cobra.Command{Use: "revoke ID", Short: "Revoke an app password", RunE: func(cmd *cobra.Command, args []string) error {
			return echo(cmd, http.MethodDelete, user.of("me/apps/%s"), args, "revoked", "revoked")
		}},
	)
	user.addFlag(all)
	return withServer(all)
}
