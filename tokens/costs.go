package tokens

// The tables below were measured: what pieces of English, code, logs and JSON cost on average with o200k_base, in
// units of 1/unit tokens, by length. TestEstimateByScript states how far they are off.

// wideBlanks is the number of blanks that one more token covers in a long run.
const wideBlanks = 80

// smallCost is the cost of a word in small letters, its first one maybe a capital, by what stands before it.
var smallCost = [4][17]uint16{
	leadNone:  {0, 100, 100, 104, 104, 108, 110, 112, 118, 128, 140, 180, 170, 200, 240, 280, 320},
	leadSpace: {0, 100, 100, 101, 103, 104, 104, 105, 112, 113, 123, 136, 134, 140, 155, 170, 200},
	leadPunct: {0, 102, 107, 124, 125, 134, 130, 143, 160, 172, 215, 215, 260, 245, 275, 310, 350},
	leadDigit: {0, 101, 112, 150, 180, 210, 240, 260, 290, 320, 350, 380, 410, 440, 470, 500, 540},
}

// smallMore is what each further letter costs.
const smallMore = 40

// capitalCost is the cost of a word in capitals.
var capitalCost = [17]uint16{0, 100, 100, 107, 120, 132, 140, 160, 230, 200, 260, 320, 360, 400, 440, 480, 520}

const capitalMore = 48

// punctCost is the cost of a run of different marks.
var punctCost = [7]uint16{0, 100, 102, 135, 185, 225, 275}

const punctMore = 30
