package summarizer_test

import (
	"maps"
	"slices"
)

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
