import { startSampleSite } from './site/server.ts';
import { STAND_IN_MODEL, startStandIn } from './stand-in/server.ts';

/** Starts the sample site and the stand-in for a try by hand; ports may be given: `node src/examples/serve.ts [site] [stand-in]`. */
const [sitePort, standInPort] = process.argv.slice(2).map(Number);
const site = await startSampleSite({ port: sitePort ?? 4173 });
const standIn = await startStandIn({ port: standInPort ?? 4174 });
process.stdout.write(
  `Sample expense site: ${site.url}/expenses\nStand-in (not a model): ${standIn.url}, model ${STAND_IN_MODEL}\nStop with Ctrl+C.\n`,
);
