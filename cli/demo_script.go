package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"recap/internal/fakellm"
)

// task is one turn of the chat: what the user asks, what the model calls for it, what the tools say, what the model
// answers.
type task struct {
	ask     string
	calls   []fakellm.ToolCall
	results []string
	answer  string // "" = what the prompt says about demoFacts
}

// fact is an exact string of the first turn that must never get lost.
type fact struct{ name, text string }

var demoFacts = []fact{
	{"who I am", "Zofia Wiśniewska"},
	{"the port", "47913"},
	{"the file", "/srv/ksiegowosc/ledger-7f3a.db"},
}

const (
	demoFirst = "Hi, I am Zofia Wiśniewska 👋 Staging listens on 127.0.0.1:47913 and its ledger is " +
		"/srv/ksiegowosc/ledger-7f3a.db. Never restart it without asking me. Let us get the invoice import ready."
	demoLast   = "Before I close the laptop: who am I, on which port does staging listen, and which file is its ledger?"
	demoSystem = "You are a careful programming agent. Read before you write, and answer briefly."
)

// routine is a task to be filled in with the number of its turn.
type routine struct {
	ask    string
	tools  []tool
	answer string
}

// tool is a call to be filled in with the number of its turn.
type tool struct {
	name, args string
	lines      []string // of its result, filled in with numbers
}

// demoRoutines is what the user wants between the first turn and the last, over and over.
var demoRoutines = []routine{
	{"Let us trim before we compare, from batch %02d on. Agreed?", nil, "Agreed: trim first, then compare, from batch %02d on."},
	{"Dzięki 🙏 Zapisz, że partia %02d jest gotowa do sprawdzenia.", nil, "Zapisane: partia %02d czeka na sprawdzenie."},
	{"Read reader_%02d.go and tell me what it does.", []tool{{"read_file", `{"path":"internal/invoice/reader_%02d.go"}`, codeLines}}, "reader_%02d reads one invoice a line, trims the amounts and stops at the first row without a number."},
	{"Run the tests of batch %02d.", []tool{{"run", `{"command":"go test ./internal/invoice -run Batch%02d"}`, testLines}}, "Batch %02d: all but one test pass; the odd one expects a comma where the file has a point."},
	{"Why are there doubled rows in import %02d? Look at the table, then at the code.", []tool{{"query", `{"sql":"select * from rows where import = %d"}`, tableLines}, {"read_file", `{"path":"internal/invoice/merge_%02d.go"}`, codeLines}}, "Import %02d was sent twice; merge compares the numbers before it trims them, so both rows stayed."},
	{"Where else is merge_%02d used?", []tool{{"search", `{"pattern":"merge_%02d"}`, searchLines}}, "merge_%02d is used in four places; only the nightly job passes rows that are not trimmed."},
	{"Change it and run everything of step %02d again.", []tool{{"run", `{"command":"make step-%02d && go test ./..."}`, testLines}}, "Done, step %02d is green: trimmed first, compared afterwards."},
	{"Sprawdź jeszcze tabelę %02d, czy kwoty w złotych się zgadzają ✅", []tool{{"query", `{"sql":"select * from amounts_%02d"}`, tableLines}}, "Kwoty w tabeli %02d zgadzają się co do grosza."},
}

// Asides are what people and models say around the matter.
var (
	userAsides = []string{
		"Take your time, the customer looks at it only tomorrow morning.", "I think that Marek changed something there last week, but I am not sure.",
		"If anything is unclear, ask me first; I would rather wait than repair it later.", "Keep the old behaviour for files that were imported before the summer.",
	}
	modelAsides = []string{
		"I looked at the callers too: none of them depends on the order of the rows, so the change stays inside this file.",
		"One thing to watch: amounts with a space as thousands separator come from the Polish export, those with a point from the German one.",
		"I did not touch the configuration, and I left the old test in place next to the new one so that you can compare them.",
		"If the nightly job meets such a row again, it now writes it into the report instead of stopping half way through.",
		"The odd part is that the same customer appears under two spellings; that is worth a check of its own, later.",
	}
)

