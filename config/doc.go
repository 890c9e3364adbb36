// Package config reads Recap's settings: defaults, then the file, then the environment, then flags; and for each
// request the override headers. It composes the option structs that live beside each feature and owns nothing else.
//
// One table (Keys) names every setting: its path, what it points at, the values it may have and what it is for.
// The file's decoder, the environment variables, the flags, the JSON schema, `config print`, recap.example.yaml and
// docs/options.md all walk that table, so none of them can forget a key:
//
//	file    summarization.trigger.type
//	env     RECAP_SUMMARIZATION_TRIGGER_TYPE
//	flag    --summarization-trigger-type
//
// Reading never stops at the first fault: all problems of a layer come back together, each with where it stands,
// what would be right and the nearest key.
package config
