package dialect

// Held is about how many bytes are kept of the newest bodies of conversations, all formats together. Each format keeps
// 64 MiB at most.
func Held() int { return openAILayout.bodies.held() + ollamaLayout.bodies.held() }

func (b *bodies) held() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.bytes + b.was
}
