package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The picture's measures, in pixels.
const (
	pictureWidth = 900
	labelWidth   = 190
	barHeight    = 20
	panelHeight  = 260
)

// The colours hold on light and dark pages alike.
const (
	ink    = "#6b7280"
	within = "#2f9e6e"
	over   = "#d9822b"
	mark   = "#c0392b"
	plainC = "#8aa0b8"
)

// svg is a picture being drawn.
type svg struct{ strings.Builder }

func (p *svg) text(x, y float64, anchor, text string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" font-size="12" font-family="sans-serif">%s</text>`+"\n",
		x, y, anchor, ink, html.EscapeString(text))
}

func (p *svg) line(x1, y1, x2, y2 float64, colour string, width float64) {
	fmt.Fprintf(p, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>`+"\n", x1, y1, x2, y2, colour, width)
}

func (p *svg) rect(x, y, width, height float64, colour string) {
	fmt.Fprintf(p, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, width, height, colour)
}

func (p *svg) path(points []string, colour string) {
	fmt.Fprintf(p, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), colour)
}

// draw makes the picture of a run: a bar for each workload, and below them how the cost grows.
func (r *run) draw() string {
	p := &svg{}
	bars := 60 + float64(len(r.series))*barHeight
	height := bars
	if len(r.curves) > 0 {
		height += panelHeight
	}
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" role="img">`+"\n", pictureWidth, height)
	p.text(10, 18, "start", "CPU per request, as a multiple of a bare fasthttp relay's (logarithmic). Red: the budget.")
	r.drawBars(p)
	for i := range r.curves {
		half := float64(pictureWidth) / 2
		r.curves[i].draw(p, float64(i)*half, bars, half)
	}
	p.WriteString("</svg>\n")
	return p.String()
}

func (r *run) drawBars(p *svg) {
	most := 2.0
	for _, s := range r.series {
		most = max(most, s.figure().value*1.15)
	}
	at := func(ratio float64) float64 { // 0.5 is the left edge
		return labelWidth + math.Log2(max(ratio, .5)/.5)/math.Log2(most/.5)*(pictureWidth-labelWidth-60)
	}
	for i, s := range r.series {
		f, y := s.figure(), float64(30+i*barHeight)
		colour := within
		if f.value > f.budget {
			colour = over
		}
		p.text(labelWidth-8, y+13, "end", s.name)
		p.rect(labelWidth, y+3, at(f.value)-labelWidth, barHeight-6, colour)
		p.line(at(f.budget), y, at(f.budget), y+barHeight, mark, 2)
		p.text(max(at(f.value), at(f.budget))+6, y+13, "start", fmt.Sprintf("%.2f", f.value))
	}
	y := float64(30 + len(r.series)*barHeight)
	for tick := 1.0; tick < most; tick *= 2 {
		p.line(at(tick), 28, at(tick), y, ink, .4)
		p.text(at(tick), y+14, "middle", fmt.Sprintf("%g×", tick))
	}
}

// draw draws a curve with two logarithmic axes into a panel.
func (c *curve) draw(p *svg, left, top, width float64) {
	x0, x1, y0, y1 := left+50, left+width-20, top+panelHeight-50, top+35
	low, high := math.Inf(1), 0.0
	for _, q := range c.points {
		low, high = min(low, q.bare, q.recap), max(high, q.bare, q.recap)
	}
	low, high = math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	most := math.Log10(float64(c.points[len(c.points)-1].x))
	least := math.Log10(float64(c.points[0].x))
	at := func(x, y float64) (float64, float64) {
		return x0 + (math.Log10(x)-least)/(most-least)*(x1-x0), y0 - (math.Log10(y)-low)/(high-low)*(y0-y1)
	}
	p.text(left+10, top+18, "start", c.title)
	for decade := low; decade <= high; decade++ {
		_, y := at(1, math.Pow(10, decade))
		p.line(x0, y, x1, y, ink, .4)
		p.text(x0-6, y+4, "end", fmt.Sprintf("%g µs", math.Pow(10, decade)))
	}
	var bare, recap []string
	for _, q := range c.points {
		x, y := at(float64(q.x), q.bare)
		bare = append(bare, fmt.Sprintf("%.1f,%.1f", x, y))
		p.text(x, y0+16, "middle", fmt.Sprint(q.x))
		x, y = at(float64(q.x), q.recap)
		recap = append(recap, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	p.path(bare, plainC)
	p.path(recap, within)
	p.text((x0+x1)/2, y0+36, "middle", c.axis+" (green: Recap, grey: bare relay)")
}
