package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"recap/cache"
	"recap/chat"
	"recap/config"
)

// checkpointsCmd holds `recap checkpoints …`. They work on the store itself, beside a proxy that runs.
type checkpointsCmd struct {
	List   listCmd   `cmd:"" help:"List them, newest first."`
	Show   showCmd   `cmd:"" help:"Show one with its text."`
	Delete deleteCmd `cmd:"" help:"Delete some; what they cover is summarised anew when it is needed."`
	Pin    pinCmd    `cmd:"" help:"Keep one for ever."`
}

const storeTime = 10 * time.Second

// withStore opens the store of the settings for one piece of work.
func (s *shell) withStore(work func(context.Context, cache.Store) error) (err error) {
	cfg, err := s.loadConfig("")
	if err != nil {
		return err
	}
	if cfg.Store.Kind == "memory" {
		return errors.New("open store: store.kind is memory, which nobody but the running proxy can see; ask its admin listener")
	}
	path, err := storePath(cfg)
	if err != nil {
		return err
	}
	// Opening would make an empty file, which is no answer to somebody who looks into the wrong place.
	if !exists(path) {
		return fmt.Errorf("open store: there is no file %s; nothing was summarised yet, or store.path is another", path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	store, err := cache.Open(ctx, cfg.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return work(ctx, store)
}

// storePath is the file that the settings mean.
func storePath(cfg *config.Config) (string, error) {
	if cfg.Store.Path != "" {
		return cfg.Store.Path, nil
	}
	return cache.DefaultPath()
}

// exists reports whether there is a file at path, or one that cannot be looked at.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

type listCmd struct {
	Tenant string `help:"Only this tenant's (its digest)." placeholder:"DIGEST"`
	Limit  int    `help:"At most so many; 0 = all." default:"50"`
	Format string `help:"text or json." enum:"text,json" default:"text"`
}

// Run lists without texts.
func (c *listCmd) Run(s *shell) error {
	return s.withStore(func(ctx context.Context, store cache.Store) error {
		all, err := store.List(ctx, c.Tenant, c.Limit)
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return listJSON(s, all)
		}
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "KEY\tMESSAGES\tTOKENS\tUPSTREAM\tMODEL\tSESSION\tUPDATED\tFLAGS")
		for _, cp := range all {
			fmt.Fprintf(w, "%s\t1–%d\t%d\t%s\t%s\t%s\t%s\t%s\n", cp.Key, cp.To, cp.Size(), cp.Upstream, orDash(cp.Model), orDash(cp.Session),
				cp.Updated.Local().Format(time.DateTime), orDash(strings.Join(flags(&cp), ",")))
		}
		return w.Flush()
	})
}

func listJSON(s *shell, all []chat.Checkpoint) error {
	rows := make([]row, len(all))
	for i := range all {
		rows[i] = newRow(&all[i])
	}
	return writeJSON(s, rows)
}

func writeJSON(s *shell, v any) error {
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// row is a checkpoint as JSON shows it.
type row struct {
	Key      string    `json:"key"`
	Parent   string    `json:"parent,omitempty"`
	Lineage  string    `json:"lineage,omitempty"`
	Tenant   string    `json:"tenant"`
	Upstream string    `json:"upstream"`
	Session  string    `json:"session,omitempty"`
	From     int       `json:"from"` // messages that its pass read
	To       int       `json:"to"`   // and what it covers: 1 to To
	Tokens   int       `json:"tokens"`
	Model    string    `json:"model,omitempty"`
	Windows  []int     `json:"windows,omitempty"`
	Flags    []string  `json:"flags,omitempty"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Used     time.Time `json:"used"`
	Text     string    `json:"text,omitempty"`
	Ledger   string    `json:"ledger,omitempty"`
}

func newRow(cp *chat.Checkpoint) row {
	r := row{
		Key: cp.Key.String(), Tenant: cp.Tenant, Upstream: cp.Upstream, Session: cp.Session, From: cp.From, To: cp.To, Tokens: cp.Size(),
		Model: cp.Model, Windows: cp.Windows, Flags: flags(cp), Created: cp.Created, Updated: cp.Updated, Used: cp.Used,
	}
	if !cp.Parent.IsZero() {
		r.Parent = cp.Parent.String()
	}
	if !cp.Lineage.IsZero() {
		r.Lineage = cp.Lineage.String()
	}
	return r
}

func flags(cp *chat.Checkpoint) []string {
	var out []string
	for _, f := range []struct {
		name string
		set  bool
	}{{"sent", len(cp.Windows) > 0}, {"provisional", cp.Provisional}, {"pinned", cp.Pinned}, {"sealed", cp.Sealed}} {
		if f.set {
			out = append(out, f.name)
		}
	}
	return out
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

type showCmd struct {
	Key    string `arg:"" help:"Its key, or the first digits of it."`
	Format string `help:"text or json." enum:"text,json" default:"text"`
}

// Run shows everything of one checkpoint.
func (c *showCmd) Run(s *shell) error {
	return s.withStore(func(ctx context.Context, store cache.Store) error {
		key, err := resolve(ctx, store, c.Key)
		if err != nil {
			return err
		}
		cp, err := store.Get(ctx, key)
		if err != nil {
			return err
		}
		if c.Format == "json" {
			r := newRow(&cp)
			r.Text, r.Ledger = cp.Text, cp.Ledger
			return writeJSON(s, r)
		}
		return showText(s, &cp)
	})
}

func showText(s *shell, cp *chat.Checkpoint) error {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, pair := range [][2]string{
		{"key", cp.Key.String()},
		{"covers", fmt.Sprintf("messages 1–%d (this pass read %d–%d)", cp.To, cp.From, cp.To)},
		{"tokens", fmt.Sprintf("%d, %d of them ledger", cp.Size(), cp.LedgerTokens)},
		{"upstream", cp.Upstream},
		{"model", orDash(cp.Model)},
		{"session", orDash(cp.Session)},
		{"flags", orDash(strings.Join(flags(cp), ", "))},
		{"created", cp.Created.Local().Format(time.DateTime)},
		{"last used", cp.Used.Local().Format(time.DateTime)},
	} {
		fmt.Fprintf(w, "%s\t%s\n", pair[0], pair[1])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "\n%s\n\n%s\n", cp.Text, cp.Ledger)
	return err
}

type deleteCmd struct {
	Keys []string `arg:"" help:"Keys, or the first digits of them."`
}

// Run deletes all or, where a key names nothing, none.
func (c *deleteCmd) Run(s *shell) error {
	return s.withStore(func(ctx context.Context, store cache.Store) error {
		keys := make([]chat.Key, len(c.Keys))
		for i, text := range c.Keys {
			var err error
			if keys[i], err = resolve(ctx, store, text); err != nil {
				return err
			}
		}
		for _, key := range keys {
			if err := store.Delete(ctx, key); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s deleted\n", key)
		}
		return nil
	})
}

type pinCmd struct {
	Key string `arg:"" help:"Its key, or the first digits of it."`
	Off bool   `help:"Let it expire again."`
}

// Run sets or clears the mark.
func (c *pinCmd) Run(s *shell) error {
	return s.withStore(func(ctx context.Context, store cache.Store) error {
		key, err := resolve(ctx, store, c.Key)
		if err != nil {
			return err
		}
		if err := store.Change(ctx, key, func(cp *chat.Checkpoint) { cp.Pinned = !c.Off }); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s %s\n", key, map[bool]string{true: "not pinned", false: "pinned"}[c.Off])
		return nil
	})
}

// resolve finds the one checkpoint whose key begins with text.
func resolve(ctx context.Context, store cache.Store, text string) (chat.Key, error) {
	text = strings.ToLower(text)
	if key, err := chat.ParseKey(text); err == nil {
		return key, nil
	}
	if len(text) < 4 || strings.Trim(text, "0123456789abcdef") != "" {
		return chat.Key{}, usage{fmt.Errorf("find checkpoint: want 32 hexadecimal digits, or at least the first 4 of them")}
	}
	all, err := store.List(ctx, "", 0)
	if err != nil {
		return chat.Key{}, err
	}
	var found []chat.Key
	for _, cp := range all {
		if strings.HasPrefix(cp.Key.String(), text) {
			found = append(found, cp.Key)
		}
	}
	switch len(found) {
	case 0:
		return chat.Key{}, cache.ErrNotFound
	case 1:
		return found[0], nil
	}
	return chat.Key{}, fmt.Errorf("find checkpoint: %d keys begin with %s; give more digits", len(found), text)
}
