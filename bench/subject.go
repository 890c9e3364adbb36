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
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// subject is what is measured: a proxy in a process of its own, or the upstream without one.
type subject struct {
	name   string
	addr   string
	recap  bool // its answers must tell what was done
	peer   bool // its failures are counted and do not end the run
	failed atomic.Int64
	cmd    *exec.Cmd // nil: there is no proxy
	client *fasthttp.HostClient
}

func newSubject(name, addr string, cmd *exec.Cmd) *subject {
	return &subject{name: name, addr: addr, cmd: cmd, client: &fasthttp.HostClient{
		Addr: addr, MaxConns: 1 << 16, MaxResponseBodySize: maxBody, StreamResponseBody: true,
		MaxIdleConnDuration: time.Minute, ReadBufferSize: 16 << 10,
		Dial: func(addr string) (net.Conn, error) { return fasthttp.DialTimeout(addr, time.Minute) }, // the machine may be busy
	}}
}

// startSelf runs this program again as one of the relays.
func startSelf(name, upstream string) (*subject, error) {
	cmd, err := self(name, upstream)
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s := newSubject(name, strings.TrimSpace(line), cmd)
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return s, nil
}

// start runs a command that is to listen at addr, with its output in a file of the folder.
func start(name, addr, dir string, cmd *exec.Cmd) (*subject, error) {
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	s := newSubject(name, addr, cmd)
	if err := awaitListener(addr); err != nil {
		s.stop()
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("start %s: %w\n%s", name, err, text)
	}
	return s, nil
}

// nginxSettings is a proxy that reads a request whole, as Recap does, in memory, and streams the answer.
const nginxSettings = `worker_processes 1;
daemon off;
pid %[1]s/nginx.pid;
error_log stderr error;
%[4]s
events { worker_connections 8192; }
http {
  access_log off;
  client_max_body_size 64m;
  client_body_buffer_size 2m;
  client_body_temp_path %[1]s/nginx-body;
  proxy_temp_path %[1]s/nginx-proxy;
  fastcgi_temp_path %[1]s/nginx-fastcgi;
  uwsgi_temp_path %[1]s/nginx-uwsgi;
  scgi_temp_path %[1]s/nginx-scgi;
  keepalive_requests 1000000;
  upstream service { server %[3]s; keepalive 1024; keepalive_requests 1000000; }
  server {
    listen %[2]s;
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`

const nginxName = "nginx"

// startNginx serves with nginx, where it is installed; where it is not, it returns no subject.
func startNginx(dir, upstream string) (*subject, error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		return nil, nil
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // the worker must get into the folder
	}
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxSettings, dir, addr, upstream, user), 0o600); err != nil {
		return nil, err
	}
	return start(nginxName, addr, dir, exec.Command(program, "-p", dir, "-e", "stderr", "-c", config))
}

// stop ends the process and waits for it.
func (s *subject) stop() {
	if s == nil || s.cmd == nil {
		return
	}
	s.client.CloseIdleConnections()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(40*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	_ = s.cmd.Wait()
}

// cpu is the time that the subject's processes have used since their start.
func (s *subject) cpu() (sum time.Duration, err error) {
	for _, pid := range family(s.cmd.Process.Pid) {
		used, err := cpuTime(pid)
		if err != nil {
			return 0, fmt.Errorf("read CPU time of %s: %w", s.name, err)
		}
		sum += used
	}
	return sum, nil
}

// memory is what the subject's processes hold in RAM, in bytes.
func (s *subject) memory() (sum int64, err error) {
	for _, pid := range family(s.cmd.Process.Pid) {
		held, err := residentBytes(pid)
		if err != nil {
			return 0, fmt.Errorf("read memory of %s: %w", s.name, err)
		}
		sum += held
	}
	return sum, nil
}

// rest waits until the subject has nothing left to do and returns the CPU time it has used since its start.
func (s *subject) rest() (time.Duration, error) {
	const pause, idle = 20 * time.Millisecond, 200 * time.Microsecond
	last, err := s.cpu()
	for range 1000 {
		if err != nil {
			return 0, err
		}
		time.Sleep(pause)
		var now time.Duration
		now, err = s.cpu()
		if now-last < idle {
			return now, err
		}
		last = now
	}
	return 0, errors.New(s.name + " does not come to rest within 20 s")
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
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
