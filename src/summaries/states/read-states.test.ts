import { describe, expect, it } from "vitest";
import type { Message } from "../../core/types.ts";
import { readStates } from "./read-states.ts";

let ids = 0;
/** A call with its result. */
function ran(name: string, args: object, output: string, error?: boolean): Message[] {
  const id = `call_${ids++}`;
  return [
    { role: "assistant", parts: [{ type: "tool-call", id, name, args: JSON.stringify(args) }] },
    { role: "tool", parts: [{ type: "tool-result", id, text: output, ...(error && { error }) }] },
  ];
}
/** As Claude Code, Codex and opencode run a command. */
const bash = (command: string, output: string, error?: boolean) =>
  ran("Bash", { command, description: "Run it" }, output, error);
const codex = (cmd: string, output: string, end = "Process exited with code 0") =>
  ran(
    "exec_command",
    { cmd, workdir: "/repo" },
    `Chunk ID: 6034bc\nWall time: 0.5 seconds\n${end}\nOriginal token count: 20\nOutput:\n${output}`,
  );
const oldCodex = (command: string, output: string, exit_code = 0) =>
  ran(
    "shell",
    { command: ["bash", "-lc", command] },
    JSON.stringify({ output, metadata: { exit_code, duration_seconds: 0.3 } }),
  );
const opencode = (command: string, output: string) =>
  ran("bash", { command, description: "Runs it" }, output);
const said = (role: "user" | "assistant", text: string): Message[] => [
  { role, parts: [{ type: "text", text }] },
];

const told = (...rounds: readonly Message[][]): string[] =>
  readStates(rounds.flat()).map(({ status, name, detail }) =>
    [status, name, detail].filter(Boolean).join(" | "),
  );

const commit = (hash: string, subject: string, branch = "main") =>
  `[${branch} ${hash}] ${subject}\n 2 files changed, 10 insertions(+), 3 deletions(-)\n`;

