import { RouteMap } from "@/components/placeholders/route-map";

export default function Home() {
  return <RouteMap />;
}
