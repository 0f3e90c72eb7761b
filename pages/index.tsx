import { RouteMap } from "@/components/route-map";

export default function Home() {
  return <RouteMap />;
}
