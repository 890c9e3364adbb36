package fakellm

import "encoding/json"

// utility answers POST /utility/complete, the utility model of an inference service:
// {"user": "…", "temperature": 0.2, "maxTokens": 500} gives {"text": "…"}. The prompt must stand in user, and not be
// empty. The answer's name is a guess (the seed shows only the call): the script's text is repeated under
// "content", so that a client may read either.
func (x *exchange) utility() answer {
	var request struct {
		User *string `json:"user"`
	}
	if err := json.Unmarshal(x.rec.Body, &request); err != nil || request.User == nil || *request.User == "" {
		x.note(func(rec *Recorded) { rec.Refused = "check utility call: no user text" })
		return jsonAnswer(400, []byte(`{"error":"user is required"}`))
	}
	x.note(func(rec *Recorded) { rec.PromptTokens = x.opts.Count(*request.User) })
	r := x.opts.Summary(*request.User)
	r.Delay += x.opts.Latency
	r = x.fault.bendReply(r)
	a := jsonAnswer(200, encode(object{"text": r.Text, "content": r.Text}))
	a.delay = r.Delay
	return a
}

// addSummary answers POST /summaries of the memory service: {sessionId, content, tokenCount, episodeRange} gives a
// row with an integer id.
func (x *exchange) addSummary() answer {
	row, ok := x.summaryRow("sessionId", "content", "tokenCount", "episodeRange")
	if !ok {
		return jsonAnswer(400, []byte(`{"error":"sessionId, content, tokenCount and episodeRange are required"}`))
	}
	x.mu.Lock()
	x.rows++
	row["id"] = x.rows
	x.mu.Unlock()
	return jsonAnswer(201, encode(row))
}

// changeSummary answers PATCH /summaries/{id}: {content, tokenCount, episodeRange}.
func (x *exchange) changeSummary() answer {
	id := pathNumber(x.r.URL.Path)
	x.mu.Lock()
	known := id >= 1 && id <= x.rows
	x.mu.Unlock()
	if !known {
		return jsonAnswer(404, []byte(`{"error":"no such summary"}`))
	}
	row, ok := x.summaryRow("content", "tokenCount", "episodeRange")
	if !ok {
		return jsonAnswer(400, []byte(`{"error":"content, tokenCount and episodeRange are required"}`))
	}
	row["id"] = id
	return jsonAnswer(200, encode(row))
}

// summaryRow reads the request's object, false unless it has all members named.
func (x *exchange) summaryRow(names ...string) (object, bool) {
	row := object{}
	if json.Unmarshal(x.rec.Body, &row) != nil {
		return nil, false
	}
	for _, name := range names {
		if row[name] == nil {
			return nil, false
		}
	}
	return row, true
}
