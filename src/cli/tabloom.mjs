#!/usr/bin/env node
// @ts-check
import { findNode, main, runScript } from './toolchain.mjs';

/** The `tabloom` command on any Node from 20.19: hands over to `main.ts` on a Node that runs TypeScript. */
await main(() => runScript(findNode(), 'src/cli/main.ts', process.argv.slice(2)));
