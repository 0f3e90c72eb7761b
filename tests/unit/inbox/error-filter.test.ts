import { expect, test } from "vitest";
import { searchWords } from "@/lib/inbox/model/error-filter";
import { filterQuery, listHref, queryOf, readFilter } from "@/lib/inbox/views/hrefs";

test("a filter stands in the URL as it was read from it", () => {
  const query = "q=a+%26+b&release=1%2F2&state=open";
  const filter = readFilter(new URLSearchParams(query));
  const href = listHref("errors", 2, filterQuery(filter));
  expect(readFilter(queryOf(href))).toEqual(filter);
  expect(href).toBe(`/reports?${query}&page=2`);
  expect(filterQuery(readFilter(new URLSearchParams("release=&q=")))).toEqual({});
});

test("a search has words, no more than ten and no longer than they fit in it", () => {
  const wordsOf = (q: string) => searchWords(readFilter(new URLSearchParams({ q })));
  expect(wordsOf("  two\twords ")).toEqual(["two", "words"]);
  expect(wordsOf("q z ".repeat(5000))).toHaveLength(10);
  expect(wordsOf("x".repeat(5000))).toEqual(["x".repeat(200)]);
});
