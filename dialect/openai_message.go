package dialect

import "recap/chat"

// openAIMember numbers what is read of a message; the order is that of openAIMembers.
const (
	oRole = iota
	oContent
	oName
	oRefusal
	oReasoningContent
	oReasoning
	oToolCalls
	oFunctionCall
	oToolCallID
	oAudio
	oMembers
)

var (
	openAIMembers = names{
		"role", "content", "name", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call",
		"tool_call_id", "audio",
	}
	openAIRoles = map[string]chat.Role{
		"system": chat.System, "developer": chat.System, "user": chat.User, "assistant": chat.Assistant,
		"tool": chat.Tool, "function": chat.Tool,
	}
	// openAIParts says what a part is by its type; the last four are what gateways let through of other formats.
	openAIParts = map[string]chat.Kind{
		"text": chat.Text, "refusal": chat.Text, "image_url": chat.Image, "input_audio": chat.Audio, "file": chat.File,
		"input_text": chat.Text, "output_text": chat.Text, "image": chat.Image, "input_image": chat.Image,
	}
	partNames     = names{"type", "text", "refusal"}
	callNames     = names{"id", "function", "custom"}
	functionNames = names{"name", "arguments", "input"}
)

// openAIMessage reads one message.
func openAIMessage(raw string) (*chat.Facts, string) {
	var at [oMembers]chat.Span
	if reason := openAIMembers.members(raw, chat.Span{End: len(raw)}, at[:]); reason != "" {
		return nil, reason
	}
	role, reason := readRole(raw, at[oRole], openAIRoles)
	if reason != "" {
		return nil, reason
	}
	f := &chat.Facts{Role: role, Name: label(raw, at[oName]), Content: at[oContent]}
	parts, reason := openAIContent(raw, at[oContent])
	if reason != "" {
		return nil, reason
	}
	if role == chat.Tool {
		reason = openAIResult(raw, f, parts, at[oToolCallID])
	} else {
		f.Parts = parts
		f.Carries = role != chat.Assistant && !absent(raw, f.Content)
		reason = openAISpeech(raw, f, at[:])
	}
	if reason != "" {
		return nil, reason
	}
	f.Digest = digest(raw, f)
	return f, ""
}

// readRole returns the role that a wire name stands for. Servers differ in what they do with odd case, so only the
// exact names count.
func readRole(raw string, at chat.Span, roles map[string]chat.Role) (chat.Role, string) {
	if !is(raw, at, '"') {
		return 0, "wrong-type"
	}
	role, ok := roles[chat.Unquote(at.Of(raw))]
	if !ok {
		return 0, "unknown-role"
	}
	return role, ""
}

// openAIContent reads content: a string, an array of parts, null or nothing.
func openAIContent(raw string, at chat.Span) (parts []chat.Part, reason string) {
	if absent(raw, at) {
		return nil, ""
	}
	if is(raw, at, '"') {
		return []chat.Part{{Kind: chat.Text, Span: at}}, ""
	}
	reason = elements(raw, at, func(span chat.Span) string {
		part, reason := openAIPart(raw, span)
		parts = append(parts, part)
		return reason
	})
	return parts, reason
}

func openAIPart(raw string, at chat.Span) (chat.Part, string) {
	if !is(raw, at, '{') {
		return chat.Part{}, "wrong-type"
	}
	var member [3]chat.Span
	if reason := partNames.members(raw, at, member[:]); reason != "" {
		return chat.Part{}, reason
	}
	kind := openAIParts[label(raw, member[0])]
	if kind == chat.Text {
		for _, text := range member[1:] {
			if is(raw, text, '"') {
				return chat.Part{Kind: chat.Text, Span: text}, ""
			}
		}
		kind = chat.Other
	}
	if kind == 0 {
		kind = chat.Other
	}
	return chat.Part{Kind: kind, Span: at}, ""
}

// openAIResult reads what makes a message a tool result. Its parts are the result's, it has none of its own.
func openAIResult(raw string, f *chat.Facts, parts []chat.Part, id chat.Span) (reason string) {
	r := chat.Result{Name: f.Name, Content: f.Content, Parts: parts}
	if r.ID, reason = str(raw, id); reason != "" {
		return reason
	}
	f.Results = []chat.Result{result(raw, r)}
	return ""
}

// openAISpeech reads what stands beside content: a refusal, spoken audio, reasoning, calls.
func openAISpeech(raw string, f *chat.Facts, at []chat.Span) string {
	if is(raw, at[oRefusal], '"') {
		f.Parts = append(f.Parts, chat.Part{Kind: chat.Text, Span: at[oRefusal]})
	}
	if is(raw, at[oAudio], '{') {
		f.Parts = append(f.Parts, chat.Part{Kind: chat.Audio, Span: at[oAudio]})
	}
	// Servers that send both send the same text twice.
	for _, span := range at[oReasoningContent : oReasoning+1] {
		if is(raw, span, '"') && span.Len() > len(`""`) {
			f.Parts = append(f.Parts, chat.Part{Kind: chat.Reasoning, Span: span})
			break
		}
	}
	reason := elements(raw, at[oToolCalls], func(span chat.Span) string {
		call, reason := openAICall(raw, span)
		f.Calls = append(f.Calls, call)
		return reason
	})
	if reason == "" && !absent(raw, at[oFunctionCall]) {
		var call chat.Call
		call, reason = openAIFunction(raw, at[oFunctionCall], "arguments")
		f.Calls = append(f.Calls, call)
	}
	if len(f.Calls) > 0 && f.Role != chat.Assistant {
		return "wrong-type"
	}
	return reason
}

func openAICall(raw string, at chat.Span) (chat.Call, string) {
	if !is(raw, at, '{') {
		return chat.Call{}, "wrong-type"
	}
	var member [3]chat.Span
	if reason := callNames.members(raw, at, member[:]); reason != "" {
		return chat.Call{}, reason
	}
	function, args := member[1], "arguments"
	if absent(raw, function) {
		function, args = member[2], "input"
	}
	call, reason := openAIFunction(raw, function, args)
	if reason == "" {
		call.ID, reason = str(raw, member[0])
	}
	return call, reason
}

// openAIFunction reads the object that names a tool; args is the member that holds its arguments.
func openAIFunction(raw string, at chat.Span, args string) (call chat.Call, reason string) {
	if !is(raw, at, '{') {
		return call, "wrong-type"
	}
	var member [3]chat.Span
	if reason = functionNames.members(raw, at, member[:]); reason != "" {
		return call, reason
	}
	if call.Name, reason = str(raw, member[0]); reason != "" {
		return call, reason
	}
	if call.Args = member[1]; args == "input" {
		call.Args = member[2]
	}
	return call, ""
}
