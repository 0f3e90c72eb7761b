import { useRouter as useCompatRouter } from "next/compat/router.js";
import Head from "next/head.js";
import Router, { useRouter } from "next/router.js";
import { createElement, useEffect, useState } from "react";

/** As a package does that is an ES module: Node makes it write `.js`. */
export function RouterBadge() {
  const { asPath } = useRouter();
  const compat = useCompatRouter();
  const [completed, setCompleted] = useState(0);
  useEffect(() => {
    const count = () => setCompleted((before) => before + 1);
    Router.events.on("routeChangeComplete", count);
    return () => Router.events.off("routeChangeComplete", count);
  }, []);
  return createElement(
    "button",
    { type: "button", onClick: () => Router.push("/static") },
    createElement(Head, null, createElement("meta", { name: "badge", content: asPath })),
    `${asPath} ${compat?.asPath} ${completed}`,
  );
}
