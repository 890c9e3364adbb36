package workload

import (
	"errors"
	"io/fs"

	"recap/internal/fakellm"
)

// Recorded is W10: the runs in a folder of traces, none where the folder is absent.
func Recorded(dir string) ([]Run, error) {
	traces, err := fakellm.Traces(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs := make([]Run, len(traces))
	for i := range traces {
		t := &traces[i]
		runs[i] = grown("W10", t.Name, "openai", lineOf("openai", t.Body("openai", len(t.Messages))))
	}
	return runs, nil
}
