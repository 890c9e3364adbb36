package main

import (
	"fmt"
	"strings"

	"recap/eval/measure"
)

// The picture's measures, in pixels.
const (
	drawWidth  = 860
	drawLeft   = 190
	drawTop    = 60
	barHeight  = 12
	groupSpace = 56
	perUnit    = 340 // for a value of 1
)

// series are the bars of each group.
var series = []struct {
	name, colour string
	of           func(*measure.Figures) float64
}{
	{"tokens sent", "#3b6ea5", (*measure.Figures).Tokens},
	{"prefill", "#c2703d", (*measure.Figures).Prefill},
	{"cost", "#5a8f4e", (*measure.Figures).Cost},
}

// drawArms draws what each way of pruning sends, reads anew and costs, on the recorded runs where they were measured,
// else on the generated ones.
func drawArms(r *results) string {
	kind := "W10"
	if r.find(kind, k128, measure.Untouched, false) == nil {
		kind = "W3"
	}
	var b strings.Builder
	height := drawTop + len(measure.Arms())*groupSpace + 20
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		drawWidth, height, drawWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", drawWidth, height)
	fmt.Fprintf(&b, `<text x="%d" y="20" font-size="14">%s at 128k, no checkpoints; 1 = everything sent, append-only</text>`+"\n", drawLeft, kind)
	for i, s := range series {
		x := drawLeft + i*120
		fmt.Fprintf(&b, `<rect x="%d" y="32" width="12" height="12" fill="%s"/><text x="%d" y="42">%s</text>`+"\n", x, s.colour, x+18, s.name)
	}
	fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#888888" stroke-dasharray="4 3"/>`+"\n",
		drawLeft+perUnit, drawTop-8, drawLeft+perUnit, height-16)
	for i, arm := range measure.Arms() {
		if f := r.find(kind, k128, arm, false); f != nil {
			drawGroup(&b, drawTop+i*groupSpace, arm.Name, f)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func drawGroup(b *strings.Builder, y int, name string, f *measure.Figures) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", drawLeft-10, y+16, name)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" fill="#666666">recall %.3f</text>`+"\n", drawLeft-10, y+32, f.Recall())
	for i, s := range series {
		value := s.of(f)
		width := min(int(value*perUnit), drawWidth-drawLeft-60)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d">%.2f</text>`+"\n",
			drawLeft, y+i*(barHeight+2), width, barHeight, s.colour, drawLeft+width+6, y+i*(barHeight+2)+10, value)
	}
}
