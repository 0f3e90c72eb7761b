import { expect, test } from "vitest";
import { nodeFault } from "@/lib/base/config/node-version.cjs";

test("a Node before 24.15 is refused by name, no other is", () => {
  for (const version of ["12.22.0", "22.23.3", "24.0.0", "24.14.9"]) {
    expect(nodeFault(version, "24.15")).toBe(
      `Signpost needs Node 24.15 or newer, and this is Node ${version}`,
    );
  }
  for (const version of ["24.15.0", "24.21.3", "25.1.0", "26.0.0"]) {
    expect(nodeFault(version, "24.15")).toBeUndefined();
  }
});
