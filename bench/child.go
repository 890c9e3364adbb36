package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// child is one of the two proxies, in a process of its own.
type child struct {
	cmd    *exec.Cmd
	addr   string
	status string // X-Recap-Status that a chat must have, "" = do not look
}

// startRelay runs this program again as the bare relay.
func startRelay(upstream string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-relay", upstream)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start bare relay: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	c := &child{cmd: cmd, addr: strings.TrimSpace(line)}
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("start bare relay: %w", err)
	}
	return c, nil
}

// startRecap builds the project and serves, as a user would, with a window that no request fills: what is measured is
// the price of every request, not of a compaction.
func startRecap(dir, upstream string) (*child, error) {
	binary := filepath.Join(dir, "recap")
	if out, err := exec.Command("go", "build", "-o", binary, "recap").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build recap: %w\n%s", err, out)
	}
	listen, admin, err := freeAddresses()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "recap.yaml")
	text := fmt.Sprintf("listen: %s\nadmin: {listen: %s}\nstore: {path: %s}\nmodels: [{match: \"*\", contextWindow: 400000}]\n",
		listen, admin, filepath.Join(dir, "recap.db"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "recap.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(binary, "serve", "--config", config, "--upstream", "http://"+upstream)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start recap: %w", err)
	}
	c := &child{cmd: cmd, addr: listen, status: "clear"}
	if err := awaitListener(listen); err != nil {
		c.stop()
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("start recap: %w\n%s", err, text)
	}
	return c, nil
}

// stop ends the child and waits for it.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(10*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	_ = c.cmd.Wait()
}

// cost returns the CPU time that the child spends on one measured request of the batch.
func (c *child) cost(b *batch) (time.Duration, error) {
	if err := c.send(b.first, b.workers); err != nil {
		return 0, err
	}
	before, err := c.rest()
	if err != nil {
		return 0, err
	}
	for _, turn := range b.next {
		if err := c.send(turn, b.workers); err != nil {
			return 0, err
		}
	}
	after, err := c.rest()
	if err != nil {
		return 0, err
	}
	return (after - before) / time.Duration(b.measured()), nil
}

// rest waits until the child has nothing left to do and returns the CPU time it has used since its start.
func (c *child) rest() (time.Duration, error) {
	const pause, idle = 50 * time.Millisecond, time.Millisecond
	last, err := cpuTime(c.cmd.Process.Pid)
	for range 400 {
		if err != nil {
			return 0, fmt.Errorf("read CPU time: %w", err)
		}
		time.Sleep(pause)
		var now time.Duration
		now, err = cpuTime(c.cmd.Process.Pid)
		if now-last < idle {
			return now, err
		}
		last = now
	}
	return 0, errors.New("the proxy does not come to rest within 20 s")
}

func freeAddresses() (one, two string, err error) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer first.Close()
	second, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer second.Close()
	return first.Addr().String(), second.Addr().String(), nil
}

func awaitListener(addr string) error {
	var err error
	for range 200 {
		var conn net.Conn
		if conn, err = net.Dial("tcp", addr); err == nil {
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
