package pruning

// FailureWords is how many words open a failure.
var FailureWords = len(failureWords)
