package proxy

import "strings"

// Join puts the path a client asked for behind an upstream's base URL. One rule: they meet in exactly one slash, and
// the run of whole segments that ends the base's path and also begins the client's path is written once. So
//
//	http://h            /v1/chat/completions   http://h/v1/chat/completions
//	http://h/v1         /v1/chat/completions   http://h/v1/chat/completions
//	http://h/v1/        /chat/completions      http://h/v1/chat/completions
//	http://h/ollama/    /api/chat              http://h/ollama/api/chat
//
// The rest of the path, slashes and escapes in it, and the query stay as they are; behind a base without a path so does
// all of it, //x too. Of a path in the absolute form (http://proxy/path) the origin is left out.
func Join(base, path string) string {
	origin, prefix := splitOrigin(base)
	return origin + string(appendJoined(nil, strings.TrimRight(prefix, "/"), path))
}

// splitOrigin cuts scheme://authority off an absolute URL; what is no absolute URL has no origin.
func splitOrigin(u string) (origin, path string) {
	scheme, rest, found := strings.Cut(u, "://")
	if !found || strings.ContainsAny(scheme, "/?#") {
		return "", u
	}
	start := len(u) - len(rest)
	if slash := strings.IndexAny(rest, "/?"); slash >= 0 {
		return u[:start+slash], u[start+slash:]
	}
	return u, ""
}

// appendJoined appends prefix + path. The prefix has no slash at its end; the path may carry a query.
func appendJoined(dst []byte, prefix, path string) []byte {
	if !strings.HasPrefix(path, "/") {
		_, path = splitOrigin(path)
	}
	if prefix == "" && strings.HasPrefix(path, "/") { // nothing to meet
		return append(dst, path...)
	}
	path = strings.TrimLeft(path, "/")
	dst = append(dst, prefix...)
	if n := overlap(prefix, path); n > 0 {
		return append(dst, path[n:]...)
	}
	return append(append(dst, '/'), path...)
}

// overlap returns the length of the longest beginning of path (which has no leading slash) that also ends prefix, both
// at whole segments.
func overlap(prefix, path string) int {
	end := strings.IndexByte(path, '?')
	if end < 0 {
		end = len(path)
	}
	for n := end; n > 0; n = strings.LastIndexByte(path[:n], '/') {
		if k := len(prefix) - n - 1; k >= 0 && prefix[k] == '/' && prefix[k+1:] == path[:n] {
			return n
		}
	}
	return 0
}
