package summarizer

import "strings"

// overrideStarts begin sentences by which text planted in a tool result speaks to the model, in small letters; of the
// first ones a sentence must also name what is to be put aside. A sentence that tells of such a text begins otherwise.
var (
	overrideStarts = []string{
		"ignore ", "disregard ", "forget ", "override ", "zignoruj ", "ignoruj ", "ignoriere ", "ignorieren sie ", "vergiss ",
		"ignorez ", "oublie ", "oubliez ", "ignora ", "ignore ", "olvida ", "ignorar ", "dimentica ", "игнорируй ", "игнорируйте ",
		"забудь ", "забудьте ", "忽略", "无视", "忘记", "تجاهل ",
	}
	overridden = []string{
		"instruction", "rules", "prompt", "guideline", "told before", "told you", "instrukcj", "zasad", "polece", "anweisung", "regeln",
		"consignes", "règles", "instruccion", "reglas", "istruzioni", "instruç", "инструкц", "правил", "указани", "指令", "指示", "规则",
		"提示", "التعليمات", "القواعد",
	}
	plantedStarts = []string{
		"system:", "[system]", "system prompt:", "new instructions:", "assistant:", "do not tell the user", "don't tell the user",
	}
	plantedInside = []string{"の指示を無視", "の命令を無視", "지시를 무시"}
)

// injectedGate strikes sentences that would tell the model to forget what it was told (E14). The wrapper says that a
// summary is no instruction; a small model obeys all the same.
func injectedGate(d *draft) bool {
	text := withoutSentences(d.text, planted)
	if text == d.text {
		return false
	}
	d.text = text
	return blank(text)
}

func planted(sentence string) bool {
	small := strings.ToLower(strings.TrimLeft(sentence, " \t-*•>\"'“`0123456789.)"))
	if startsWith(small, plantedStarts) || contains(small, plantedInside) {
		return true
	}
	return startsWith(small, overrideStarts) && contains(small, overridden)
}

func startsWith(text string, starts []string) bool {
	for _, s := range starts {
		if strings.HasPrefix(text, s) {
			return true
		}
	}
	return false
}

func contains(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// withoutSentences leaves out the sentences that drop wants out; a line of which nothing is left goes whole.
func withoutSentences(text string, drop func(sentence string) bool) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		left := ""
		for rest := line; rest != ""; {
			var sentence string
			before := rest
			sentence, rest = nextSentence(rest)
			whole := before[:len(before)-len(rest)]
			if !drop(sentence) {
				left += whole
			}
		}
		if left == line || !blank(left) {
			b.WriteString(left)
			if left != line && strings.HasSuffix(line, "\n") && !strings.HasSuffix(left, "\n") {
				b.WriteByte('\n')
			}
		}
	}
	return strings.TrimSpace(b.String())
}
