export default function Autofocus() {
  return (
    <>
      <h1>Autofocus</h1>
      {/* biome-ignore lint/a11y/noAutofocus: that it is kept is what the test asks */}
      <button type="button" autoFocus>
        Mine
      </button>
    </>
  );
}
