import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findServer, ServerNotFound, type Surroundings } from "../src/discovery";

/** A machine on which nothing is installed and nothing is set, but for what a test says. */
function machine(told: Partial<Surroundings> & { files?: string[]; pythons?: string[] } = {}): Surroundings {
  const { files = [], pythons = [], ...rest } = told;
  return {
    serverPath: "",
    serverArgs: ["lsp"],
    python: "",
    folders: ["/srv/jobs"],
    trusted: true,
    home: "/home/ada",
    env: { PATH: "/usr/local/bin:/usr/bin" },
    platform: "linux",
    isFile: (file) => files.includes(file) || pythons.includes(file),
    hasServer: async (python) => pythons.includes(python),
    chosenPython: async () => undefined,
    ...rest,
  };
}

describe("what is looked for, in order", () => {
  const everything = {
    files: ["/opt/keepstate", "/usr/bin/keepstate", "/opt/python"],
    pythons: ["/opt/env/bin/python", "/srv/jobs/.venv/bin/python"],
    chosenPython: async () => "/opt/env/bin/python",
  };

  it("takes the program of the setting first", async () => {
    const found = await findServer(machine({ ...everything, serverPath: "/opt/keepstate", python: "/opt/python" }));
    assert.deepEqual([found.command, ...found.args], ["/opt/keepstate", "lsp"]);
  });

  it("then the interpreter of the setting", async () => {
    const found = await findServer(machine({ ...everything, python: "/opt/python" }));
    assert.deepEqual([found.command, ...found.args], ["/opt/python", "-m", "keepstate_lsp"]);
  });

  it("then the command on PATH", async () => {
    const found = await findServer(machine(everything));
    assert.deepEqual([found.command, ...found.args], ["/usr/bin/keepstate", "lsp"]);
  });

  it("then the environment chosen in the Python extension", async () => {
    const found = await findServer(machine({ ...everything, env: {} }));
    assert.deepEqual([found.command, ...found.args], ["/opt/env/bin/python", "-m", "keepstate_lsp"]);
  });

  it("passes over an environment without Keepstate", async () => {
    const found = await findServer(machine({ ...everything, env: {}, chosenPython: async () => "/usr/bin/python3" }));
    assert.equal(found.command, "/srv/jobs/.venv/bin/python");
  });

  it("looks into the .venv of every folder", async () => {
    const pythons = ["/srv/b/.venv/bin/python"];
    const found = await findServer(machine({ folders: ["/srv/a", "/srv/b"], pythons }));
    assert.equal(found.command, "/srv/b/.venv/bin/python");
  });

  it("says so when there is nothing", async () => {
    await assert.rejects(findServer(machine()), ServerNotFound);
  });
});

describe("the setting keepstate.server.path", () => {
  it("may be a whole command, run as it stands in the first folder", async () => {
    const serverPath = ["uv", "run", "keepstate", "lsp"];
    const found = await findServer(machine({ serverPath, files: ["/usr/local/bin/uv"] }));
    assert.deepEqual([found.command, ...found.args], ["/usr/local/bin/uv", "run", "keepstate", "lsp"]);
    assert.equal(found.cwd, "/srv/jobs");
  });

  it("knows the home folder and the workspace folder", async () => {
    const files = ["/home/ada/bin/keepstate", "/srv/jobs/tools/keepstate"];
    for (const [serverPath, command] of [
      ["~/bin/keepstate", files[0]],
      ["${workspaceFolder}/tools/keepstate", files[1]],
      ["tools/keepstate", files[1]],
    ] as const) {
      assert.equal((await findServer(machine({ serverPath, files }))).command, command);
    }
  });

  it("is never replaced by another server", async () => {
    const there = machine({ serverPath: "/gone/keepstate", files: ["/usr/bin/keepstate"] });
    await assert.rejects(findServer(there), /keepstate\.server\.path.*\/gone\/keepstate/);
  });
});

describe("a workspace that is not trusted", () => {
  const untrusted = { trusted: false, pythons: ["/srv/jobs/.venv/bin/python"] };

  it("starts nothing that lies in it", async () => {
    await assert.rejects(findServer(machine(untrusted)), /untrusted/);
  });

  it("starts nothing that lies in it even where the user's own settings name such a place", async () => {
    for (const serverPath of ["tools/keepstate", "${workspaceFolder}/tools/keepstate"]) {
      const here = machine({ ...untrusted, serverPath, files: ["/srv/jobs/tools/keepstate"] });
      await assert.rejects(findServer(here), /untrusted/);
    }
  });

  it("does not ask the Python extension, which may have been told by the workspace", async () => {
    const chosenPython = () => Promise.reject(new Error("asked"));
    await assert.rejects(findServer(machine({ ...untrusted, chosenPython })), ServerNotFound);
  });

  it("still has the command on PATH, and runs it elsewhere", async () => {
    const found = await findServer(machine({ ...untrusted, files: ["/usr/bin/keepstate"] }));
    assert.equal(found.command, "/usr/bin/keepstate");
    assert.equal(found.cwd, undefined);
  });

  it("is not searched through a relative entry of PATH", async () => {
    const here = machine({ ...untrusted, env: { PATH: ".:bin" }, isFile: () => true });
    await assert.rejects(findServer(here), ServerNotFound);
  });
});

describe("Windows", () => {
  const windows = { platform: "win32", folders: ["C:\\jobs"], home: "C:\\Users\\ada" } as const;

  it("finds keepstate.exe on Path", async () => {
    const files = ["C:\\Tools\\keepstate.exe"];
    const found = await findServer(machine({ ...windows, env: { Path: "C:\\Windows;C:\\Tools" }, files }));
    assert.equal(found.command, "C:\\Tools\\keepstate.exe");
  });

  it("finds the interpreter in .venv", async () => {
    const found = await findServer(machine({ ...windows, env: {}, pythons: ["C:\\jobs\\.venv\\Scripts\\python.exe"] }));
    assert.equal(found.command, "C:\\jobs\\.venv\\Scripts\\python.exe");
  });
});
