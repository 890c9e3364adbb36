package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// writer makes up what is said.
type writer struct{ rand *rand.Rand }

func newWriter(kind string, seed uint64) *writer {
	salt := uint64(0)
	for _, c := range []byte(kind) {
		salt = salt*131 + uint64(c)
	}
	return &writer{rand.New(rand.NewPCG(seed, salt))}
}

var plainWords = strings.Fields("the server keeps each request until the answer has ended and a worker looks whether the queue holds " +
	"something newer before it writes the summary because most chats go on for a while and nobody waits for them so that a late " +
	"result is no harm while an early one may be wrong please check that the new rule holds for all of them and tell me what you " +
	"found before we change the next part of it thanks this is what we had in mind when the first design was made")

var foreignWords = [][]string{
	strings.Fields("zażółć gęślą jaźń źródło pamięć różnica ścieżka błąd wartość dziękuję przez między"),
	strings.Fields("проверка память сервер ошибка значение между путь спасибо разговор сводка"),
	strings.Fields("测试 缓存 数据库 服务器 配置 请求 答案 摘要 对话 谢谢"),
	strings.Fields("サーバー 設定 漢字 東京 こんにちは 要約 会話"),
	strings.Fields("😀 👩‍💻 🇵🇱 ✅ 🚀 é 𝒳"),
}

var stems = strings.Fields("queue store worker cache plan prune digest border window token ledger route header stream retry")

func (w *writer) pick(list []string) string { return list[w.rand.IntN(len(list))] }

func (w *writer) between(low, high int) int { return low + w.rand.IntN(high-low+1) }

func (w *writer) chance(share float64) bool { return w.rand.Float64() < share }

// prose is about size characters of plain sentences, without anything exact.
func (w *writer) prose(size int) string {
	var b strings.Builder
	for length := 0; b.Len() < size; length++ {
		if length > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.pick(plainWords))
		if length >= 8 && w.chance(0.2) {
			b.WriteByte('.')
			length = -1
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String()) + "."
}

// foreign is about size characters in other scripts.
func (w *writer) foreign(size int) string {
	tongue := foreignWords[w.rand.IntN(len(foreignWords))]
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(w.pick(tongue) + " ")
	}
	return b.String()
}

func (w *writer) hex(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%x", w.rand.IntN(16))
	}
	return b.String()
}

func (w *writer) path() string {
	return fmt.Sprintf("%s/%s/%s_%s.go", w.pick([]string{"internal", "pkg", "cmd", "src"}), w.pick(stems), w.pick(stems), w.hex(2))
}

func (w *writer) identifier() string {
	second := w.pick(stems)
	return w.pick(stems) + strings.ToUpper(second[:1]) + second[1:] + strings.ToUpper(w.hex(1))
}

// logNormal draws a size of which half is under p50 and nine tenths under p90.
func (w *writer) logNormal(p50, p90 float64) int {
	sigma := math.Log(p90/p50) / 1.2816
	return int(p50 * math.Exp(w.rand.NormFloat64()*sigma))
}

// code is a tool result of about size characters: numbered lines that mention paths, identifiers and numbers; what it
// told is added to seen.
func (w *writer) code(size int, seen *[]string) string {
	var b strings.Builder
	for line := 1; b.Len() < size; line++ {
		switch w.rand.IntN(8) {
		case 0:
			word := w.path()
			*seen = append(*seen, word)
			fmt.Fprintf(&b, "%4d\t// see %s\n", line, word)
		case 1, 2:
			word := w.identifier()
			*seen = append(*seen, word)
			fmt.Fprintf(&b, "%4d\tfunc %s(limit int) error { return check(limit, %d) }\n", line, word, w.between(100, 99999))
		default:
			fmt.Fprintf(&b, "%4d\t%s\n", line, w.prose(w.between(20, 70)))
		}
	}
	return b.String()
}
