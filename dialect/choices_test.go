package dialect_test

import "testing"

// Choices are read one after another, whatever stands before them.
func TestTapChoices(t *testing.T) {
	f := func(choices, finish string) {
		t.Helper()
		answer := `{"choices":` + choices + `,"usage":{"prompt_tokens":7}}`
		if got := report("openai", "application/json", answer, len(answer)); got.Finish != finish || got.Usage.Prompt != 7 || !got.Done {
			t.Errorf("%s: got %+v, want %q", choices, got, finish)
		}
	}
	f(`[{"finish_reason":"stop"}]`, "stop")
	f(`[{},{"finish_reason":"length"}]`, "length")
	f(`[ { } , { "index" : 1 , "finish_reason" : "weird" } ]`, "weird")
	f(`[1,"a",{"finish_reason":null},{"finish_reason":"tool_calls"}]`, "tool_calls")
	f(`[]`, "")
	f(`null`, "")
	f(`{"finish_reason":"stop"}`, "")
}
