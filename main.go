// Recap is a reverse proxy that keeps long chats inside the model's context window. See README.md.
package main

import (
	"os"

	"recap/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
