package main

import (
	"fmt"
	"math/rand/v2"
	"os"
)

// bench holds the upstream and the subjects.
type bench struct {
	dir      string
	binary   string
	profiles string // where profiles are written; "" = nowhere
	upstream *upstream
	bare     *subject
	recap    *subject // as it is without settings
	compacts *subject // Recap again, with the settings for what is rewritten
	peers    []*subject
}

// newBench starts everything; with peers httputil and nginx, too.
func newBench(peers bool) (*bench, error) {
	dir, err := os.MkdirTemp("", "recap-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir}
	if err := b.start(peers); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) start(peers bool) (err error) {
	if b.upstream, err = serveUpstream(); err != nil {
		return err
	}
	if b.binary, err = build(b.dir); err != nil {
		return err
	}
	if b.bare, err = startSelf(bareRelay, b.upstream.addr); err != nil {
		return err
	}
	if b.recap, err = b.startRecap("recap", false); err != nil {
		return err
	}
	if err = b.recap.prime(); err != nil {
		return err
	}
	if b.compacts, err = b.startRecap("recap-compacting", true); err != nil || !peers {
		return err
	}
	standard, err := startSelf(standardRelay, b.upstream.addr)
	if err != nil {
		return err
	}
	standard.peer = true
	b.peers = append(b.peers, standard)
	nginx, err := startNginx(b.dir, b.upstream.addr)
	if nginx != nil {
		nginx.peer = true
		b.peers = append(b.peers, nginx)
	}
	return err
}

func (b *bench) close() {
	for _, s := range append([]*subject{b.bare, b.recap, b.compacts}, b.peers...) {
		s.stop()
	}
	if b.upstream != nil {
		b.upstream.release()
		_ = b.upstream.server.Shutdown()
	}
	os.RemoveAll(b.dir)
}

// primed is how many checkpoints a Recap has before it is measured: one that is in use has some, and an empty store would
// let it look away from more than it may.
const primed = 20

// prime lets Recap summarise some conversations.
func (s *subject) prime() error {
	var list []request
	for i := range uint64(primed) {
		t := newTalk(rand.New(rand.NewPCG(i, 95)), primeModel, 32*kilobyte, 16*kilobyte, 0)
		list = append(list, request{talk: t, path: chatPath, wish: plain, header: [2]string{"X-Recap-Mode", "force"}, status: "compacted"})
	}
	if err := (&sender{subject: s}).send(list, 4); err != nil {
		return fmt.Errorf("write the first checkpoints: %w", err)
	}
	return nil
}
