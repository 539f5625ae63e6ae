package check

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// objects are those of the base, as kustomize builds them and Kubernetes reads them: a field that it does not know is an error.
func objects(t *testing.T) (all []runtime.Object) {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(top, "deploy", "kustomize", "base"))
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", r.CurId(), err)
			continue
		}
		all = append(all, object)
	}
	return all
}

// the one object of a kind.
func the[T runtime.Object](t *testing.T) T {
	t.Helper()
	var found []T
	for _, o := range objects(t) {
		if o, is := o.(T); is {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("there are %d of %T", len(found), found)
	}
	return found[0]
}

func TestKustomizeBaseIsContained(t *testing.T) {
	set := the[*appsv1.StatefulSet](t)
	pod := set.Spec.Template.Spec
	c := pod.Containers[0]
	yes := func(b *bool) bool { return b != nil && *b }
	no := func(b *bool) bool { return b != nil && !*b }
	for what, ok := range map[string]bool{
		"not root":                 pod.SecurityContext != nil && yes(pod.SecurityContext.RunAsNonRoot),
		"the user of the image":    *pod.SecurityContext.RunAsUser == 65532 && *pod.SecurityContext.FSGroup == 65532,
		"system calls filtered":    pod.SecurityContext.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault,
		"read-only root":           yes(c.SecurityContext.ReadOnlyRootFilesystem),
		"no more rights":           no(c.SecurityContext.AllowPrivilegeEscalation),
		"no capabilities":          slices.Equal(c.SecurityContext.Capabilities.Drop, []corev1.Capability{"ALL"}),
		"no token of the cluster":  no(pod.AutomountServiceAccountToken),
		"a bound of memory":        !c.Resources.Limits.Memory().IsZero(),
		"a pinned image":           pinned(c.Image),
		"a volume that lasts":      len(set.Spec.VolumeClaimTemplates) == 1,
		"alive by the admin port":  c.LivenessProbe.HTTPGet.Path == "/healthz" && c.LivenessProbe.HTTPGet.Port.StrVal == "admin",
		"selectors fit the labels": labelled(set.Spec.Selector.MatchLabels, set.Spec.Template.Labels),
	} {
		if !ok {
			t.Errorf("it lacks: %s", what)
		}
	}
}

// labelled reports whether a selector selects what has these labels.
func labelled(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return len(selector) > 0
}

func TestKustomizeServiceReachesThePod(t *testing.T) {
	pod := the[*appsv1.StatefulSet](t).Spec.Template
	service := the[*corev1.Service](t)
	if !labelled(service.Spec.Selector, pod.Labels) {
		t.Errorf("the service selects %v, the pod has %v", service.Spec.Selector, pod.Labels)
	}
	ports := func(name string) bool {
		return slices.ContainsFunc(pod.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	}
	for _, p := range service.Spec.Ports {
		if !ports(p.TargetPort.StrVal) {
			t.Errorf("the service leads to port %s, which the pod has not", p.TargetPort.String())
		}
	}
	for _, rule := range the[*networkingv1.NetworkPolicy](t).Spec.Ingress {
		for _, p := range rule.Ports {
			if !ports(p.Port.StrVal) {
				t.Errorf("the policy opens port %s, which the pod has not", p.Port.String())
			}
		}
	}
}

func TestKustomizeMountsItsConfiguration(t *testing.T) {
	pod := the[*appsv1.StatefulSet](t).Spec.Template.Spec
	config := the[*corev1.ConfigMap](t)
	if _, ok := config.Data["feedwire.yaml"]; !ok {
		t.Error("the configuration is not in the ConfigMap")
	}
	for _, v := range pod.Volumes {
		if v.ConfigMap != nil && v.ConfigMap.Name != config.Name {
			t.Errorf("the pod mounts %s, the ConfigMap is %s", v.ConfigMap.Name, config.Name)
		}
	}
	if args := strings.Join(pod.Containers[0].Args, " "); args != "serve --config=/etc/feedwire/feedwire.yaml" {
		t.Errorf("the daemon is started as feedwire %s", args)
	}
}
