package dialect

// Valid is for tests of sound.
func Valid(text string) bool { return valid(text) }
