package high

import "example.com/lib/part"

// Level is documented.
var Level = part.Level
