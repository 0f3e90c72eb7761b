import { expect, test } from "vitest";
import { searchedUser, searchWords, userSearch } from "@/packages/inbox/src/model/error-filter";
import { filterQuery, listHref, queryOf, readFilter } from "@/packages/inbox/src/views/hrefs";

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

test("a search may name a user as Sentry's does, beside words", () => {
  const of = (q: string) => {
    const filter = readFilter(new URLSearchParams({ q }));
    return [searchedUser(filter), searchWords(filter)];
  };
  expect(of("broken user.id:77 page")).toEqual(["77", ["broken", "page"]]);
  expect(of('user.id:"a b" page')).toEqual(["a b", ["page"]]);
  expect(of("user.id: superuser.id:77")).toEqual([undefined, ["user.id:", "superuser.id:77"]]);
  const longest = "é".repeat(128);
  for (const id of ["77", "a b", "Zoë/1", longest]) expect(of(userSearch(id))).toEqual([id, []]);
  for (const id of ['a"b', '77" ', '"x', "back\\slash", 'a\\ "', "a\tb"]) {
    expect(of(userSearch(id))).toEqual([id, []]);
  }
  // What is no whole quotation names nobody, rather than somebody else.
  for (const q of ['user.id:"a"b', 'user.id:"a', 'user.id:""', 'user.id:"\\x"']) {
    expect(of(q)).toEqual([undefined, [q]]);
  }
});
