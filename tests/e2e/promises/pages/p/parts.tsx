import dynamic from "next/dynamic";
import { useState } from "react";

const DeviceMap = dynamic(() => Promise.reject<() => null>(new Error("this device has no maps")), {
  loading: ({ error }) => <p data-testid="part">{error ? error.message : "loading"}</p>,
  ssr: false,
});

export default function Parts() {
  const [shown, setShown] = useState(false);
  return (
    <>
      <h1>Parts</h1>
      <input aria-label="Typed" />
      <button type="button" onClick={() => setShown(true)}>
        Show the map
      </button>
      {shown && <DeviceMap />}
    </>
  );
}
