package tokens

// Held is how many bytes of text wait to be counted; 8 MiB at most.
func (k *Counter) Held() int {
	k.learner.mu.Lock()
	defer k.learner.mu.Unlock()
	return k.learner.bytes
}
