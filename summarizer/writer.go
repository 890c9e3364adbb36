package summarizer

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"recap/chat"
	"recap/dialect"
)

// writer asks one model for the summaries of one job.
type writer struct {
	job    *Job
	asker  dialect.Asker
	target Target
	own    bool // the chat's own upstream and model
	model  string
	client *http.Client
	memory *learned

	limit    int // tokens of a summary
	window   int // of the summariser
	usage    chat.Usage
	calls    int
	answered string // the model that the last answer named

	spoken spoken // languages of what is summarised
	found  uint16 // gates by their position that found something in answers that were taken
	struck bool   // from one of these

	live     *dialect.Live // what stands in front of the next question; nil = nothing
	liveSize int           // of it, tokens by the fixed measure; 0 = not weighed yet
	suffix   bool          // the summary was written in suffix mode
	fellBack bool          // it could not be
}

// findings are what gates found and let pass, and what else is worth counting.
func (w *writer) findings() []string {
	found := reasons(w.found)
	if w.struck {
		found = append(found, Struck)
	}
	if w.fellBack {
		found = append(found, FellBack)
	}
	return found
}

// newWriter finds out who writes: the chat's own upstream, model and credentials, or the provider and model of the
// options. No header can name a URL: a provider is known by its name alone (E15).
func (q *Queue) newWriter(ctx context.Context, j *Job) (*writer, error) {
	w := &writer{job: j, target: j.Target, model: j.Model, own: true, memory: &q.learned}
	if m := j.Options.Model; m != "" && m != j.Model {
		w.model, w.own = m, false
	}
	if name := j.Options.Provider; name != "" {
		if q.deps.Provider == nil {
			return nil, refusal{reason: ReasonProvider}
		}
		p, ok := q.deps.Provider(name)
		if !ok {
			return nil, refusal{reason: ReasonProvider}
		}
		w.target, w.own = p.target(), false
	}
	if w.asker = dialect.AskerByName(w.target.Dialect); w.asker == nil {
		return nil, refusal{reason: ReasonProvider}
	}
	w.client = q.client
	if q.deps.Client != nil {
		if c := q.deps.Client(w.target.Name); c != nil {
			w.client = c
		}
	}
	w.window = j.Window
	if !w.own && q.deps.Window != nil {
		if n := q.deps.Window(ctx, w.target, w.model); n > 0 {
			w.window = n
		}
	}
	w.setWindow(w.window)
	return w, nil
}

// unknownWindow is what is reckoned with where nobody knows the summariser's window.
const unknownWindow = 8192

// setWindow sets the summariser's window, capped by what an overflow has taught, and the limit of the summary.
func (w *writer) setWindow(window int) {
	if window <= 0 {
		window = unknownWindow
	}
	if known := w.memory.get(w.place()).window; known > 0 {
		window = min(window, known)
	}
	w.window = window
	w.limit = min(w.job.Options.SummaryLimit(w.job.Window), w.job.Options.SummaryLimit(window))
}

// author is the model that wrote, as the answers name it.
func (w *writer) author() string {
	if w.answered != "" {
		return w.answered
	}
	return w.model
}

// place names a server and model in the memory of what was learned.
func (w *writer) place() string { return w.target.URL + " " + w.model }

// output is the limit of the call's answer: room for reasoning beside the summary, as far as the window has it.
func (w *writer) output() int {
	room := max(w.window/4, w.limit+w.limit/4+64)
	return min(2*w.limit+512, room)
}

// target is where a provider is asked.
func (p *Provider) target() Target {
	h := http.Header{}
	if p.APIKey != "" {
		if u, err := url.Parse(p.URL); err == nil && strings.HasSuffix(u.Hostname(), ".openai.azure.com") {
			h.Set("Api-Key", p.APIKey)
		} else {
			h.Set("Authorization", "Bearer "+p.APIKey)
		}
	}
	return Target{Name: p.Name, Dialect: p.Dialect, URL: p.URL, Header: h}
}

// join puts a dialect's path behind a provider's base URL. What the base has already of the path is not doubled:
// http://host, http://host/v1 and http://host/v1/chat/completions name the same place, and so does an Azure URL
// that ends in /chat/completions. The query stays.
func join(base, path string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return "", refusal{reason: ReasonProvider}
	}
	have := strings.TrimRight(u.Path, "/")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if last := "/" + strings.Join(segments[max(len(segments)-2, 0):], "/"); strings.HasSuffix(have, last) {
		return u.String(), nil
	}
	for n := len(segments); n > 0; n-- {
		if strings.HasSuffix(have, "/"+strings.Join(segments[:n], "/")) {
			segments = segments[n:]
			break
		}
	}
	u.Path, u.RawPath = have+"/"+strings.Join(segments, "/"), ""
	return u.String(), nil
}

// lesson is what answers have taught about one server and model.
type lesson struct {
	tokensField   string    // the member that limits the answer; "" = the usual one
	noTemperature bool      // it refuses the style's own temperature
	window        int       // tokens; 0 = nothing learned
	ratio         float64   // its tokens per token of the fixed measure; 0 = nothing learned
	byTranscript  time.Time // until then it is not asked in suffix mode
	inVain        [16]uint8 // how often in a row asking again did not help, by the gate's position
}

// mostInVain is how often a model is asked again for the same without success, before it is not asked for that any more.
const mostInVain = 2

// vain are the gates for which asking this model again has not helped.
func (w *writer) vain() (set uint16) {
	lesson := w.memory.get(w.place())
	for i, n := range lesson.inVain {
		if n >= mostInVain {
			set |= 1 << i
		}
	}
	return set
}

// notice remembers whether asking again for what the gates found has helped.
func (w *writer) notice(before, after uint16) {
	w.memory.change(w.place(), func(l *lesson) {
		for i := range l.inVain {
			switch bit := uint16(1) << i; {
			case before&bit == 0:
			case after&bit == 0:
				l.inVain[i] = 0
			case l.inVain[i] < mostInVain:
				l.inVain[i]++
			}
		}
	})
}

// learned remembers lessons; the zero value is ready. Bounded: when full it starts anew.
type learned struct {
	mu      sync.Mutex
	lessons map[string]lesson
}

const maxLessons = 1024

func (l *learned) get(place string) lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lessons[place]
}

func (l *learned) change(place string, edit func(*lesson)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lessons == nil || len(l.lessons) >= maxLessons {
		l.lessons = map[string]lesson{}
	}
	one := l.lessons[place]
	edit(&one)
	l.lessons[place] = one
}
