// Package low is documented twice.
package low

import "faulty/high"

var Bare = high.Level

type Open interface {
	Shut() error
}

func Plain() {}

type hidden struct{}

func (*hidden) Exported() {}
