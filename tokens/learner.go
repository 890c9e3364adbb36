package tokens

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pkoukk/tiktoken-go"
)

const (
	// maxQueued bounds the texts that wait to be counted, in bytes.
	maxQueued = 8 << 20
	// maxJobs bounds their number.
	maxJobs = 8192
)

// learner counts texts one after another in the background. Its goroutine lives only while there is work.
type learner struct {
	mu      sync.Mutex
	jobs    []job
	bytes   int
	running bool
	closed  bool
	done    sync.WaitGroup
	counted atomic.Int64 // weights that were completed
}

// job is one weight to complete.
type job struct {
	weight   *weight
	encoding encoding
	texts    []text
	size     int
}

// add queues a weight unless it waits already or the queue is full. The texts are copied.
func (l *learner) add(w *weight, e encoding, texts []text) {
	size := 0
	for _, t := range texts {
		size += len(t.raw)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.bytes+size > maxQueued || len(l.jobs) >= maxJobs || !w.asked[e].CompareAndSwap(false, true) {
		return
	}
	own := make([]text, len(texts))
	for i, t := range texts {
		own[i] = text{raw: strings.Clone(t.raw), quoted: t.quoted}
	}
	l.jobs = append(l.jobs, job{weight: w, encoding: e, texts: own, size: size})
	l.bytes += size
	if !l.running {
		l.running = true
		l.done.Add(1)
		go l.work()
	}
}

// work counts until nothing is left.
func (l *learner) work() {
	defer l.done.Done()
	for {
		j, ok := l.next()
		if !ok {
			return
		}
		l.count(j)
	}
}

func (l *learner) next() (job, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.jobs) == 0 {
		l.running, l.jobs = false, nil
		return job{}, false
	}
	j := l.jobs[0]
	l.jobs[0] = job{} // the slice lives on, the texts need not
	l.jobs = l.jobs[1:]
	l.bytes -= j.size
	return j, true
}

// count completes one weight. A vocabulary that cannot be built leaves the fixed measure in place for good.
func (l *learner) count(j job) {
	vocabulary, err := vocabularies[j.encoding]()
	if err != nil {
		return
	}
	sum, whole := int(j.weight.base), true
	for _, t := range j.texts {
		n := 0
		if n, whole = l.countText(vocabulary, t); !whole {
			return
		}
		sum += n
	}
	j.weight.exact[j.encoding].Store(int32(sum) + 1)
	l.counted.Add(1)
}

// countText counts one text; a fault of the tokenizer is its own, never the process's.
func (l *learner) countText(vocabulary *tiktoken.Tiktoken, t text) (n int, whole bool) {
	defer func() {
		if recover() != nil {
			n, whole = 0, false
		}
	}()
	return count(vocabulary, t.plain(), l.stopped)
}

func (l *learner) stopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

func (l *learner) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.done.Wait()
}
