import { expect, test } from "vitest";
import { en } from "@/lib/site/messages/en";
import { pages } from "@/lib/site/routes/table";

test("texts are those of pages in the table", () => {
  expect(Object.keys(pages)).toEqual(expect.arrayContaining(Object.keys(en.routes)));
});