var (
	codeLines = []string{
		"func (r *reader) row%d(line string) (Invoice, error) {", "\tfields := strings.Split(line, \";\") // at most %d",
		"\tif len(fields) < %d {", "\t\treturn Invoice{}, fmt.Errorf(\"row %d: too few fields\", r.at)", "\t}",
		"\tamount, err := parseAmount(fields[%d], r.comma)", "\tif err != nil {", "\t\treturn Invoice{}, err // seen in ticket INV-%d",
		"\t}", "\tr.seen[normalise(fields[%d])]++", "\treturn Invoice{Number: fields[0], Amount: amount}, nil", "}", "",
	}
	testLines = []string{
		"=== RUN   TestBatch/row_%d", "--- PASS: TestBatch/row_%d (0.00s)", "    reader_test.go:%d: 12 invoices, 12 kept",
		"=== RUN   TestMerge/import_%d", "--- PASS: TestMerge/import_%d (0.01s)",
		"--- FAIL: TestAmount/pl_%d (0.00s): got 1.234,50 want 1234.50",
	}
	tableLines = []string{
		"| FV/2026/%d | ACME Sp. z o.o.    |   1 234,50 zł | paid    |", "| FV/2026/%d | Łódź Logistics     |     980,00 zł | open    |",
		"| FV/2026/%d | Gęś & Synowie      |  12 000,00 zł | doubled |", "| FV/2026/%d | Nordwind GmbH      |     311,90 €  | paid    |",
	}
	searchLines = []string{
		"internal/invoice/nightly.go:%d:\trows = merge(rows, fresh)", "internal/invoice/upload.go:%d:\treturn merge(old, trimmed(fresh))",
		"internal/report/month.go:%d:\tall := merge(paid, open)", "cmd/import/main.go:%d:\tmerged := merge(a, b)",
	}
)

// demoPlay writes a chat of so many turns. The same number gives the same chat.
func demoPlay(turns int) []task {
	play := []task{{ask: demoFirst, answer: "Welcome, Zofia. I will read the import first, and I leave staging alone."}}
	for n := 2; n < turns; n++ {
		play = append(play, demoRoutines[n%len(demoRoutines)].task(n))
	}
	return append(play, task{ask: demoLast})
}

// task fills a routine in.
func (r *routine) task(n int) task {
	t := task{
		ask:    userAsides[n%len(userAsides)] + " " + fmt.Sprintf(r.ask, n),
		answer: fmt.Sprintf(r.answer, n),
	}
	for i := range 2 + n%3 {
		t.answer += " " + modelAsides[(n+i)%len(modelAsides)]
	}
	for i, tl := range r.tools {
		t.calls = append(t.calls, fakellm.ToolCall{
			ID: fmt.Sprintf("call_%d_%d", n, i+1), Name: tl.name, Args: fmt.Sprintf(tl.args, n),
		})
		t.results = append(t.results, tl.result(uint64(n)))
	}
	return t
}

// result is between 1,600 and 3,600 characters long.
func (tl *tool) result(n uint64) string {
	random := rand.New(rand.NewPCG(n, uint64(len(tl.name))))
	size := 1600 + random.IntN(2000)
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		line := tl.lines[i%len(tl.lines)]
		b.WriteString(strings.Replace(line, "%d", fmt.Sprint(100+random.IntN(900)), 1) + "\n")
	}
	return b.String()
}

// demoTools is what the agent says it can do.
const demoTools = `[` +
	`{"type":"function","function":{"name":"read_file","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}},` +
	`{"type":"function","function":{"name":"run","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}},` +
	`{"type":"function","function":{"name":"query","parameters":{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]}}},` +
	`{"type":"function","function":{"name":"search","parameters":{"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"]}}}]`
