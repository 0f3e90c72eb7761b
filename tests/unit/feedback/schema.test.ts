import { expect, test } from "vitest";
import { checkFeedback } from "@/lib/feedback/schema";

const reference = "0123456789abcdef0123456789abcdef";

test("texts are trimmed, blanks count as nothing, and unknown fields are left out", () => {
  expect(
    checkFeedback({ message: " It broke \n", name: " ", email: "", reference, locale: "de" }),
  ).toEqual({ feedback: { message: "It broke", name: undefined, email: undefined, reference } });
  expect(checkFeedback({ message: "x", name: null })).toEqual({ feedback: { message: "x" } });
});

test.each([
  ["no message", {}, { message: "messageRequired" }],
  ["a blank message", { message: " \r\n\t " }, { message: "messageRequired" }],
  ["a message that is no text", { message: 7 }, { message: "messageRequired" }],
  ["4,001 characters", { message: "x".repeat(4001) }, { message: "messageTooLong" }],
  ["101 characters of a name", { name: "x".repeat(101) }, { name: "nameTooLong" }],
  ["a name that is no text", { name: ["x"] }, { name: "nameTooLong" }],
  ["an address without a domain", { email: "ada@" }, { email: "emailWrong" }],
  ["an address of two lines", { email: "ada@example.org\nbcc: x@y.zz" }, { email: "emailWrong" }],
  [
    "255 characters of an address",
    { email: `${"x".repeat(243)}@example.org` },
    { email: "emailWrong" },
  ],
  ["31 digits", { reference: reference.slice(1) }, { reference: "referenceWrong" }],
  [
    "a reference in capitals",
    { reference: reference.toUpperCase() },
    { reference: "referenceWrong" },
  ],
])("%s is a fault of its field alone", (_name, values, faults) => {
  const message = "message" in faults ? {} : { message: "It broke" };
  expect(checkFeedback({ ...message, ...values })).toEqual({ faults });
});

test("each field at fault is named", () => {
  const values = { message: "", name: "x".repeat(101), email: "x", reference: "x" };
  const checked = checkFeedback(values);
  expect(checked).toEqual({
    faults: {
      message: "messageRequired",
      name: "nameTooLong",
      email: "emailWrong",
      reference: "referenceWrong",
    },
  });
});

test("what fills the limits fits, and a line break is one character however it was sent", () => {
  const lines = "x\r\n".repeat(2000).trim();
  expect(checkFeedback({ message: lines, name: "x".repeat(100) })).toEqual({
    feedback: { message: lines.replaceAll("\r", ""), name: "x".repeat(100) },
  });
  expect(checkFeedback({ message: "x".repeat(4000) })).toHaveProperty("feedback");
});

test.each([undefined, null, "text", 7, []])("%j is not feedback", (values) => {
  expect(checkFeedback(values)).toEqual({ faults: { message: "messageRequired" } });
});
