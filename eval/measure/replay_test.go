package measure_test

import (
	"testing"
	"time"

	"recap/eval/measure"
	"recap/eval/workload"
)

func TestSpeed(t *testing.T) {
	runs, _ := workload.Recorded("../../../shared/traces")
	for _, arm := range measure.Arms() {
		for _, cps := range []bool{false, true} {
			start := time.Now()
			var sum measure.Figures
			for i := range runs {
				f, err := measure.Replay(&runs[i], measure.Setup{Arm: arm, Window: 131072, Checkpoints: cps, Header: workload.Header(131072)})
				if err != nil {
					t.Fatal(err)
				}
				sum.Add(&f)
			}
			t.Logf("%-22s %v m1 %.3f prefix %.4f prefill %.3f cost %.3f breaks %.1f recall %.4f | sums %.2f over %d thrash %d restless %d split %d invalid %d %s wrong %d misused %d behind %d support %.3f %v", arm.Name, cps,
				sum.Tokens(), sum.Prefix(), sum.Prefill(), sum.Cost(), sum.PerRun(sum.Breaks), sum.Recall(), sum.PerRun(sum.Summaries), sum.OverWindow, sum.Thrash, sum.Restless, sum.Split, sum.Invalid, sum.First, sum.Wrong, sum.Misused, sum.Behind, sum.Support(), time.Since(start).Round(time.Millisecond))
		}
	}
}
