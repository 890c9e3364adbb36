package summarizer

import "strings"

// maxFact is the longest exact string worth keeping, in bytes: longer ones are blobs.
const maxFact = 200

// classify says what a word is that holds more than letters, noFact when nothing worth keeping to the letter.
func classify(word string, hump, loose bool) factKind {
	switch {
	case !has(word, isDigit):
		return classifyLetters(word, hump, loose)
	case !hasLetter(word):
		return classifyNumber(word)
	}
	return classifyMixed(word, loose)
}

func classifyLetters(word string, hump, loose bool) factKind {
	switch {
	case hasSlash(word):
		return pathOr(word, loose, noFact)
	case strings.HasPrefix(word, "--") && len(word) > 3:
		return idFact
	case strings.Contains(word, "@") && strings.Contains(word, "."):
		return idFact
	case fileLike(word):
		return fileOrID(word)
	case strings.IndexByte(word, '_') >= 0 && len(word) > 2, hump && len(word) > 3:
		return idFact
	case word[0] == '$' && len(word) > 2:
		return idFact
	}
	return noFact
}

// classifyNumber classifies words without letters.
func classifyNumber(word string) factKind {
	switch {
	case strings.IndexByte(word, '$') == 0:
		return moneyFact
	case word[0] == '#':
		return idFact
	case isDate(word):
		return dateFact
	case strings.Count(word, ".") == 3 && allOf(strings.ReplaceAll(word, ".", ""), isDigit):
		return idFact // an address
	case strings.IndexByte(word, ':') > 0:
		return dateFact
	case strings.HasSuffix(word, "%"):
		return quantityFact
	case strings.Count(word, ".") >= 2:
		return versionFact
	case strings.IndexByte(word, '/') >= 0:
		return noFact
	}
	return numberFact
}

// classifyMixed classifies words with letters and digits.
func classifyMixed(word string, loose bool) factKind {
	switch {
	case isUUID(word):
		return hashFact
	case isHex(word) && len(word) >= 7 && len(word) <= 128:
		return hashFact
	case len(word) >= 10 && isDate(word[:10]):
		return dateFact
	case hasSlash(word):
		return pathOr(word, loose, idFact)
	case isVersion(word):
		return versionFact
	case isOrdinal(word):
		return noFact
	case isMeasure(word):
		return quantityFact
	case strings.IndexByte(word, ',') >= 0:
		return noFact
	case fileLike(word):
		return fileOrID(word)
	case len(word) > 80:
		return noFact // a blob
	case len(word) > 2:
		return idFact
	}
	return noFact
}

// pathOr tells a path from words that a slash joins ("and/or"), and from what is escaped by a backslash.
func pathOr(word string, loose bool, other factKind) factKind {
	first, last := strings.IndexByte(word, '/'), strings.LastIndexByte(word, '/')
	switch {
	case first < 0:
		if isDrive(word) {
			return pathFact
		}
		return noFact
	case strings.IndexByte(word, '\\') >= 0, strings.HasPrefix(word, "//"), strings.Contains(word, "///"),
		word == "/dev/null", first == 0 && len(word) < 4:
		return noFact
	case first == 0, first == 1 && (word[0] == '~' || word[0] == '.'), first == 2 && word[:2] == "..",
		loose, fileLike(word[last+1:]):
		return pathFact
	case last > first:
		return idFact
	}
	return other
}

// isDrive knows paths such as C:\Users\me.
func isDrive(word string) bool { return len(word) > 3 && word[1:3] == ":\\" }

// fileEndings are the ends of file and host names. Other dotted words are identifiers of code.
var fileEndings = wordSet(`ac asm bak bat bin bz2 c cc cfg cjs class cmake cmd conf config cpp crt cs css csv cue cxx dart db diff
dll dockerfile docx dts el elm env erb ex exs f90 fish gif go gradle graphql groovy gz h hbs hcl hpp hs html http ico
ics ini ipynb jar java jinja jpeg jpg js json jsonl jsx key kt kts less lock log lua m4 mak md mdx mjs ml mod mp3
mp4 nix odt parquet patch pdf pem php pl plist png po proto ps1 py pyi r rb rs rst s sass scala scss sh snap so sol
sql sqlite sum svelte svg swift tar tcl tex tf tfvars tgz tmpl toml ts tsv tsx txt vue wasm webp xlsx xml xsd yaml yml zig zip zsh`)

var hostEndings = wordSet(`com org net io dev app ai eu de pl uk fr es it ru cn jp us info local internal lan home test example`)

// isSourceLine knows main.go and main.go:42, not db.local.
func isSourceLine(word string) bool {
	word, _, _ = strings.Cut(word, ":")
	return fileLike(word) && fileEndings[word[strings.LastIndexByte(word, '.')+1:]]
}

func fileOrID(word string) factKind {
	ending := strings.ToLower(word[strings.LastIndexByte(word, '.')+1:])
	if fileEndings[ending] || hostEndings[ending] {
		return pathFact
	}
	return idFact
}

