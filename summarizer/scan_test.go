package summarizer_test

import (
	"slices"
	"strings"
	"testing"

	"recap/summarizer"
)

func TestFactsOfAText(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got := summarizer.Facts(text); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	f("Hello, how are you today?")
	f("Do it and/or leave it, e.g. now. The 1st of many.")
	f("See ./run.sh, ~/notes.md and C:\\Users\\me\\x.txt.", "./run.sh", "~/notes.md", "C:\\Users\\me\\x.txt")
	f("born 30 November 2026", "30 (born 30)", "November (born 30 November)", "30 November 2026 (born 30 November 2026)")
	f("open src/app/main.go:42:7 please", "src/app/main.go")
	f("go to https://a.example/x?y=1#z, then (http://b.example).", "https://a.example/x?y=1#z", "http://b.example")
	f("id 3f2a9c1e-77b4-4d0a-9b1c-0e5d2f6a8b90!", "3f2a9c1e-77b4-4d0a-9b1c-0e5d2f6a8b90 (id 3f2a9c1e-77b4-4d0a-9b1c-0e5d2f6a8b90)")
	f("The host is db.local:5432 now", "db.local:5432 (host is db.local:5432)")
	f("on 2026-11-30T14:30:00Z or 30.11.2026, at 14:30",
		"2026-11-30T14:30:00Z", "30.11.2026", "14:30")
	f("It costs $1,299.99 (not 500 PLN).", "$1,299.99 (costs $1,299.99)", "500 PLN")
	f("wait 250 ms, use 15 % of 512MB", "250 ms (wait 250 ms)", "15 %", "512MB (15 % of 512MB)")
	f("ENOENT and EVERYTHING and E1234", "ENOENT", "E1234 (ENOENT and EVERYTHING and E1234)")
	f("call getUserById with MAX_RETRIES", "getUserById", "MAX_RETRIES (getUserById with MAX_RETRIES)")
	f("Ask Anna Nowak about `the plan`", "Anna Nowak", "the plan")
	f("端口是5433，版本v2.3.1。", "5433 (端口是5433)", "v2.3.1 (版本v2.3.1)")
	f("Die Einstellungen sind neu. Der Jürgen Grünwald hilft.", "Einstellungen (Die Einstellungen)", "Jürgen Grünwald (Der Jürgen Grünwald)")
	f("budżet to 18 450,75 zł rocznie", "18 450,75 zł (budżet to 18 450,75 zł)")
	f("ports 80 443", "80 (ports 80)", "443 (ports 80 443)")
	f("since 17 listopada 2026", "17 (since 17)", "17 listopada 2026 (since 17 listopada 2026)")
	f("March 3, 2027", "March 3, 2027")
	f("冻结从2026年11月17日开始", "2026年11月17日 (冻结从2026年11月17日)")
	f("予算は125,000円です", "125,000円 (予算は125,000円)")
	f("ページはhttps://a.example.jp/x?y=42です。", "https://a.example.jp/x?y=42")
	f("担当者は佐藤花子さんです", "佐藤花子 (担当者は佐藤花子)")
	f("我的联系人是王小明，数据组的", "王小明 (我的联系人是王小明)")
	f("a budget of €300 or £4.50", "€300 (budget of €300)", "£4.50")
	f("порт равен 5433, ветка fix/login-42", "5433 (порт равен 5433)", "fix/login-42 (ветка fix/login-42)")
	f("Serwer żółw ma adres 10.0.0.17 i port 8443", "10.0.0.17 (ma adres 10.0.0.17)", "8443 (port 8443)")
}

// L6's companions of a chat in any language: rules are kept word for word.
func TestRulesOfAText(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got := summarizer.Rules(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("Hi. Never push to main! Thanks.", "Never push to main!")
	f("Nevertheless it works.")
	f("Nigdy nie usuwaj bazy. Dzięki.", "Nigdy nie usuwaj bazy.")
	f("Никогда не трогай прод.\nСпасибо", "Никогда не трогай прод.")
	f("你好。不要删除日志。谢谢", "不要删除日志。")
	f("a\nYou must use v1.2.3 of x.y here\nb", "You must use v1.2.3 of x.y here")
	f("never " + strings.Repeat("long ", 100))
}
