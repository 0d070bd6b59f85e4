import { browser } from 'wxt/browser';
import { defineBackground } from 'wxt/utils/define-background';
import type { BackgroundBrowser, Port, Sender } from '../src/app/browser-api.ts';
import { createBackground } from '../src/app/compose.ts';

/** Every listener is registered in the worker's first turn: an event that wakes it is handed only to those that are there by then. */
export default defineBackground(() => {
  // The cast: the build puts the polyfill in place of the API whose types these are.
  const background = createBackground(browser as unknown as BackgroundBrowser, import.meta.env.PROD);

  browser.runtime.onMessage.addListener((message: unknown, sender: unknown) =>
    background.onMessage(message, sender as Sender),
  );
  browser.runtime.onConnect.addListener((port: unknown) => background.onConnect(port as Port));
  browser.runtime.onInstalled.addListener(({ reason }) => background.onInstalled(reason));
  browser.runtime.onStartup.addListener(() => background.wake());
  browser.alarms.onAlarm.addListener(({ name }) => background.onAlarm(name));
  browser.permissions.onAdded.addListener(() => background.onGrants());
  browser.permissions.onRemoved.addListener(() => background.onGrants());
  browser.notifications.onClicked.addListener((id) => background.onNotificationClicked(id));
  browser.tabs.onUpdated.addListener((id, change, tab) => background.onTab(id, change, tab.url));
  browser.tabs.onRemoved.addListener((id) => background.onTabClosed(id));
  // Not in all browsers.
  browser.tabs.onReplaced?.addListener((added, removed) => background.onTabReplaced(added, removed));
  browser.contextMenus.onClicked.addListener((info, tab) => background.onMenu(info, tab));
  browser.omnibox.onInputChanged.addListener((text, suggest) => background.onOmnibox(text, suggest));
  browser.omnibox.onInputEntered.addListener((text) => background.onOmniboxEntered(text));
  browser.commands.onCommand.addListener((name, tab) => background.onCommand(name, tab));

  background.wake();
});
