import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findServer, NoPython, ServerNotFound, type Surroundings } from "../src/discovery";
import type { Version } from "../src/pythons";

interface Told extends Partial<Surroundings> {
  files?: string[];
  /** Interpreters with a Keepstate of their own. */
  pythons?: string[];
  /** Other interpreters. */
  bare?: Record<string, Version>;
}

/** A machine on which nothing is installed and nothing is set, but for what a test says. */
function machine(told: Told = {}): Surroundings {
  const { files = [], pythons = [], bare = {}, ...rest } = told;
  return {
    serverPath: "",
    serverArgs: ["lsp"],
    python: "",
    folders: ["/srv/jobs"],
    trusted: true,
    home: "/home/ada",
    env: { PATH: "/usr/local/bin:/usr/bin" },
    platform: "linux",
    bundled: "/ext/bundled",
    isFile: (file) => [...files, ...pythons, ...Object.keys(bare), "/ext/bundled/__main__.py"].includes(file),
    hasServer: async (python) => pythons.includes(python),
    describe: async (program, args = []) => {
      const version = bare[[program, ...args].join(" ")];
      return version && { executable: args.length > 0 ? `${program} itself` : program, version };
    },
    ...rest,
  };
}

describe("what is looked for, in order", () => {
  const everything = {
    files: ["/opt/keepstate", "/usr/bin/keepstate", "/opt/python"],
    pythons: ["/opt/env/bin/python", "/srv/jobs/.venv/bin/python"],
    chosenPython: "/opt/env/bin/python",
    bare: { "/usr/bin/python3": [3, 12, 1] } as Record<string, Version>,
  };

  it("takes the program of the setting first", async () => {
    const found = await findServer(machine({ ...everything, serverPath: "/opt/keepstate", python: "/opt/python" }));
    assert.deepEqual([found.command, ...found.args], ["/opt/keepstate", "lsp"]);
  });

  it("then the interpreter of the setting", async () => {
    const pythons = [...everything.pythons, "/opt/python"];
    const found = await findServer(machine({ ...everything, pythons, python: "/opt/python" }));
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
    const found = await findServer(machine({ ...everything, env: {}, chosenPython: "/usr/bin/python3" }));
    assert.equal(found.command, "/srv/jobs/.venv/bin/python");
  });

  it("looks into the .venv of every folder", async () => {
    const pythons = ["/srv/b/.venv/bin/python"];
    const found = await findServer(machine({ folders: ["/srv/a", "/srv/b"], pythons }));
    assert.equal(found.command, "/srv/b/.venv/bin/python");
  });

  it("last the one that came with the extension, apart from all that is installed", async () => {
    const found = await findServer(machine({ bare: everything.bare }));
    assert.deepEqual([found.command, ...found.args], ["/usr/bin/python3", "-I", "-S", "/ext/bundled"]);
    assert.equal(found.origin, "that came with the extension, run by python3 on PATH (3.12.1)");
  });

  it("says so when there is nothing", async () => {
    await assert.rejects(findServer(machine()), /needs Python 3\.10 or newer. None was found on PATH\./);
    await assert.rejects(findServer(machine()), NoPython);
  });
});

describe("the server that came with the extension", () => {
  const old: Record<string, Version> = { "/usr/bin/python3": [3, 9, 6], "/usr/bin/python3.11": [3, 11, 2] };

  it("is run by the interpreter chosen in the Python extension before those on PATH", async () => {
    const bare: Record<string, Version> = { ...old, "/opt/env/bin/python": [3, 13, 0] };
    const found = await findServer(machine({ bare, chosenPython: "/opt/env/bin/python" }));
    assert.equal(found.command, "/opt/env/bin/python");
  });

  it("passes over interpreters that are too old", async () => {
    assert.equal((await findServer(machine({ bare: old }))).command, "/usr/bin/python3.11");
  });

  it("names those that are too old when there is no other", async () => {
    const bare: Record<string, Version> = { "/usr/bin/python3": [3, 9, 6], "/usr/local/bin/python": [3, 6, 8] };
    await assert.rejects(findServer(machine({ bare })), (error: ServerNotFound) => {
      assert.equal(
        error.message,
        "The server needs Python 3.10 or newer. Found: 3.9.6 (/usr/bin/python3), 3.6.8 (/usr/local/bin/python).",
      );
      return error instanceof NoPython && error.lacksPython && error.setting === "python";
    });
  });

  it("is run by the interpreter of the setting where that has no Keepstate of its own", async () => {
    const bare: Record<string, Version> = { "/opt/python": [3, 12, 0] };
    const found = await findServer(machine({ bare, python: "/opt/python", files: ["/usr/bin/keepstate"] }));
    assert.deepEqual([found.command, ...found.args], ["/opt/python", "-I", "-S", "/ext/bundled"]);
  });

  it("says what is wrong with the interpreter of the setting", async () => {
    const bare: Record<string, Version> = { "/opt/python": [3, 8, 10] };
    await assert.rejects(findServer(machine({ bare, python: "/opt/python" })), /\/opt\/python, which is Python 3\.8\.10/);
    // What a setting names is never silently replaced by something else.
    await assert.rejects(findServer(machine({ bare, python: "/opt/python" })), (error) => !(error instanceof NoPython));
    await assert.rejects(findServer(machine({ files: ["/opt/p"], python: "/opt/p" })), /which is no Python that answers/);
  });

  it("does not touch the Python of macOS, which may open a dialog", async () => {
    const bare: Record<string, Version> = { "/usr/bin/python3": [3, 12, 0] };
    await assert.rejects(findServer(machine({ bare, platform: "darwin" })), ServerNotFound);
  });

  it("may be missing from a build of the extension", async () => {
    const files = ["/usr/bin/python3"];
    await assert.rejects(findServer(machine({ isFile: (file) => files.includes(file) })), /brings none/);
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
    await assert.rejects(findServer(machine(untrusted)), ServerNotFound);
  });

  it("has the server that came with the extension", async () => {
    const found = await findServer(machine({ ...untrusted, bare: { "/usr/bin/python3": [3, 12, 0] } }));
    assert.deepEqual([found.command, ...found.args], ["/usr/bin/python3", "-I", "-S", "/ext/bundled"]);
  });

  it("starts nothing that lies in it even where the user's own settings name such a place", async () => {
    for (const serverPath of ["tools/keepstate", "${workspaceFolder}/tools/keepstate"]) {
      const here = machine({ ...untrusted, serverPath, files: ["/srv/jobs/tools/keepstate"] });
      await assert.rejects(findServer(here), /untrusted/);
    }
  });

  it("does not heed the Python extension, which may have been told by the workspace", async () => {
    const chosenPython = "/srv/jobs/.venv/bin/python";
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

  it("asks the launcher of Python", async () => {
    const bare: Record<string, Version> = { "C:\\Windows\\py.exe -3": [3, 13, 0] };
    const isFile = (file: string) => ["C:\\Windows\\py.exe", "C:\\ext\\bundled\\__main__.py"].includes(file);
    const bundled = "C:\\ext\\bundled";
    const found = await findServer(machine({ ...windows, env: { Path: "C:\\Windows" }, bare, bundled, isFile }));
    assert.deepEqual([found.command, ...found.args], ["C:\\Windows\\py.exe itself", "-I", "-S", bundled]);
  });

  it("finds the interpreter in .venv", async () => {
    const found = await findServer(machine({ ...windows, env: {}, pythons: ["C:\\jobs\\.venv\\Scripts\\python.exe"] }));
    assert.equal(found.command, "C:\\jobs\\.venv\\Scripts\\python.exe");
  });
});
