package tokens_test

import (
	"errors"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	"go.uber.org/goleak"
)

// refusing stands for tiktoken's own loader, which asks the network. What counts in these tests has replaced it.
type refusing struct{}

func (refusing) LoadTiktokenBpe(string) (map[string]int, error) {
	return nil, errors.New("a vocabulary was asked from the network")
}

func TestMain(m *testing.M) {
	tiktoken.SetBpeLoader(refusing{})
	goleak.VerifyTestMain(m)
}
