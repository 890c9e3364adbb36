package measure

import "fmt"

// Figures are the sums over replayed runs. Tokens are characters divided by four, unless a name says otherwise.
type Figures struct {
	Runs, Requests int

	ClientTokens, SentTokens  int // m1, fixed parts included
	SharedBytes, EarlierBytes int // m2: of the messages sent before, those sent again at the same place
	Pairs                     int // of consecutive requests in one thread
	Breaks, Prunes, Swaps     int // m2: prefixes broken; by pruning alone; by another checkpoint
	Fresh, FreshAppend        int // m3: tokens outside the kept prefix; what sending everything append-only would have had

	Invalid int    // m4
	First   string // what was refused first; "" = nothing

	Facts, Kept, Corrupted, Contradicted int // m6, looked up at every fifth request and the last
	Needs, Visible                       int // m7
	Claims, Supported                    int // m8
	Wrong                                int // m9
	Choices, Misused, Behind             int // m10: requests looked at; not the one that the rule names; behind the one in use

	OverWindow            int // m13: requests that were over the budget
	Summaries, Failed     int
	Reasons               map[string]int // of failures
	SummaryIn, SummaryOut int            // tokens of the summariser, as it reported them
	Thrash, Restless      int            // calm: swaps needed within three requests of one; those not for new messages alone
	Needless, Split       int            // those of them without an excuse, see soon; pruned in the request before a swap

	Notes []string // what was found wrong, for whoever looks into it; at most maxNotes a run
}

// Add adds another replay's sums.
func (f *Figures) Add(g *Figures) {
	pairs := [][2]*int{
		{&f.Runs, &g.Runs},
		{&f.Requests, &g.Requests},
		{&f.ClientTokens, &g.ClientTokens},
		{&f.SentTokens, &g.SentTokens},
		{&f.SharedBytes, &g.SharedBytes},
		{&f.EarlierBytes, &g.EarlierBytes},
		{&f.Pairs, &g.Pairs},
		{&f.Breaks, &g.Breaks},
		{&f.Prunes, &g.Prunes},
		{&f.Swaps, &g.Swaps},
		{&f.Fresh, &g.Fresh},
		{&f.FreshAppend, &g.FreshAppend},
		{&f.Invalid, &g.Invalid},
		{&f.Facts, &g.Facts},
		{&f.Kept, &g.Kept},
		{&f.Corrupted, &g.Corrupted},
		{&f.Contradicted, &g.Contradicted},
		{&f.Needs, &g.Needs},
		{&f.Visible, &g.Visible},
		{&f.Claims, &g.Claims},
		{&f.Supported, &g.Supported},
		{&f.Wrong, &g.Wrong},
		{&f.Choices, &g.Choices},
		{&f.Misused, &g.Misused},
		{&f.Behind, &g.Behind},
		{&f.OverWindow, &g.OverWindow},
		{&f.Summaries, &g.Summaries},
		{&f.Failed, &g.Failed},
		{&f.SummaryIn, &g.SummaryIn},
		{&f.SummaryOut, &g.SummaryOut},
		{&f.Thrash, &g.Thrash},
		{&f.Restless, &g.Restless},
		{&f.Needless, &g.Needless},
		{&f.Split, &g.Split},
	}
	for _, p := range pairs {
		*p[0] += *p[1]
	}
	if f.First == "" {
		f.First = g.First
	}
	f.Notes = append(f.Notes, g.Notes...)
	for reason, n := range g.Reasons {
		if f.Reasons == nil {
			f.Reasons = map[string]int{}
		}
		f.Reasons[reason] += n
	}
}

// Tokens is m1: tokens sent, relative to the client's.
func (f *Figures) Tokens() float64 { return share(f.SentTokens, f.ClientTokens) }

// Prefix is m2: the share of the messages' bytes sent before that the next request begins with.
func (f *Figures) Prefix() float64 { return share(f.SharedBytes, f.EarlierBytes) }

// Prefill is m3: tokens to be read anew, relative to sending everything append-only.
func (f *Figures) Prefill() float64 { return share(f.Fresh, f.FreshAppend) }

// Cost is m3: 1.25 for a token read anew and 0.1 for a cached one, relative to sending everything append-only.
func (f *Figures) Cost() float64 {
	cost := func(fresh, all int) float64 { return 1.25*float64(fresh) + 0.1*float64(all-fresh) }
	if f.ClientTokens == 0 {
		return 1
	}
	return cost(f.Fresh, f.SentTokens) / cost(f.FreshAppend, f.ClientTokens)
}

// Recall is m7, FactsKept m6, Support m8: shares; 1 where nothing was looked for.
func (f *Figures) Recall() float64 { return share(f.Visible, f.Needs) }

// FactsKept is m6's share of planted facts that are in the request.
func (f *Figures) FactsKept() float64 { return share(f.Kept, f.Facts) }

// Support is m8's share of exact strings in summaries that occur in what they stand for.
func (f *Figures) Support() float64 { return share(f.Supported, f.Claims) }

// PerRun is a number of events per run.
func (f *Figures) PerRun(n int) float64 {
	if f.Runs == 0 {
		return 0
	}
	return float64(n) / float64(f.Runs)
}

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

const maxNotes = 20

// note keeps a few words on what was found wrong.
func (f *Figures) note(format string, args ...any) {
	if len(f.Notes) < maxNotes {
		f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
	}
}
