// biome-ignore-all lint/style/noDefaultExport: a page
// biome-ignore-all lint/style/useFilenamingConvention: a page of Next's own
import { note } from "../notes.js";

export default function ErrorPage({ message }) {
  return <p>error page: {message}</p>;
}

ErrorPage.getInitialProps = ({ err }) => {
  note(`_error ${err}`);
  return { message: String(err) };
};