describe("commits and pushes", () => {
  it.each([
    ["Claude Code", bash],
    ["Codex", codex],
    ["Codex, older", oldCodex],
    ["opencode", opencode],
  ] as const)("are found in the output of %s", (_, run) => {
    const message = `git add -A && git commit -m "$(cat <<'EOF'\nMend the "lexer"\n\nLonger.\nEOF\n)"`;
    expect(told(run(message, commit("a1b2c3d", 'Mend the "lexer"')))).toEqual([
      `committed | a1b2c3d | Mend the "lexer"`,
    ]);
    expect(told(run("git push", "To github.com:o/r.git\n   abc1234..a1b2c3d  main -> main\n"))).toEqual([
      "pushed | main",
    ]);
  });

  it("says what was committed behind the last push of its branch", () => {
    const pushed = bash(
      "git push -u origin topic",
      "To github.com:o/r.git\n * [new branch]      topic -> topic",
    );
    const [one, two] = [commit("a1b2c3d", "One", "topic"), commit("b2c3d4e", "Two", "topic")];
    expect(told(bash("git commit -am One", one), pushed, bash("git commit -am Two", two))).toEqual([
      "pushed | topic",
      "committed | a1b2c3d | One",
      "unpushed | b2c3d4e | Two",
    ]);
  });

  it("leaves a commit that a hook didn't let amend, and amends quietly", () => {
    const first = bash("git commit -m One", commit("a1b2c3d", "One"));
    const refused = bash(
      "git commit --amend --no-edit",
      "lint-staged: 2 errors\nhusky - pre-commit hook failed",
      true,
    );
    expect(told(first, refused)).toEqual(["committed | a1b2c3d | One"]);
    expect(told(first, bash("git commit -q --amend --no-edit", ""))).toEqual(["committed | One"]);
  });

  it("takes back commits of the branch that is checked out, and of no other", () => {
    const main = bash("git commit -m One", commit("a1b2c3d", "One"));
    const topic = bash("git commit -m Two", commit("b2c3d4e", "Two", "topic"));
    const back = bash(
      "git checkout main && git reset --hard HEAD~1",
      "Switched to branch 'main'\nHEAD is now at 0123456",
    );
    expect(told(main, topic, back)).toEqual(["committed | b2c3d4e | Two"]);
    const quiet = bash("git commit -qm 'Three'", "");
    expect(told(main, topic, bash("git switch main", "Switched to branch 'main'"), quiet, back)).toEqual([
      "committed | a1b2c3d | One",
      "committed | b2c3d4e | Two",
    ]);
  });

  it("takes back what an amended commit, a reset and a rebase replace", () => {
    const first = bash("git commit -m One", commit("a1b2c3d", "One"));
    expect(told(first, bash("git commit --amend --no-edit", commit("b2c3d4e", "One")))).toEqual([
      "committed | b2c3d4e | One",
    ]);
    expect(told(first, bash("git reset --soft HEAD~1", ""))).toEqual([]);
    const onTopic = bash("git commit -m Two", commit("c3d4e5f", "Two", "topic"));
    expect(
      told(first, onTopic, bash("git rebase main", "Successfully rebased and updated refs/heads/topic.")),
    ).toEqual(["committed | a1b2c3d | One", "committed | Two"]);
  });

  it("knows a silent commit by its subject, and none that a hook refused", () => {
    expect(told(opencode("git commit -qm 'Mend the lexer'", ""))).toEqual(["committed | Mend the lexer"]);
    expect(
      told(
        bash(
          "git commit -qm 'Mend'",
          "Exit code 1\nhusky - pre-commit hook exited with code 1 (error)",
          true,
        ),
      ),
    ).toEqual([]);
    expect(told(bash("git commit -m Mend", "On branch main\nnothing to commit, working tree clean"))).toEqual(
      [],
    );
  });

  it("takes nothing for done that was refused, tried, read or only mentioned", () => {
    expect(
      told(
        bash(
          "git push",
          " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs",
          true,
        ),
      ),
    ).toEqual([]);
    expect(
      told(bash("git push --dry-run", "To github.com:o/r.git\n   abc1234..a1b2c3d  main -> main")),
    ).toEqual([]);
    expect(
      told(bash("git fetch", "From github.com:o/r\n   abc1234..a1b2c3d  main       -> origin/main")),
    ).toEqual([]);
    expect(
      told(
        bash(
          "git pull && git push",
          "   abc1234..a1b2c3d  main       -> origin/main\nfatal: unable to access",
          true,
        ),
      ),
    ).toEqual([]);
    expect(told(ran("Read", { file_path: "log.txt" }, commit("a1b2c3d", "Mend")))).toEqual([]);
    expect(told(bash("cat notes.md", `Run git commit.\n${commit("a1b2c3d", "Mend")}`))).toEqual([]);
    expect(
      told(
        bash(
          "cd /tmp/x && git init && git commit -m t",
          `Initialized empty Git repository in /tmp/x/.git/\n${commit("83cc426", "t")}`,
        ),
      ),
    ).toEqual([]);
    expect(
      told(
        bash("git push", "The user doesn't want to proceed with this tool use. The tool use was rejected"),
      ),
    ).toEqual([]);
  });

  it("knows merges, and conflicts until they are over", () => {
    expect(told(bash("git merge --no-ff topic", "Merge made by the 'ort' strategy.\n a.ts | 2 +-"))).toEqual([
      "merged | topic",
    ]);
    const conflict = bash(
      "git merge topic || true",
      "CONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed; fix conflicts",
    );
    expect(told(conflict)).toEqual(["conflict | git merge"]);
    expect(told(conflict, bash("git merge --abort", ""))).toEqual([]);
    expect(told(conflict, bash("git commit --no-edit", "[main a1b2c3d] Merge branch 'topic'"))).toEqual([
      "committed | a1b2c3d | Merge branch 'topic'",
    ]);
  });
});

