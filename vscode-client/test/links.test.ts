import assert from "node:assert/strict";
import * as path from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { withRelativeLinks } from "../src/links";

const onLinux = (page: string) =>
  withRelativeLinks(page, "/home/ada/.storage", (uri) => fileURLToPath(uri, { windows: false }), path.posix);
const onWindows = (page: string) =>
  withRelativeLinks(page, "C:\\Users\\ada", (uri) => fileURLToPath(uri, { windows: true }), path.win32);

describe("the links of the report", () => {
  it("are relative to its folder and keep their line", () => {
    const page = "* **partly compatible**, [line 3](<file:///srv/jobs/a.sql#L3>), [a.sql](<file:///home/ada/a.sql>)";
    const links = "* **partly compatible**, [line 3](<../../../srv/jobs/a.sql#L3>), [a.sql](<../a.sql>)";
    assert.equal(onLinux(page), links);
  });

  it("may have any characters in them", () => {
    assert.equal(onLinux("[a](<file:///home/ada/tag%23%201/%C3%BC.sql#L7>)"), "[a](<../tag%23%201/%C3%BC.sql#L7>)");
  });

  it("stay as they are on another drive of Windows", () => {
    assert.equal(onWindows("[a](<file:///c%3A/Users/ada/jobs/a.sql#L3>)"), "[a](<jobs/a.sql#L3>)");
    assert.equal(onWindows("[a](<file:///d%3A/jobs/a.sql#L3>)"), "[a](<file:///d%3A/jobs/a.sql#L3>)");
  });
});
