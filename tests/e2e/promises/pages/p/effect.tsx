import { useEffect, useRef } from "react";

export default function Effect() {
  const own = useRef<HTMLButtonElement>(null);
  useEffect(() => own.current?.focus(), []);
  return (
    <>
      <h1>Effect</h1>
      <button type="button" ref={own}>
        Mine
      </button>
    </>
  );
}
