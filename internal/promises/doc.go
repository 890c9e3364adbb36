// Package promises holds the tests that ask for Recap's promises (P1 to P10 of the design) over HTTP, through the
// whole proxy, against the strict upstream. What a single package can answer for is tested there.
package promises
