package summarizer

// The styles.
const (
	CheckpointStyle = "checkpoint"
	NarrativeStyle  = "narrative"
)
