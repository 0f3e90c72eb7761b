import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { ApiForm } from "@/components/api-form";

const push = vi.fn();
vi.mock("next/router", () => ({ useRouter: () => ({ locale: "en", push }) }));

beforeEach(() => {
  push.mockReset();
});

/** Sends a form, whose answer waits. */
async function send() {
  let resolve = (_answer: Response) => {};
  const promise = new Promise<Response>((done) => {
    resolve = done;
  });
  vi.stubGlobal("fetch", () => promise);
  const { unmount } = render(<ApiForm path="/api/x" next="/next" submit="Send" failed="Failed" />);
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  return {
    unmount,
    answer: (status: number) => act(async () => resolve(new Response("", { status }))),
  };
}

test("an answer leads to the next page", async () => {
  const { answer } = await send();
  await answer(200);
  expect(push).toHaveBeenCalledWith("/next", undefined, { scroll: false });
});

test("who has gone to another page meanwhile is left there", async () => {
  const { unmount, answer } = await send();
  unmount();
  await answer(200);
  expect(push).not.toHaveBeenCalled();
});

test("a refusal is told", async () => {
  const { answer } = await send();
  await answer(500);
  expect(screen.getByRole("alert")).toHaveTextContent("Failed");
  expect(push).not.toHaveBeenCalled();
});
