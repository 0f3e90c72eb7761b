import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { FeedbackForm } from "@/components/feedback/feedback-form";
import { renderInApp } from "@/tests/support/in-app";
import { otherLocale } from "@/tests/support/languages";
import { catalogue } from "@/tests/support/texts";

const reference = "0123456789abcdef0123456789abcdef";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A server that gives these answers, one after another; the page's relative URLs lead there. */
async function answering(...answers: [status: number, body: object][]) {
  const received: { headers: IncomingMessage["headers"]; body: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: JSON.parse(`${Buffer.concat(chunks)}`) });
    const [status, body] = answers[received.length - 1] ?? [500, {}];
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) =>
    real(`http://127.0.0.1:${port}${path}`, init),
  );
  return { received, close: () => server.close() };
}

const message = () => screen.getByLabelText("Your message");
const email = () => screen.getByLabelText("Email (optional)");
const send = () => screen.getByRole("button", { name: "Send" });

test("works by itself as a plain form, with reference and language", () => {
  renderInApp(<FeedbackForm reference={reference} />, otherLocale);
  const form = screen.getByRole("form", {
    name: catalogue[otherLocale].feedback.heading,
  }) as HTMLFormElement;
  expect(form.method).toBe("post");
  expect(new URL(form.action).pathname).toBe("/api/feedback");
  expect(Object.fromEntries(new FormData(form))).toEqual({
    locale: otherLocale,
    reference,
    message: "",
    name: "",
    email: "",
    homepage: "",
  });
});

test("the field that people should leave alone is out of their way", () => {
  renderInApp(<FeedbackForm />);
  expect(screen.queryByRole("textbox", { name: "Leave this field empty" })).toBeNull();
  expect(document.querySelector('[name="homepage"]')).toHaveAttribute("tabindex", "-1");
});

test("faults are summed up and stand beside their fields; the first one is gone to, what was typed stays", async () => {
  const user = userEvent.setup();
  const { received, close } = await answering();
  renderInApp(<FeedbackForm />);
  await user.type(message(), "   ");
  await user.type(email(), "nobody");
  await user.click(send());
  const summary = screen.getByRole("alert");
  expect(await within(summary).findAllByRole("link")).toHaveLength(2);
  await vi.waitFor(() => expect(message()).toHaveFocus());
  expect(message()).toBeInvalid();
  expect(message()).toHaveAccessibleDescription("Write a message.");
  expect(email()).toBeInvalid();
  expect(email()).toHaveAccessibleDescription(/^Enter an email address/);
  expect(email()).toHaveValue("nobody");
  expect(screen.getByLabelText("Name (optional)")).toBeValid();
  expect(received).toEqual([]);

  await user.click(within(summary).getByRole("link", { name: /^Enter an email/ }));
  expect(email()).toHaveFocus();
  await user.click(send());
  await vi.waitFor(() => expect(message()).toHaveFocus());
  close();
});

test("what is right is sent, and thanked for where the form was", async () => {
  const user = userEvent.setup();
  const { received, close } = await answering([200, { id: reference }]);
  vi.stubGlobal("__NEXT_DATA__", { buildId: "build-1" });
  renderInApp(<FeedbackForm reference={reference} />);
  await user.type(message(), "It broke");
  await user.type(email(), "ada@example.org");
  await user.click(send());
  expect(await screen.findByRole("status")).toHaveTextContent("Thank you");
  await vi.waitFor(() => expect(screen.getByRole("status")).toHaveFocus());
  expect(received).toHaveLength(1);
  expect(received[0]?.headers["content-type"]).toBe("application/json");
  expect(received[0]?.body).toMatchObject({
    message: "It broke",
    email: "ada@example.org",
    locale: "en",
    reference,
    build: "build-1",
  });
  await user.click(screen.getByRole("button", { name: "Write another" }));
  expect(message()).toHaveValue("");
  await vi.waitFor(() => expect(message()).toHaveFocus());
  close();
});

test("what the server finds at fault is shown like what the browser finds", async () => {
  const user = userEvent.setup();
  const { close } = await answering([422, { error: "invalid", fields: { email: "emailWrong" } }]);
  renderInApp(<FeedbackForm />);
  await user.type(message(), "It broke");
  await user.type(email(), "ada@example.org");
  await user.click(send());
  expect(await within(screen.getByRole("alert")).findByRole("link")).toBeVisible();
  await vi.waitFor(() => expect(email()).toHaveFocus());
  expect(email()).toBeInvalid();
  expect(message()).toHaveValue("It broke");
  close();
});

test.each([
  [429, /^Too many messages/],
  [503, /could not be sent just now/],
  [413, /too large/],
  [403, /another site/],
  [415, /could not be read/],
])(
  "an error response with %i is explained, and what was typed can be sent again",
  async (status, words) => {
    const user = userEvent.setup();
    const { received, close } = await answering([status, { error: "x" }], [200, { id: reference }]);
    renderInApp(<FeedbackForm />);
    await user.type(message(), "It broke");
    await user.click(send());
    expect(await screen.findByText(words)).toBeInTheDocument();
    expect(message()).toHaveValue("It broke");
    await user.click(send());
    expect(await screen.findByRole("status")).toHaveTextContent("Thank you");
    expect(received).toHaveLength(2);
    close();
  },
);

test("without a network what was typed stays, and the visitor is told", async () => {
  const user = userEvent.setup();
  const { close } = await answering();
  close();
  renderInApp(<FeedbackForm />);
  await user.type(message(), "It broke");
  await user.click(send());
  expect(await screen.findByText(/could not be sent just now/)).toBeInTheDocument();
  expect(message()).toHaveValue("It broke");
});