describe("pull requests and issues", () => {
  const opened = bash(
    'gh pr create --title "Mend" --body "x; gh pr merge 9"',
    "https://github.com/o/r/pull/12\n",
  );
  it("are open until they are merged or closed", () => {
    expect(told(opened)).toEqual(["opened | PR 12"]);
    expect(told(opened, bash("gh pr merge 12 --squash --delete-branch", ""))).toEqual(["merged | PR 12"]);
    expect(
      told(opened, codex("gh pr merge --squash", "✓ Squashed and merged pull request o/r#12 (Mend)")),
    ).toEqual(["merged | PR 12"]);
    expect(told(opened, bash("gh pr merge 12 --auto --squash", ""))).toEqual(["opened | PR 12"]);
    expect(
      told(
        opened,
        bash(
          "gh pr merge 12",
          "X Pull request o/r#12 is not mergeable: the base branch policy prohibits the merge.",
          true,
        ),
      ),
    ).toEqual(["opened | PR 12"]);
    expect(
      told(opened, bash("gh pr view 12 --json state,title", '{"state":"MERGED","title":"Mend"}')),
    ).toEqual(["merged | PR 12"]);
    expect(told(opened, bash("gh pr close 12", "✓ Closed pull request o/r#12 (Mend)"))).toEqual([
      "closed | PR 12",
    ]);
    expect(
      told(opencode("glab mr create --fill", "!7 Mend (topic)\n https://gitlab.com/o/r/-/merge_requests/7")),
    ).toEqual(["opened | PR 7"]);
  });

  it("are known by tools of MCP servers, too", () => {
    const made = ran(
      "mcp__github__create_pull_request",
      { title: "Mend" },
      '{"number":12,"html_url":"https://github.com/o/r/pull/12"}',
    );
    expect(told(made)).toEqual(["opened | PR 12"]);
    const merge = ran(
      "mcp__github__merge_pull_request",
      { owner: "o", repo: "r", pullNumber: 12 },
      '{"sha":"abc","merged":true,"message":"Pull Request successfully merged"}',
    );
    expect(told(made, merge)).toEqual(["merged | PR 12"]);
    expect(
      told(ran("mcp__linear-server__update_issue", { id: "ENT-7", state: "Done" }, '{"id":"x"}')),
    ).toEqual(["closed | ENT-7"]);
    expect(
      told(ran("mcp__linear-server__update_issue", { id: "ENT-7", title: "New" }, '{"id":"x"}')),
    ).toEqual([]);
  });

  it("closes issues", () => {
    expect(
      told(
        bash("gh issue create -t Bug -b x", "https://github.com/o/r/issues/7"),
        bash("gh issue close 7", "✓ Closed issue o/r#7 (Bug)"),
      ),
    ).toEqual(["closed | issue 7"]);
  });
});

