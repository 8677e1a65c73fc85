import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecentEnough, KnownPythons, pythonOf, type Python, type Version } from "../src/pythons";

describe("the answer of an interpreter", () => {
  it("names version and executable", () => {
    const python = pythonOf("3.12.1\r\nC:\\Python312\\python.exe\r\n");
    assert.deepEqual(python, { executable: "C:\\Python312\\python.exe", version: [3, 12, 1] });
  });

  it("is nothing where another program answers", () => {
    for (const answer of ["", "hello\nworld\n", "3.12\n/usr/bin/python3\n", "3.12.1\n"]) {
      assert.equal(pythonOf(answer), undefined);
    }
  });
});

it("3.10 is the oldest version that will do", () => {
  const versions: Version[] = [[2, 7, 18], [3, 9, 99], [3, 10, 0], [3, 13, 1], [4, 0, 0]];
  const will = versions.filter((version) => isRecentEnough({ executable: "", version }));
  assert.deepEqual(will, [[3, 10, 0], [3, 13, 1], [4, 0, 0]]);
});

describe("interpreters that were asked before", () => {
  function world(answer: Python | undefined) {
    const stamps: Record<string, string> = { shim: "1", "/opt/python3.12": "1" };
    const values = new Map<string, unknown>();
    const memory = {
      get: (key: string) => values.get(key),
      update: async (key: string, value: unknown) => void values.set(key, value),
    };
    let asked = 0;
    const session = () => new KnownPythons(memory, (file) => stamps[file], async () => (asked++, answer));
    return { stamps, session, asked: () => asked };
  }
  const recent: Python = { executable: "/opt/python3.12", version: [3, 12, 1] };

  it("are not asked again, in this session or the next", async () => {
    const { session, asked } = world(recent);
    for (const pythons of [session(), session()]) {
      assert.deepEqual(await pythons.describe("shim"), recent);
      assert.deepEqual(await pythons.describe("shim"), recent);
    }
    assert.equal(asked(), 1);
  });

  it("are asked again when they or what they start was replaced or is gone", async () => {
    const { stamps, session, asked } = world(recent);
    await session().describe("shim");
    stamps["shim"] = "2";
    await session().describe("shim");
    assert.equal(asked(), 2);
    delete stamps["/opt/python3.12"];
    await session().describe("shim");
    await session().describe("shim");
    assert.equal(asked(), 4);
  });

  it("are asked again when they were too old, or answered nothing", async () => {
    for (const answer of [{ executable: "/opt/python3.12", version: [3, 9, 6] } as const, undefined]) {
      const { session, asked } = world(answer);
      assert.deepEqual(await session().describe("shim"), answer);
      assert.deepEqual(await session().describe("shim"), answer);
      assert.equal(asked(), 2);
    }
  });

  it("are told apart by their arguments", async () => {
    const { session, asked } = world(recent);
    await session().describe("shim");
    await session().describe("shim", ["-3"]);
    assert.equal(asked(), 2);
  });
});
