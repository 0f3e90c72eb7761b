export default function Home() {
  return <h1>Signpost</h1>;
}
