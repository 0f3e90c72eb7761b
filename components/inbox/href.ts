/** @returns path and query; values that are undefined are left out */
export function href(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const search = new URLSearchParams(given).toString();
  return search ? `${path}?${search}` : path;
}
