package tokens

// The tables below were measured: what pieces of English, code, logs and JSON cost on average with o200k_base, in
// units of 1/unit tokens, by length. TestEstimateByScript states how far they are off.

// wideBlanks is the number of blanks that one more token covers in a long run.
const wideBlanks = 80

// capitalCost is the cost of a word in capitals.
var capitalCost = [17]uint16{0, 100, 100, 107, 120, 132, 140, 160, 230, 200, 260, 320, 360, 400, 440, 480, 520}

const capitalMore = 48

// punctCost is the cost of a run of different marks.
var punctCost = [7]uint16{0, 100, 102, 135, 185, 225, 275}

const punctMore = 30

// tastes were measured like the rest, with the vocabularies of Llama 3, Qwen 3 and Gemma 3.
var tastes = [likenessCount]taste{
	likeCl100k: {latin: 1, plain: 100, foreign: [groupCount]int{
		marks: 110, joined: 125, greek: 260, cyrillic: 190, caucasian: 680, hebrew: 255, arabic: 235, devanagari: 370,
		indic: 400, thai: 240, han: 150, kana: 140, hangul: 175, emoji: 128, rare: 150,
	}},
	likeLlama3: {latin: 1, doubled: 140, plain: 100, foreign: [groupCount]int{
		marks: 105, joined: 96, greek: 107, cyrillic: 120, caucasian: 630, hebrew: 255, arabic: 120, devanagari: 195,
		indic: 390, thai: 115, han: 104, kana: 88, hangul: 105, emoji: 126, rare: 150,
	}},
	likeQwen: {latin: 1, doubled: 140, plain: 100, single: true, foreign: [groupCount]int{
		marks: 100, joined: 42, greek: 255, cyrillic: 137, caucasian: 365, hebrew: 100, arabic: 123, devanagari: 350,
		indic: 325, thai: 137, han: 77, kana: 80, hangul: 107, emoji: 103, rare: 130,
	}},
	likeGemma: {plain: 112, single: true, foreign: [groupCount]int{
		marks: 100, joined: 79, greek: 105, cyrillic: 97, caucasian: 150, hebrew: 122, arabic: 110, devanagari: 88,
		indic: 73, thai: 80, han: 88, kana: 62, hangul: 95, emoji: 77, rare: 100,
	}},
}
