import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const workflows = readdirSync(".github/workflows").map((name) => `.github/workflows/${name}`);

function lines(file: string, pattern: RegExp): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => pattern.test(line));
}

test("every action is named by its commit", () => {
  const actions = workflows.flatMap((file) => lines(file, /\buses:/));
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40} # v\d/);
});

test("every image that is not built here is named by its digest", () => {
  const images = [
    ...lines("docker-compose.yml", /^\s*image:/),
    ...lines("Dockerfile", /^ARG NODE_IMAGE=/),
  ];
  expect(images).toHaveLength(3);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  for (const from of lines("Dockerfile", /^FROM /)) expect(from).toMatch(/^FROM \$\{NODE_IMAGE\}/);
});

test("the packages bring the Node that the container has", () => {
  const [, container] =
    /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync("Dockerfile", "utf8")) ?? [];
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(devDependencies.node).toBe(container);
});

test("what is to be tried out listens on this machine alone", () => {
  const ports = lines("docker-compose.yml", /^\s*- "[\d.:]*\d+:\d+"$/);
  expect(ports.length).toBeGreaterThan(0);
  for (const port of ports) expect(port).toContain('"127.0.0.1:');
});
