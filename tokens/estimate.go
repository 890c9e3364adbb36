package tokens

// Estimate is the fixed measure of a text in tokens.
func Estimate(text string) int { return (len(text) + 3) / 4 }

// EstimateQuoted is Estimate of the text that a JSON string token stands for.
func EstimateQuoted(token string) int { return Estimate(token) }
