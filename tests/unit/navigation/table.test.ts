import { expect, test } from "vitest";
import { en } from "@/lib/messages/en";
import { pages } from "@/lib/navigation/table";

test("texts are those of pages in the table", () => {
  expect(Object.keys(pages)).toEqual(expect.arrayContaining(Object.keys(en.routes)));
});
