import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { FeedbackForm } from "@/components/feedback/feedback-form";
import { takeErrors } from "@/packages/sentry/src/browser/first-load/error-queue";
import { renderInApp } from "@/tests/support/in-app";
import { otherLocale } from "@/tests/support/languages";
import { catalogue } from "@/tests/support/texts";

const reference = "0123456789abcdef0123456789abcdef";

/** What is handed to Sentry, before its SDK is there. */
const handedOver = () => takeErrors().map(({ captured }) => captured?.event?.contexts?.feedback);

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
  expect(handedOver()).toEqual([]);

  await user.click(within(summary).getByRole("link", { name: /^Enter an email/ }));
  expect(email()).toHaveFocus();
  await user.click(send());
  await vi.waitFor(() => expect(message()).toHaveFocus());
});

test("what is right is sent, and thanked for where the form was", async () => {
  const user = userEvent.setup();
  renderInApp(<FeedbackForm reference={reference} />);
  await user.type(message(), "It broke");
  await user.type(email(), "ada@example.org");
  await user.click(send());
  expect(await screen.findByRole("status")).toHaveTextContent("Thank you");
  await vi.waitFor(() => expect(screen.getByRole("status")).toHaveFocus());
  expect(handedOver()).toEqual([
    {
      message: "It broke",
      contact_email: "ada@example.org",
      associated_event_id: reference,
      url: location.href,
      source: "signpost.form",
    },
  ]);
  await user.click(screen.getByRole("button", { name: "Write another" }));
  expect(message()).toHaveValue("");
  await vi.waitFor(() => expect(message()).toHaveFocus());
});

test("a program that fills in what people don't see is thanked, and nothing is handed over", async () => {
  const user = userEvent.setup();
  renderInApp(<FeedbackForm />);
  await user.type(message(), "buy");
  const trap = document.querySelector<HTMLInputElement>('[name="homepage"]');
  if (trap) trap.value = "https://spam.example";
  await user.click(send());
  expect(await screen.findByRole("status")).toHaveTextContent("Thank you");
  expect(handedOver()).toEqual([]);
});
