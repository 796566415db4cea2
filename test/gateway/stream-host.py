"""A host with its own KV cache, in plain Python: it tells precis what happens and does what it is told.

Usage: stream-host.py URL STRATEGY WINDOW SUMMARIES. Prints what it saw as one line of JSON.
"""

import json
import sys
import urllib.request

URL, STRATEGY, WINDOW, SUMMARIES = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
TOKENS_PER_FRAME = 10


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, method=method, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read())


def tokens_of(text):
    """The host's own tokenizer: nothing that precis could know."""
    return 4 + len(text.encode()) // 3


class Cache:
    """Stands for the KV cache of a model: a list of items, each with its number of tokens."""

    def __init__(self):
        self.items = []
        self.fed = []

    def length(self):
        return sum(item["tokens"] for item in self.items)

    def feed(self, items):
        for item in items:
            if item["type"] == "frames":
                tokens = item["count"] * TOKENS_PER_FRAME
            else:
                tokens = tokens_of(item["text"])
                self.fed.append(item["text"])
            self.items.append({**item, "tokens": tokens})

    def keep(self, wanted):
        by_id = {item["id"]: item for item in self.items}
        kept = []
        for one in wanted:
            item = dict(by_id[one["id"]])
            if "from" in one:
                item["tokens"] = (one["to"] - one["from"]) * TOKENS_PER_FRAME
            kept.append(item)
        self.items = kept

    def lengths(self):
        return {item["id"]: item["tokens"] for item in self.items if item["type"] == "turn"}


cache = Cache()
seen = {"most": 0, "managed": 0, "asked": 0, "said": [], "commands": {}}


def carry_out(answer):
    """Does what precis says, and lets the model speak where it must."""
    for command in answer["do"]:
        kind = command["do"]
        seen["commands"][kind] = seen["commands"].get(kind, 0) + 1
        if kind == "feed":
            cache.feed(command["items"])
        elif kind == "keep":
            cache.keep(command["items"])
        elif kind == "reset":
            cache.items = []
        elif kind == "generate":
            seen["asked"] += 1
            is_summary = command["for"] != "stream-reply"
            text = "The user fits a new chain and must be done before 17:30. The old chain is off, the new one lies ready." if is_summary else f"Yes, go on with link {seen['asked']}."
            cache.items.append({"id": command["id"], "type": "turn", "tokens": tokens_of(text)})
        seen["most"] = max(seen["most"], cache.length())
    seen["managed"] += len(answer["managed"])
    seen["said"] += [said["text"] for said in answer["said"]]
    if answer["wantsReply"]:
        carry_out(tell("replies", {"text": text, "tokens": tokens_of(text)}))


def tell(what, body):
    return call("POST", f"/v1/streams/{stream}/{what}", {**body, "lengths": cache.lengths(), "length": cache.length()})


opened = call("POST", "/v1/streams", {
    "window": WINDOW,
    "strategy": STRATEGY,
    "tokensPerFrame": TOKENS_PER_FRAME,
    "fps": 2,
    "systemPrompt": "You watch a repair and help.",
    "summaryCap": 200,
    "summaries": SUMMARIES,
    "speak": {"cap": 60, "everySeconds": 1000000},
})
stream = opened["id"]
carry_out(opened)
question = "I want to fit a new chain before 17:30."
carry_out(tell("ask", {"text": question, "tokens": tokens_of(question)}))
for minute in range(40):
    carry_out(tell("frames", {"count": 60}))
    if minute % 5 == 4:
        carry_out(tell("ask", {"text": f"Is link {minute} right?", "tokens": tokens_of(f"Is link {minute} right?")}))
state = call("GET", f"/v1/streams/{stream}")
call("DELETE", f"/v1/streams/{stream}")
print(json.dumps({**seen, "length": cache.length(), "fed": cache.fed, "trace": len(state["trace"]), "status": state["status"]}))
