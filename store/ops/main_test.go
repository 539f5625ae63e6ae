package ops_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, storetest.IgnoreLines()) }