// fileLike tells name.ext, host.domain and dotted identifiers from the end of a sentence.
func fileLike(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	if dot < 2 || len(word)-dot-1 < 1 || len(word)-dot-1 > 10 {
		return dot == 0 && len(word) > 3 && hasLetter(word)
	}
	suffix := word[dot+1:]
	return hasLetter(word[:dot]) && classes[suffix[0]] == isLower && allOf(suffix, isLower|isDigit|isUpper)
}

func hasLetter(word string) bool { return has(word, isLower|isUpper) }

func hasSlash(word string) bool {
	return strings.IndexByte(word, '/') >= 0 || strings.IndexByte(word, '\\') >= 0
}

// has reports whether any byte of a word is of a class.
func has(word string, class uint8) bool {
	for i := range len(word) {
		if classes[word[i]]&class != 0 {
			return true
		}
	}
	return false
}

func hasHump(word string) bool {
	for i := 1; i < len(word); i++ {
		if classes[word[i]] == isUpper && classes[word[i-1]] == isLower {
			return true
		}
	}
	return false
}

// allOf reports whether all bytes of a word that is not empty are of a class.
func allOf(word string, class uint8) bool {
	for i := range len(word) {
		if classes[word[i]]&class == 0 {
			return false
		}
	}
	return word != ""
}

// isHex reports whether a word is made of hexadecimal digits, letters and numerals both.
func isHex(word string) bool {
	digit, letter := false, false
	for i := range len(word) {
		switch c := word[i] | 0x20; {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'f':
			letter = true
		default:
			return false
		}
	}
	return digit && letter
}

func isHexColons(word string) bool {
	return isHex(strings.ReplaceAll(word, ":", "")) || allOf(strings.ReplaceAll(word, ":", ""), isDigit)
}

func isUUID(word string) bool {
	if len(word) != 36 {
		return false
	}
	for i := range len(word) {
		c := word[i] | 0x20
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (word[i] == '-') || !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// isDate knows 2026-11-30, 30.11.2026, 11/30/2026 and times of day such as 14:30.
func isDate(word string) bool {
	if len(word) < 8 || len(word) > 32 || classes[word[0]] != isDigit {
		return false
	}
	for _, sep := range []string{"-", ".", "/"} {
		parts := strings.Split(word, sep)
		if len(parts) != 3 {
			continue
		}
		first, last := parts[0], parts[2]
		if len(last) > 4 {
			last = last[:2] // a time may follow
		}
		if allOf(first, isDigit) && allOf(parts[1], isDigit) && allOf(last, isDigit) && len(parts[1]) <= 2 &&
			(len(first) == 4 || len(last) == 4 && len(first) <= 2) {
			return true
		}
	}
	return false
}

// isVersion knows v2, v1.2.3, 1.2.3-rc1 and 1.4b2.
func isVersion(word string) bool {
	bare := strings.TrimPrefix(strings.TrimPrefix(word, "v"), "V")
	if len(bare) < len(word) && bare != "" && classes[bare[0]] == isDigit && allOf(bare[:1], isDigit) {
		return strings.IndexByte(bare, '.') > 0 || allOf(bare, isDigit)
	}
	dot := strings.IndexByte(word, '.')
	return dot > 0 && dot+1 < len(word) && allOf(word[:dot], isDigit) && classes[word[dot+1]] == isDigit &&
		strings.ContainsAny(word[dot:], "-+abr")
}

func isOrdinal(word string) bool {
	n := len(word) - 2
	if n < 1 || !allOf(word[:n], isDigit) {
		return false
	}
	switch word[n:] {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// isMeasure knows a number with its unit right behind: 512MB, 30s, 4.5k.
func isMeasure(word string) bool {
	n := 0
	for n < len(word) && (classes[word[n]] == isDigit || word[n] == '.' || word[n] == ',') {
		n++
	}
	if n == 0 || n == len(word) {
		return false
	}
	unit := strings.ToLower(word[n:])
	return units[unit] || unit == "k" || unit == "x" || unit == "bn" || unit == "mio"
}

// isErrorName knows ECONNREFUSED, SIGSEGV and their kin among words in capitals.
func isErrorName(word string) bool {
	return len(word) >= 5 && (word[0] == 'E' && !emphasis[word] || strings.HasPrefix(word, "SIG"))
}

// emphasis are English words that people write in capitals.
var emphasis = map[string]bool{
	"EVERY": true, "EVERYTHING": true, "EITHER": true, "EMPTY": true, "EXACT": true, "EXACTLY": true,
	"EXAMPLE": true, "ENTIRE": true, "ENTIRELY": true, "EXISTING": true, "ERROR": true, "ERRORS": true, "EARLY": true,
	"ENGLISH": true, "EXCEPT": true, "EXPLICITLY": true, "ESSENTIAL": true, "EXTREMELY": true, "EVERYONE": true,
}
