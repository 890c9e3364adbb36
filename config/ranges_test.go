package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recap/config"
)

// The ranges of rows L7–L19, at their ends.
func TestRanges(t *testing.T) {
	ok := func(file string) { t.Helper(); mustRead(t, "summarization: {"+file+"}", env()) }
	bad := func(file, why string) { t.Helper(); refused(t, "summarization: {"+file+"}", env(), why) }
	ok("maxSummaryTokens: 1")                                           // L7
	bad("maxSummaryTokens: 0", "at least 1")                            //
	ok("reserveRatio: 0")                                               // L8
	bad("reserveRatio: 1", "at least 0 and under 1")                    //
	bad("reserveRatio: .nan", "want a number")                          //
	ok("trigger: {type: token_ratio, value: 1}")                        // L9
	bad("trigger: {type: token_ratio, value: 0}", "over 0 and at most") //
	bad("trigger: {type: token_ratio, value: 1.01}", "at most 1")       //
	bad("trigger: {type: token_ratio}", "over 0 and at most 1")         //
	ok("trigger: {type: remaining_tokens, value: 8000}")                // L10
	bad("trigger: {type: remaining_tokens, value: 0.5}", "whole")       //
	ok("trigger: {type: messages_to_refine, value: 1}")                 // L11
	bad("trigger: {type: messages_to_refine, value: 0}", "whole")       //
	bad("trigger: {type: tokens, value: 1}", "want one of none")        //
	bad("trigger: {value: 0.8}", "trigger.type: missing")               // L12
	ok("trigger: {type: token_count, value: 200, minTurns: 5}")         // N2
	ok("retainRecent: {turns: 0}")                                      // L13
	ok("retainRecent: {turns: 20}")                                     //
	bad("retainRecent: {turns: 21}", "at most 20")                      //
	bad("retainRecent: {turns: -1}", "at least 0")                      //
	ok("contextPruning: {keepLastAssistants: 10}")                      // L15
	bad("contextPruning: {keepLastAssistants: 11}", "at most 10")       //
	ok("contextPruning: {softTrimRatio: 1, hardClearRatio: 0}")         // L16
	bad("contextPruning: {softTrimRatio: 1.1}", "at most 1")            //
	bad("contextPruning: {minPrunableToolChars: -1}", "at least 0")     // L17
	ok("contextPruning: {softTrim: {maxChars: 3001}}")                  // L18
	bad("contextPruning: {softTrim: {maxChars: 3000}}", "headChars + tailChars must be under maxChars, got 1500 + 1500 and 3000")
	bad(`contextPruning: {hardClear: {placeholder: " "}}`, "want a text") // L19
	bad("parameters: {a: [1]}", "want a string, a number, true, false or null")
	bad("provider: nobody", `"nobody" is not in providers (openAI)`) // L2
	bad("mode: chat", "want one of transcript")
}

// Golden error messages: testdata/problems/*.yaml give *.want. F1 (unknown, misindented and misplaced keys) is among
// them, as are aliases that would grow without bound.
func TestF1ProblemMessages(t *testing.T) {
	files, _ := filepath.Glob("testdata/problems/*.yaml")
	if len(files) < 10 {
		t.Fatalf("only %d cases", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, warnings, err := config.Read(filepath.Base(file), string(text), env("SECRET=hunter2"), nil)
		got := ""
		for _, w := range warnings {
			got += "warning: " + string(w) + "\n"
		}
		if err != nil {
			got += err.Error() + "\n"
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".want", got)
		if strings.Contains(got, "hunter2") {
			t.Errorf("%s: a secret is in the message: %s", file, got)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}
