import { expect, test } from "../support/app";

test("an API's address with a language in front leads to the API, whatever the method", {
  tag: "@shell",
}, async ({ app }) => {
  for (const locale of ["de", "ar"]) {
    const echo = await fetch(app.url("/api/echo/a%2Fb/c?x=1&x=2", locale), {
      method: "POST",
      body: "x",
    });
    expect(echo.url).toBe(app.url("/api/echo/a%2Fb/c?x=1&x=2"));
    expect(await echo.json()).toEqual({
      method: "POST",
      path: ["a/b", "c"],
      query: { x: ["1", "2"] },
    });
    for (const path of ["/api/nothing", "/api/nothing/deeper", "/api"]) {
      const answer = await fetch(app.url(path, locale));
      expect(answer.status, path).toBe(404);
      expect(await answer.json(), path).toMatchObject({ error: "not_found" });
    }
  }
});

test("a dynamic folder of the team's own and the tunnel don't meet", { tag: "@shell" }, async ({
  app,
}) => {
  for (const team of ["a", "relay"]) {
    const answer = await fetch(app.url(`/api/${team}/hello`));
    expect(await answer.json()).toEqual({ team });
  }
  const tunnel = await fetch(app.url("/api/relay"));
  expect([tunnel.status, tunnel.headers.get("allow")]).toEqual([405, "POST"]);
});
