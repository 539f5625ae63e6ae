package source_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The helpers of the tests of all nouns.
var (
	each     = storetest.EachStore
	open     = storetest.OpenStore
	commands = storetest.HarbourCommands
	entry    = storetest.Entry
	claim    = storetest.Claim
	kinds    = storetest.SignalKinds
)

const harbour = storetest.Harbour

type clock = storetest.Clock
