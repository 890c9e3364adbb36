// Package low says something else here.
package low

// Documented has a comment.
const Documented = 1
