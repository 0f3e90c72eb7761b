import Script from "next/script";
import { expect, test } from "vitest";
import { PolicyHead } from "@/components/policy-head";

test("next/script in the document's head is refused with where to put it", () => {
  const head = new PolicyHead({ children: [<meta key="a" />, <Script key="b" src="/a.js" />] });
  expect(() => head.render()).toThrow("Put it into <body>, after <NextScript />.");
});
