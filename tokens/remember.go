package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// savedWindow is what is kept of one model's window, so that a restart changes no plan: what the upstream told, and the
// limit that an overflow error taught.
type savedWindow struct {
	Upstream string    `json:"upstream"`
	Kind     string    `json:"kind,omitempty"` // of the upstream
	Model    string    `json:"model"`
	Window   int       `json:"window,omitempty"`
	Trained  int       `json:"trained,omitempty"`
	Reply    int       `json:"reply,omitempty"`
	Learned  int       `json:"learned,omitempty"`
	Taught   time.Time `json:"taught,omitzero"`
	Under    bool      `json:"under,omitempty"`
	Cut      bool      `json:"cut,omitempty"`
}

// Export returns what was found out, for Import after a restart. The same knowledge gives the same bytes.
func (w *Windows) Export() []byte {
	w.mu.RLock()
	list := make([]savedWindow, 0, len(w.known))
	for t, k := range w.known {
		if k.window > 0 || k.learned > 0 {
			list = append(list, savedWindow{
				Upstream: t.upstream, Kind: w.kinds[t.upstream], Model: t.model,
				Window: k.window, Trained: k.trained, Reply: k.reply,
				Learned: k.learned, Taught: k.taught, Under: k.under, Cut: k.cut,
			})
		}
	}
	w.mu.RUnlock()
	slices.SortFunc(list, func(a, b savedWindow) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Model, b.Model))
	})
	data, err := json.Marshal(list)
	if err != nil { // numbers, names and times always have a form
		return nil
	}
	return data
}

// Import takes over what Export gave. It holds until the upstream is asked again, which the first request starts.
func (w *Windows) Import(data []byte) error {
	var list []savedWindow
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("read windows: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers.changes.Add(1)
	for _, s := range list[:min(len(list), maxKnown)] {
		k := w.entry(target{s.Upstream, s.Model})
		if k == nil || min(s.Window, s.Trained, s.Reply, s.Learned) < 0 || max(s.Window, s.Learned) > maxWindow {
			continue
		}
		k.window, k.trained, k.reply = s.Window, s.Trained, s.Reply
		k.limit = limit{learned: s.Learned, taught: s.Taught, under: s.Under, cut: s.Cut}
		if s.Kind != "" {
			w.kinds[s.Upstream] = s.Kind
		}
	}
	return nil
}
