import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { refusedFeedbackPage } from "@/components/feedback/refused-feedback";
import { directionOf, locales } from "@/lib/messages/locales";
import { otherLocale } from "@/tests/support/languages";
import { catalogue } from "@/tests/support/texts";

const texts = catalogue[otherLocale].feedback;
const reference = "0123456789abcdef0123456789abcdef";

/** Puts what a whole document holds into that of the test. */
function open(html: string): void {
  const { documentElement, body } = new DOMParser().parseFromString(html, "text/html");
  for (const { name, value } of documentElement.attributes) {
    document.documentElement.setAttribute(name, value);
  }
  document.body.innerHTML = body.innerHTML;
}

test("the page is in the visitor's language and shows faults and what was typed, as text only", async () => {
  const hostile = `"><script>alert(1)</script></textarea>`;
  open(
    await refusedFeedbackPage({
      locale: otherLocale,
      values: { message: hostile, email: hostile, reference, homepage: "" },
      faults: { email: "emailWrong" },
    }),
  );
  expect(document.documentElement).toHaveAttribute("lang", otherLocale);
  expect(document.querySelector("script")).toBeNull();
  expect(document.querySelector("[style]")).toBeNull();
  expect(screen.getByLabelText(texts.message)).toHaveValue(hostile);
  const email = screen.getByLabelText(texts.email);
  expect(email).toHaveValue(hostile);
  expect(email).toHaveAttribute("aria-invalid", "true");
  expect(email).toHaveAttribute("autofocus");
  const described = document.getElementById(email.getAttribute("aria-describedby") ?? "");
  expect(described).toHaveTextContent(texts.emailWrong);
  expect(document.querySelector('[name="reference"]')).toHaveValue(reference);
  expect(screen.getByRole("alert")).toHaveTextContent(texts.summary);
});

test.each(locales)("a reference that is none is not sent again (%s)", async (locale) => {
  open(
    await refusedFeedbackPage({
      locale,
      values: { message: "x", reference: "nonsense" },
      faults: { reference: "referenceWrong" },
    }),
  );
  expect(document.documentElement).toHaveAttribute("dir", directionOf(locale));
  expect(document.querySelector('[name="reference"]')).toBeNull();
  expect(screen.getByRole("alert")).not.toBeEmptyDOMElement();
});
