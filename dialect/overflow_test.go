package dialect_test

import (
	"strings"
	"testing"

	"recap/dialect"
)

// The bodies follow the table of overflow errors in wire.md A6.
func TestOverflow(t *testing.T) {
	f := func(server string, status int, body string, limit, used int) {
		t.Helper()
		got, ok := dialect.Overflow(status, []byte(body))
		if !ok || got.Limit != limit || got.Used != used || got.AtLeast != (server == "vLLM") {
			t.Errorf("%s: got %+v, %v, want %d, %d", server, got, ok, limit, used)
		}
	}
	f("OpenAI", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 8192, 9001)
	f("OpenAI, old", 400, `{"error":{"message":"This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error"}}`, 4097, 4000)
	f("DeepSeek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (69000 in the messages, 1000 in the completion).","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, 65536, 69000)
	f("OpenAI responses", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, 0, 0)
	f("OpenAI responses, stream", 200, "event: error\ndata: {\"type\":\"error\",\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\"}\n\n", 0, 0)
	f("OpenAI TPM", 429, `{"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, 30000, 45000)
	f("vLLM", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 3585 input tokens, for a total of at least 4097 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=3585)","type":"BadRequestError","param":"input_tokens","code":400}}`, 4096, 3585)
	f("vLLM, reply too long", 400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 3000 input tokens (2000 > 4096 - 3000).","type":"BadRequestError","code":400}}`, 4096, 3000)
	f("vLLM, exact", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","code":400}}`, 4096, 5000)
	f("Groq", 413, `{"error":{"message":"Request too large for model x in organization o on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, 6000, 8000)
	f("LiteLLM", 400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","type":"invalid_request_error","param":null,"code":"400"}}`, 8192, 9001)
	f("llama.cpp, stream", 200, "data: {\"error\":{\"code\":400,\"message\":\"request (2050 tokens) exceeds the available context size (2048 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}\n\n", 2048, 2050)
	f("llama.cpp", 400, `{"error":{"code":400,"message":"request (2050 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":2050,"n_ctx":2048}}`, 2048, 2050)
	f("llama.cpp, no numbers", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, 0, 0)
	f("LM Studio", 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, 4096, 5000)
	f("LM Studio", 400, `{"error":"Cannot truncate prompt with n_keep (5000) \u003e= n_ctx (4096)"}`, 4096, 5000)
	f("LM Studio, stream", 200, "event: error\ndata: {\"error\":{\"message\":\"Context size has been exceeded\"}}\n\n", 0, 0)
	f("Ollama, llama-server's own words", 400, `{"error":"request (7900 tokens) exceeds the available context size (4096 tokens), try increasing it"}`, 4096, 7900)
	f("Ollama, llama-server's own words, quoted", 400, `{"error":"{\"error\":{\"code\":400,\"message\":\"request (7900 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}"}`, 4096, 7900)
	f("Ollama", 400, `{"error":"the prompt is longer than the context length currently available to the model; shorten it"}`, 0, 0)
	f("Ollama embed", 400, `{"error":"the input length exceeds the context length"}`, 0, 0)
	f("Ollama, stream", 200, "{\"message\":{\"content\":\"\"},\"done\":false}\n{\"error\":\"the prompt is longer than the context length currently available to the model\"}\n", 0, 0)
	f("OpenRouter", 400, `{"error":{"code":400,"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (130000 of text input, 10000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.","metadata":{"provider_name":null}}}`, 131072, 130000)
	f("Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"},"request_id":"r"}`, 200000, 210000)
	f("Anthropic", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens`\"}}", 200000, 190000)
	f("Bedrock", 400, `{"message":"Input is too long for requested model."}`, 0, 0)
	f("Bedrock, 200", 200, `{"error":{"message":"Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}}`, 0, 0)
	f("xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, 131072, 140000)
	f("Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_invalid_args","param":null,"code":"3051"}`, 32768, 40000)
	f("Gemini", 400, `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1048576, 0)
	f("Gemini", 400, `{"error":{"code":400,"message":"The input token count (1050000) exceeds the maximum number of tokens allowed (1048576)."}}`, 1048576, 1050000)
	f("own", 400, string(dialect.ByName("openai").Error(400, "context_length_exceeded", "x")), 0, 0)
	f("a number past any", 400, `maximum context length is 99999999999999999999 tokens`, 0, 0)
}

func TestNotOverflow(t *testing.T) {
	f := func(status int, body string) {
		t.Helper()
		if got, ok := dialect.Overflow(status, []byte(body)); ok {
			t.Errorf("%d %s: taken for an overflow: %+v", status, body, got)
		}
	}
	f(400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`)
	f(429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`)
	f(401, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`)
	f(401, `This model's maximum context length is 8192 tokens`)
	f(429, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.","type":"tokens","code":"rate_limit_exceeded"}}`)
	f(429, `{"error":{"message":"Request too large for gpt-4o: Limit 30000, Requested 2000.","type":"tokens","code":"rate_limit_exceeded"}}`)
	f(429, `{"error":{"message":"slow down"}}`)
	f(429, `{"error":{"message":"This model's maximum context length is 8192 tokens"}}`)
	f(400, `{"error":{"message":"bad tool schema","code":"invalid_request_error"}}`)
	f(400, `{"error":{"message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude","type":"invalid_request_error"}}`)
	f(400, `{"error":{"message":"Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.","type":"invalid_request_error","code":"string_above_max_length"}}`)
	f(400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`)
	f(402, `{"error":{"message":"Insufficient credits. This endpoint's maximum context length is 8192 tokens."}}`)
	f(404, `{"error":{"message":"model 'maximum context length is 8192 tokens' not found"}}`)
	f(413, `{"error":{"message":"Request Entity Too Large"}}`)
	f(413, `{"error":{"message":"Request too large for model x: Limit 6000, Requested 800."}}`)
	f(500, `{"error":{"message":"out of memory"}}`)
	f(503, `{"error":{"message":"loading model","type":"unavailable_error","code":503}}`)
	f(400, ``)
	f(200, ``)
	// What a model says about context lengths is no error.
	f(200, `{"choices":[{"message":{"content":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."}}]}`)
	f(200, "data: {\"choices\":[{\"delta\":{\"content\":\"context_length_exceeded\"}}]}\n\n")
	f(200, strings.Repeat("[", 1_000_000))
}
