package summarizer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recap/chat"
)

// mirrored is a summary as NexusAI's memory service takes it (row N12).
type mirrored struct {
	SessionID    int64  `json:"sessionId,omitempty"` // left out where a row is updated
	Content      string `json:"content"`
	TokenCount   int    `json:"tokenCount"`
	EpisodeRange string `json:"episodeRange"` // turns, numbered from 1, that this pass read
}

const mirrorTimeout = 10 * time.Second

// mirror copies a checkpoint to the memory service: a new row is posted, an update of a row is patched at the id that
// the post returned. Only sessions whose label is an integer are mirrored: the service knows no other. A
// failure is counted and otherwise nobody's concern.
func (q *Queue) mirror(j *Job, cp *chat.Checkpoint) {
	session, err := strconv.ParseInt(strings.TrimSpace(j.Session), 10, 64)
	if q.deps.Mirror == "" || err != nil || cp.Provisional {
		return
	}
	ctx, cancel := context.WithTimeout(q.ctx, mirrorTimeout)
	defer cancel()
	if err := q.copyTo(ctx, session, j, cp); err != nil {
		q.mu.Lock()
		q.stats.MirrorFailed++
		q.mu.Unlock()
	}
}

func (q *Queue) copyTo(ctx context.Context, session int64, j *Job, cp *chat.Checkpoint) error {
	m := mirrored{Content: cp.Text, TokenCount: cp.Tokens, EpisodeRange: episodes(j, cp)}
	base := strings.TrimRight(q.deps.Mirror, "/") + "/summaries"
	if cp.RowFrom < cp.From {
		// An update: the row has the id under which its parent was posted.
		id, err := q.deps.Store.Setting(ctx, mirrorSetting(cp.Parent), nil, false)
		if err == nil && len(id) > 0 {
			if _, err = q.send(ctx, http.MethodPatch, base+"/"+string(id), m); err != nil {
				return err
			}
			return q.remember(ctx, cp.Key, id)
		}
	}
	m.SessionID = session
	answer, err := q.send(ctx, http.MethodPost, base, m)
	if err != nil {
		return err
	}
	id := rowID(answer)
	if id == nil {
		return errors.New("mirror summary: the answer names no id")
	}
	return q.remember(ctx, cp.Key, id)
}

func mirrorSetting(key chat.Key) string { return "mirror/" + key.String() }

func (q *Queue) remember(ctx context.Context, key chat.Key, id []byte) error {
	_, err := q.deps.Store.Setting(ctx, mirrorSetting(key), id, true)
	return err
}

// episodes are the turns that a pass read, first-last.
func episodes(j *Job, cp *chat.Checkpoint) string {
	first, turn := 0, 0
	for at := range j.Covered {
		if j.Covered[at].Opens() {
			turn++
		}
		if at+1 == cp.From {
			first = max(turn, 1)
		}
	}
	return strconv.Itoa(first) + "-" + strconv.Itoa(max(turn, 1))
}

func (q *Queue) send(ctx context.Context, method, address string, m mirrored) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("mirror summary: store.mirror.url is no URL")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := q.client.Do(req)
	if err != nil {
		return nil, errors.New("mirror summary: no answer from store.mirror.url")
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode/100 != 2 {
		return nil, errors.New("mirror summary: status " + strconv.Itoa(resp.StatusCode))
	}
	return answer, nil
}

// rowID finds the id of a created row, a number or a string; nil when there is none that may stand in a path.
func rowID(answer []byte) []byte {
	type row struct {
		ID json.RawMessage `json:"id"`
	}
	var a struct {
		row
		Summary, Data row
	}
	if json.Unmarshal(answer, &a) != nil {
		return nil
	}
	for _, raw := range []json.RawMessage{a.ID, a.Summary.ID, a.Data.ID} {
		id := bytes.Trim(raw, `"`)
		if len(id) > 0 && len(id) <= 64 && !bytes.ContainsFunc(id, oddInID) {
			return id
		}
	}
	return nil
}

func oddInID(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
}
