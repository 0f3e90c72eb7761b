/** The fixture package: the build of the companions puts it into `node_modules`. */
declare module "router-badge" {
  export function RouterBadge(): import("react").ReactElement;
}
