import { type NextRequest, NextResponse } from "next/server";

export const config = { matcher: "/proxied" };

export function proxy(request: NextRequest) {
  return NextResponse.rewrite(new URL("/p/query?from=proxy", request.url));
}
