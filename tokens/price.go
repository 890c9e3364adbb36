package tokens

import "recap/chat"

// perMillion is how many tokens a price is for.
const perMillion = 1e6

// PriceOf returns what the first entry of models whose pattern matches says that a model costs; zero where none does.
func PriceOf(models []Model, model string) Price {
	for i := range models {
		if Glob(models[i].Match, model) {
			return models[i].Price
		}
	}
	return Price{}
}

// Cost returns what an exchange costs at this price.
func (p Price) Cost(u chat.Usage) float64 {
	cached := min(max(u.Cached, 0), max(u.Prompt, 0))
	return (float64(u.Prompt-cached)*p.Input + float64(cached)*p.cached() + float64(u.Completion)*p.Output) / perMillion
}

// cached is the price of a token of the prompt that the upstream had in its cache.
func (p Price) cached() float64 {
	if p.Cached > 0 {
		return p.Cached
	}
	return p.Input
}
