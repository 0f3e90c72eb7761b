/**
 * The pattern of the page the visitor is on, `/dynamic/[id]`. Taken from the global that Next puts
 * up: an import of its router would tear the framework's chunk in two.
 */
export function currentRoute(): string {
  const { next, __NEXT_DATA__ } = window as Window & {
    next?: { router?: { pathname: string } };
  };
  // The router answers only after hydration.
  return next?.router?.pathname ?? __NEXT_DATA__.page;
}
