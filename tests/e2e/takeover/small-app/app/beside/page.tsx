export default function Beside() {
  return <h1>Beside</h1>;
}
