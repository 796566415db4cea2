#!/usr/bin/env python3
"""A chat that needs nothing but Python: it keeps every message, and precis sends the model what fits.

    precis serve --upstream http://localhost:11434/v1
    python3 chat.py qwen3-coder

It reads one message per line and prints each answer. What precis did goes to stderr.
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
import uuid


def ask(url, model, session, messages):
    """Sends all messages and returns the answer, with what precis says that it did."""
    request = urllib.request.Request(
        f"{url}/v1/chat/completions",
        data=json.dumps({"model": model, "messages": messages}).encode(),
        headers={
            "content-type": "application/json",
            "authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}",
            # A name of your own. Without it precis recognises the conversation by its messages.
            "x-precis-session": session,
        },
    )
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)["choices"][0]["message"]
        return answer, response.headers


def told(headers):
    """What precis did, for people."""
    before, after = headers["x-precis-tokens-before"], headers["x-precis-tokens-after"]
    return f"[precis: {headers['x-precis-action']}, {before} -> {after} tokens]"


def main():
    parser = argparse.ArgumentParser(description="A chat through the gateway of precis.")
    parser.add_argument("model", help="the model, as the upstream calls it")
    parser.add_argument("--url", default="http://127.0.0.1:8787", help="where `precis serve` listens")
    parser.add_argument("--session", default=f"chat-{uuid.uuid4()}", help="a name for the conversation")
    given = parser.parse_args()

    messages = [{"role": "system", "content": "You are a helpful assistant."}]
    for line in sys.stdin:
        if not line.strip():
            continue
        messages.append({"role": "user", "content": line.strip()})
        try:
            answer, headers = ask(given.url, given.model, given.session, messages)
        except urllib.error.HTTPError as error:
            sys.exit(f"The gateway answered {error.code}: {error.read().decode()}")
        except urllib.error.URLError as error:
            sys.exit(f"There is no gateway at {given.url} ({error.reason}). Start one: precis serve")
        # The list only ever grows. Nobody has to shorten it.
        messages.append({"role": "assistant", "content": answer["content"]})
        print(answer["content"], flush=True)
        if headers.get("x-precis-action") in ("view", "compacted"):
            print(told(headers), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