describe("tests", () => {
  it.each([
    [
      "npx vitest run",
      " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 10 passed (12)\n",
      "failing | vitest run | 2 failed, 10 passed",
    ],
    [
      "npm test",
      "Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\nSnapshots:   0 total",
      "passing | npm test | 5 passed",
    ],
    ["python -m pytest -q", "....\n4 passed in 0.12s", "passing | pytest -q | 4 passed"],
    [
      "pytest",
      "=========== 2 failed, 10 passed in 0.30s ===========",
      "failing | pytest | 2 failed, 10 passed",
    ],
    [
      "cargo test",
      "test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 4 passed; 1 failed; 0 ignored",
      "failing | cargo test | 1 failed, 9 passed",
    ],
    [
      "go test ./...",
      "ok  \tx/a\t0.3s\n--- FAIL: TestB (0.00s)\nFAIL\tx/b\t0.1s\nFAIL",
      "failing | go test ./... | failed",
    ],
    [
      "go test ./... 2>&1 | tail -5",
      "ok  \tx/a\t0.3s\nok  \tx/b\t(cached)",
      "passing | go test ./... | passed",
    ],
    ["npx mocha", "  5 passing (12ms)\n  1 failing\n", "failing | mocha | 1 failed, 5 passed"],
    ["node --test", "ℹ tests 5\nℹ pass 5\nℹ fail 0", "passing | node --test | 5 passed"],
    ["bundle exec rspec", "5 examples, 0 failures", "passing | rspec | 5 passed"],
    [
      "mvn -q test",
      "[INFO] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
      "failing | mvn -q test | 1 failed, 5 passed",
    ],
    [
      "dotnet test",
      "Passed!  - Failed:     0, Passed:     5, Skipped:     0",
      "passing | dotnet test | 5 passed",
    ],
    ["python -m unittest", "Ran 5 tests in 0.01s\n\nOK", "passing | unittest | 5 passed"],
    ["bun test", " 5 pass\n 0 fail\n", "passing | bun test | 5 passed"],
  ])("%s ended as its output says", (command, output, state) => {
    expect(told(bash(command, output))).toEqual([state]);
  });

  it("says nothing where nobody can say", () => {
    expect(told(bash("npm run lint && npm test", "Exit code 1\n3 problems", true))).toEqual([]);
    expect(told(bash("npm test | head -3", "> test\n> vitest run"))).toEqual([]);
    expect(told(bash('grep -rn "npm test" docs', "docs/a.md: npm test → 2 failed"))).toEqual([]);
    expect(told(bash("npm test", "Command running in background with ID: b1"))).toEqual([
      "running | b1 | npm test",
    ]);
  });

  it("counts the last run alone, and a run of everything for its parts", () => {
    const red = bash("npx vitest run src/a.test.ts", "Tests  1 failed | 2 passed (3)");
    expect(told(red, bash("npx vitest run src/a.test.ts", "Tests  3 passed (3)"))).toEqual([
      "passing | vitest run src/a.test.ts | 3 passed",
    ]);
    expect(told(red, bash("npx vitest run", "Tests  90 passed (90)"))).toEqual([
      "passing | vitest run | 90 passed",
    ]);
    expect(told(red, bash("npx vitest run src/b.test.ts", "Tests  3 passed (3)"))).toHaveLength(2);
  });

  it("tells that files were changed since", () => {
    const green = bash("npm test", "Tests  3 passed (3)");
    const edit = ran(
      "Edit",
      { file_path: "/r/a.ts", old_string: "a", new_string: "b" },
      "The file /r/a.ts has been updated.",
    );
    expect(readStates([...green, ...edit])[0]?.changed).toBe(3);
    expect(readStates([...edit, ...green])[0]?.changed).toBeUndefined();
  });
});

