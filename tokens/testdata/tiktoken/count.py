"""Counts texts with the official tiktoken: a JSON list of texts on stdin, for each encoding a list of counts on stdout.

Usage: count.py PACKAGES VOCABULARIES ENCODING...
tiktoken would download its vocabularies; it is given those in the folder VOCABULARIES and checks their digests itself.
"""

import json
import os
import sys

packages, folder, *names = sys.argv[1:]
sys.path.insert(0, packages)
os.environ["TIKTOKEN_CACHE_DIR"] = ""  # nothing is kept

import tiktoken  # noqa: E402
import tiktoken.load  # noqa: E402
import tiktoken_ext.openai_public as public  # noqa: E402


def local(address, expected_hash=None):
    return tiktoken.load.load_tiktoken_bpe(os.path.join(folder, os.path.basename(address)), expected_hash)


public.load_tiktoken_bpe = local
texts = json.load(sys.stdin)
counts = {}
for name in names:
    encoding = tiktoken.Encoding(**public.ENCODING_CONSTRUCTORS[name]())
    counts[name] = [len(encoding.encode_ordinary(text)) for text in texts]
json.dump(counts, sys.stdout)
