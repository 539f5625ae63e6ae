package check

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/opencontainers/go-digest"
)

// top is the top of the checkout.
const top = "../.."

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// anyImage stands for a registry: each image is there, with nothing said about it.
type anyImage struct{}

func (anyImage) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	config := []byte(`{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[]}}`)
	return ref, digest.FromBytes(config), config, nil
}

// The linter is the one of "docker build --check", with all its rules.
func TestDockerfileIsClean(t *testing.T) {
	text := read(t, "deploy/docker/Dockerfile")
	source := llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", text)
	source.Definition = &llb.Definition{}
	results, err := dockerfile2llb.DockerfileLint(t.Context(), text, dockerfile2llb.ConvertOpt{
		Config:       dockerui.Config{LinterConfig: &linter.Config{ExperimentalAll: true}},
		MetaResolver: anyImage{},
		SourceMap:    source,
	})
	if err != nil {
		t.Fatal(err)
	}
	if results.Error != nil {
		t.Error(results.Error.Message)
	}
	for _, w := range results.Warnings {
		t.Errorf("%s: %s (%s)", w.RuleName, w.Detail, w.URL)
	}
}

// stages are those of the Dockerfile.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	file, err := parser.Parse(bytes.NewReader(read(t, "deploy/docker/Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := instructions.Parse(file.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// find is the last instruction of a kind in a stage.
func find[T any](t *testing.T, stage instructions.Stage) (found T) {
	t.Helper()
	ok := false
	for _, c := range stage.Commands {
		if c, is := c.(T); is {
			found, ok = c, true
		}
	}
	if !ok {
		t.Fatalf("the Dockerfile has no %T", found)
	}
	return found
}

func TestImagesArePinned(t *testing.T) {
	for _, s := range stages(t) {
		if s.BaseName != "scratch" && !pinned(s.BaseName) {
			t.Errorf("FROM %s names no version", s.BaseName)
		}
	}
	last := stages(t)
	user := find[*instructions.UserCommand](t, last[len(last)-1]).User
	if id, _, _ := strings.Cut(user, ":"); id == "0" || strings.Trim(id, "0123456789") != "" {
		t.Errorf("USER %s is no number of a user without rights: Kubernetes cannot see that it is not root", user)
	}
}

// pinned reports whether an image names a full version: a number with at least two points.
func pinned(image string) bool {
	_, tag, ok := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return ok && strings.Count(tag, ".") >= 2
}