describe("processes and agents", () => {
  const server = ran(
    "Bash",
    { command: "npm run dev", run_in_background: true },
    "Command running in background with ID: b5db730. Output is being written to: /tmp/b5db730.output",
  );
  it("run until somebody says that they ended", () => {
    expect(told(server)).toEqual(["running | b5db730 | npm run dev"]);
    expect(
      told(
        server,
        ran(
          "TaskOutput",
          { task_id: "b5db730" },
          "<retrieval_status>timeout</retrieval_status>\n<task_id>b5db730</task_id>\n<status>running</status>",
        ),
      ),
    ).toHaveLength(1);
    expect(
      told(
        server,
        ran(
          "TaskOutput",
          { task_id: "b5db730" },
          "<task_id>b5db730</task_id>\n<status>completed</status>\n<exit_code>0</exit_code>",
        ),
      ),
    ).toEqual([]);
    expect(
      told(
        server,
        ran("KillShell", { shell_id: "b5db730" }, "Successfully killed shell: b5db730 (npm run dev)"),
      ),
    ).toEqual([]);
    expect(told(server, bash('pkill -f "npm run dev"', ""))).toEqual([]);
    expect(
      told(
        server,
        said(
          "user",
          "<task-notification>\n<task-id>b5db730</task-id>\n<status>completed</status>\n<summary>Background command completed (exit code 0)</summary>\n</task-notification>",
        ),
      ),
    ).toEqual([]);
    expect(told(server, said("user", "What does b5db730 print?"))).toHaveLength(1);
  });

  it("of a shell are known by their number", () => {
    const started = bash("nohup node server.js > log 2>&1 & echo $!", "4711");
    expect(told(started)).toEqual(["running | 4711 | nohup node server.js > log 2>&1 & echo $!"]);
    expect(told(started, bash("kill 4711", ""))).toEqual([]);
  });

  it("of Codex are known by their session and by their agent", () => {
    const session = codex("go test ./...", "", "Process running with session ID 39979");
    expect(told(session)).toEqual(["running | 39979 | go test ./..."]);
    expect(
      told(
        session,
        ran("write_stdin", { session_id: 39979 }, "Chunk ID: 1\nProcess exited with code 1\nOutput:\nFAIL"),
      ),
    ).toEqual([]);
    const agent = ran("spawn_agent", { message: "Read the docs" }, '{"agent_id":"019e-77"}');
    expect(told(agent)).toEqual(["running | 019e-77 | Read the docs"]);
    expect(
      told(
        agent,
        ran(
          "wait",
          { ids: ["019e-77"] },
          '{"status":{"019e-77":{"completed":"All read."}},"timed_out":false}',
        ),
      ),
    ).toEqual([]);
    expect(told(agent, ran("close_agent", { id: "019e-77" }, "{}"))).toEqual([]);
  });

  it("of Claude Code's agents in the background", () => {
    const agent = ran(
      "Task",
      { description: "Read docs", prompt: "…", run_in_background: true },
      "Async agent launched successfully.\nagentId: ab7e996 (internal ID)",
    );
    expect(told(agent)).toEqual(["running | ab7e996 | Read docs"]);
    expect(
      told(
        agent,
        said(
          "user",
          "<task-notification>\n<task-id>ab7e996</task-id>\n<status>completed</status>\n<result>Fine.</result>\n</task-notification>",
        ),
      ),
    ).toEqual([]);
  });
});

describe("plans and questions", () => {
  it("are read from whole lists and from single changes", () => {
    const list = (status: string) =>
      ran(
        "TodoWrite",
        {
          todos: [
            { content: "Read the parser", status: "completed" },
            { content: "Write tests", status },
          ],
        },
        "Todos have been modified successfully.",
      );
    expect(told(list("pending"))).toEqual(["done | Read the parser", "todo | Write tests"]);
    expect(told(list("pending"), list("completed"))).toEqual([
      "done | Read the parser",
      "done | Write tests",
    ]);
    expect(
      told(ran("update_plan", { plan: [{ step: "Build", status: "in_progress" }] }, "Plan updated")),
    ).toEqual(["todo | Build"]);
    const task = ran(
      "TaskCreate",
      { subject: "Write tests", description: "x" },
      "Task #3 created successfully: Write tests",
    );
    expect(told(task)).toEqual(["todo | Write tests | task 3"]);
    expect(
      told(task, ran("TaskUpdate", { taskId: "3", status: "completed" }, "Updated task #3 status")),
    ).toEqual(["done | Write tests | task 3"]);
    expect(
      told(task, ran("TaskUpdate", { taskId: "3", status: "deleted" }, "Updated task #3 status")),
    ).toEqual([]);
  });

  it("are open where the user sent a question away without a word", () => {
    const ask = (answer: string) =>
      ran("AskUserQuestion", { questions: [{ question: "Which database?", options: [] }] }, answer);
    expect(
      told(ask("The user doesn't want to proceed with this tool use. The tool use was rejected.")),
    ).toEqual(["unanswered | Which database?"]);
    expect(told(ask('User has answered your questions: "Which database?"="SQLite".'))).toEqual([]);
    expect(
      told(
        ask(
          "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nSQLite, always.",
        ),
      ),
    ).toEqual([]);
  });
});
