package main

import (
	"os"
	"testing"
)

// The table that is built in is the one that the list makes.
func TestTableIsUpToDate(t *testing.T) {
	list, err := os.ReadFile("models.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Table(string(list))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../models.csv")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("tokens/models.csv is not what tokens/maketable/models.txt makes; run go generate ./tokens")
	}
}

func TestTable(t *testing.T) {
	f := func(list, want string) {
		t.Helper()
		got, err := Table(list)
		if want == "" && err == nil || want != "" && (err != nil || string(got) != header+want) {
			t.Errorf("%q: got %q, %v, want %q", list, got, err, want)
		}
	}
	f("from here # and now\n\na* 10 - o200k_base 7 # why\nfrom memory\nb 20 5 p50k_base -\n", "a*,10,0,o200k_base,7,here\nb,20,5,p50k_base,0,memory\n")
	f("a 10 - o200k_base 7\n", "")            // from nowhere
	f("from\na 10 - o200k_base 7\n", "")      // from nothing
	f("from a, b\na 10 - o200k_base 7\n", "") // would be two columns
	f("from x\na 10 - o200k_base\n", "")
	f("from x\na 10 - klingon 7\n", "")
	f("from x\na,b 10 - o200k_base 7\n", "")
	f("from x\na -1 - o200k_base 7\n", "")
	f("from x\na 999999999999 - o200k_base 7\n", "")
}
